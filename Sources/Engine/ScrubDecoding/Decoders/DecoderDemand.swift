/// How many decoders are worth their memory: one, and one more where places that were given up are wanted again. Pure.
///
/// Where requests jump about, each decoder beyond the first holds its reference pictures for a group that is rarely
/// come back to. Where parts of a film are gone through in turn, the place that another part's request took is wanted
/// next.
struct DecoderDemand {
    /// The number of decoders that are worth their memory now.
    private(set) var count = 1
    /// The newest at the end.
    private var given: [(restart: Int, position: Int)] = []
    /// The last time that a place was wanted.
    private var lastWanted: Int?
    /// Decoders taken so far, and the number of the last time for each that is open.
    private var (clock, uses): (Int, [ObjectIdentifier: Int]) = (0, [:])

    /// Places that are remembered.
    private static let memory = 4
    /// Coded pictures behind a place that a part's next request lies within.
    private static let reach = 24
    /// A decoder that was not taken while others were so many times is not come back to.
    private static let patience = 24

    mutating func take(_ decoder: AnyObject) {
        clock += 1
        // Those that met trouble were not closed here.
        if uses.count > DecoderDemand.patience { uses = uses.filter { clock - $0.value <= DecoderDemand.patience } }
        uses[ObjectIdentifier(decoder)] = clock
    }

    /// Notes that a decoder leaves its place for another one.
    mutating func giveUp(restart: Int, position: Int) {
        if given.count == DecoderDemand.memory { given.removeFirst() }
        given.append((restart, position))
    }

    /// Notes that no decoder can go on to a picture. One more is worth its memory if places that were given up are
    /// wanted twice within a few requests: among jumps that is rare.
    ///
    /// - Parameter limit: the most decoders.
    mutating func miss(_ target: Int, from restart: Int, limit: Int) {
        let wanted = given.lastIndex {
            $0.restart == restart && $0.position < target && target - $0.position <= DecoderDemand.reach
        }
        guard let wanted else { return }
        given.remove(at: wanted)
        if let lastWanted, clock - lastWanted <= DecoderDemand.memory { count = min(limit, count + 1) }
        lastWanted = clock
    }

    /// Whether a decoder is not come back to.
    func isUseless(_ decoder: AnyObject) -> Bool {
        uses[ObjectIdentifier(decoder)].map { clock - $0 > DecoderDemand.patience } ?? false
    }

    /// Notes that a decoder was closed because of that.
    mutating func close(_ decoder: AnyObject) {
        uses[ObjectIdentifier(decoder)] = nil
        count = max(1, count - 1)
    }
}
