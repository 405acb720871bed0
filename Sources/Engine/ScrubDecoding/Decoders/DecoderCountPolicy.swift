/// The number of decoders that are worth their memory: one, plus one if abandoned positions are requested again. Pure.
///
/// If requests jump around, each additional decoder holds reference pictures for a group that is rarely revisited. If
/// parts of a video are processed alternately, the position that was abandoned for another part is needed next.
struct DecoderCountPolicy {
    /// The number of decoders that are currently worth their memory.
    private(set) var count = 1
    /// The abandoned positions, the newest last.
    private var given: [(restart: Int, position: Int)] = []
    /// The last time that an abandoned position was requested.
    private var lastWanted: Int?
    /// The number of decoders taken so far, and for each open decoder, the number at which it was last taken.
    private var (clock, uses): (Int, [ObjectIdentifier: Int]) = (0, [:])

    /// The number of positions to remember.
    private static let memory = 4
    /// The number of coded pictures after a position within which a part's next request is expected.
    private static let reach = 24
    /// A decoder that was not taken while others were this many times will not be revisited.
    private static let patience = 24

    mutating func take(_ decoder: AnyObject) {
        clock += 1
        // Decoders that had errors were not closed here.
        if uses.count > DecoderCountPolicy.patience {
            uses = uses.filter { clock - $0.value <= DecoderCountPolicy.patience }
        }
        uses[ObjectIdentifier(decoder)] = clock
    }

    /// Records that a decoder leaves its position for another one.
    mutating func giveUp(restart: Int, position: Int) {
        if given.count == DecoderCountPolicy.memory { given.removeFirst() }
        given.append((restart, position))
    }

    /// Records that no decoder can continue to a picture. Another decoder is worth its memory if abandoned positions
    /// are requested twice within a few requests, which is rare among jumps.
    ///
    /// - Parameter limit: the maximum number of decoders.
    mutating func miss(_ target: Int, from restart: Int, limit: Int) {
        let wanted = given.lastIndex {
            $0.restart == restart && $0.position < target && target - $0.position <= DecoderCountPolicy.reach
        }
        guard let wanted else { return }
        given.remove(at: wanted)
        if let lastWanted, clock - lastWanted <= DecoderCountPolicy.memory { count = min(limit, count + 1) }
        lastWanted = clock
    }

    /// Returns whether a decoder will not be revisited.
    func isUseless(_ decoder: AnyObject) -> Bool {
        uses[ObjectIdentifier(decoder)].map { clock - $0 > DecoderCountPolicy.patience } ?? false
    }

    /// Records that a decoder was closed because it will not be revisited.
    mutating func close(_ decoder: AnyObject) {
        uses[ObjectIdentifier(decoder)] = nil
        count = max(1, count - 1)
    }
}
