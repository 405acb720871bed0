internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// A few decoders that stay open, and the choice of the cheapest one for a request.
///
/// Use from one thread at a time.
struct OpenDecoderPool {
    struct Settings: Sendable {
        /// Decoders that stay open.
        var limit: Int
        var threadCount: Int
        var allocator: FrameAllocator
        /// The build of x264 that made the stream, for the decoders that are opened.
        var x264Build: Int?
        /// The witness that the stream is padded well, for the decoders that are opened (MPEG-4).
        var padding: PaddingWitness?
        /// Whether pictures follow each other without end: then several are decoded at once also where each stands
        /// alone.
        var isSequential = false
    }

    private let index: FrameIndex
    var settings: Settings
    private var idle: [OpenDecoder] = []
    /// How many decoders are worth their memory, for a frugal pool.
    private var demand: DecoderDemand?
    /// Memory for decoders beyond the first, where it is counted.
    var spare: SpareWork?

    /// - Parameter settings: another pool's, in whose memory this one's pictures will be.
    init(index: FrameIndex, settings: Settings) {
        self.index = index
        self.settings = settings
        frameByteCount = index.pictureByteCount
    }

    /// - Parameters:
    ///   - keepsBuffers: whether pictures' memory goes back to the system only with the pool.
    ///   - isFrugal: whether only those decoders stay open whose places are come back to (``DecoderDemand``).
    init(
        index: FrameIndex, limit: Int, threadCount: Int, keepsBuffers: Bool = false, isFrugal: Bool = false,
        budget: BudgetMember?
    ) {
        // Enough in reserve that a run from one restart to the next does not ask the system for every picture.
        let allocator = FrameAllocator(
            reserveCount: isFrugal ? 1 : 4, keepsBuffers: keepsBuffers, budget: budget)
        self.init(
            index: index,
            settings: Settings(limit: max(1, limit), threadCount: max(1, threadCount), allocator: allocator))
        if isFrugal { demand = DecoderDemand() }
    }

    var allocator: FrameAllocator { settings.allocator }

    /// Returns the settings for a pool of one decoder on one thread, in the same memory.
    func forWorkers() -> Settings {
        var copy = settings
        (copy.limit, copy.threadCount) = (1, 1)
        return copy
    }

    /// Finds out the stream parameters that decoders are opened with.
    mutating func learn(from reader: inout PacketReader) {
        settings.x264Build = reader.encoderBuild()
        settings.padding = reader.padding()
    }

    /// About the bytes of one decoded picture.
    let frameByteCount: Int

    // A decoder that met trouble is not put back: libavcodec's flush leaves traces of damage behind.

    /// Takes the decoder that reaches a plan's targets with the least work, with the packets to feed for them. It is
    /// out of the pool until it is put back.
    mutating func take(for plan: FeedPlan, targets: [Int]) throws(ScrubError) -> (OpenDecoder, feeds: [Feed]) {
        let total = cost(plan.feeds)
        var best: (place: Int, feeds: [Feed], cost: Int)?
        for (place, decoder) in idle.enumerated() {
            guard let feeds = OpenDecoderPool.rest(of: plan, targets: targets, on: decoder) else { continue }
            let rest = cost(feeds)
            if rest < min(total, best?.cost ?? .max) { best = (place, feeds, rest) }
        }
        if let best {
            let decoder = idle.remove(at: best.place)
            decoder.coldCost = total
            demand?.take(decoder)
            return (decoder, best.feeds)
        }
        demand?.miss(plan.plan.target, from: plan.plan.restart, limit: settings.limit)
        let decoder = try restartable(for: plan.plan.restart)
        if let place = decoder.fed { demand?.giveUp(restart: place.restart, position: place.position) }
        demand?.take(decoder)
        decoder.begin(plan)
        decoder.coldCost = total
        return (decoder, plan.feeds)
    }

    /// Returns the cost of decoding some packets, in bytes: the bits of a picture cost time, and so does its area.
    func cost(_ feeds: [Feed]) -> Int { feeds.reduce(0) { $0 + cost(ofPicture: $1.picture) } }

    func cost(ofPicture picture: Int) -> Int { frameByteCount / 256 + Int(index.pictures.sizes[picture]) }

    /// Returns a decoder that may forget where it is: one without a position, a new one, or the one whose place is
    /// worth least.
    private mutating func restartable(for restart: Int) throws(ScrubError) -> OpenDecoder {
        if let place = idle.firstIndex(where: { $0.restart == nil }) { return idle.remove(at: place) }
        if !canOpen, let place = idle.indices.min(by: { worth($0) < worth($1) }) {
            return idle.remove(at: place)
        }
        var options = Decoder.Options()
        options.reorderDelay = index.reorderDelay
        options.x264Build = settings.x264Build
        options.threading = threading
        options.needsNoWorkarounds = settings.padding != nil
        let made = try OpenDecoder(
            index: index, options: options, description: index.pictures.description(of: restart), allocator: allocator)
        made.padding = settings.padding
        return made
    }

    /// Whether a decoder may be opened beside those that are not at work.
    private var canOpen: Bool {
        idle.count < min(settings.limit, demand?.count ?? .max) && (idle.isEmpty || spare?.take(idle.count) ?? true)
    }

    /// Whether the decoder that is at work is the only one there can be.
    var isSingle: Bool { idle.isEmpty && (settings.limit == 1 || spare?.take(1) == false) }

    /// Returns the worth of a decoder's place. It is the cost that it saves, beyond the savings of the others, times
    /// the pictures that it saves it for.
    private func worth(_ place: Int) -> Int {
        let decoder = idle[place]
        guard let restart = decoder.restart else { return 0 }
        var end = index.groupEnd(after: decoder.position)
        var known = 0
        for (other, rival) in idle.enumerated() where other != place && rival.restart == restart {
            if (rival.position, other) < (decoder.position, place) {
                known = max(known, rival.coldCost)
            } else {
                end = min(end, rival.fed?.reach ?? end)
            }
        }
        let (worth, overflow) = max(0, end - (decoder.fed?.reach ?? end))
            .multipliedReportingOverflow(by: max(0, decoder.coldCost - known))
        return overflow ? .max : worth
    }

    private var threading: Decoder.Threading {
        let threadCount = settings.threadCount
        if threadCount == 1 || index.threadsKeepState { return .single }
        return index.facts.descriptions[0].isIntraOnly && !settings.isSequential
            ? .slices(threadCount) : .frames(threadCount)
    }

    /// Lets all decoders go that are not at work.
    mutating func clear() {
        idle = []
        if demand != nil { demand = DecoderDemand() }
        spare?.giveBack()
    }

    /// Forgets the positions of idle decoders; they stay open.
    func forget() {
        for decoder in idle { decoder.stop() }
    }

    mutating func put(_ decoder: OpenDecoder) {
        idle.append(decoder)
        while idle.count > 1, let demand, let place = idle.firstIndex(where: demand.isUseless) {
            self.demand?.close(idle.remove(at: place))
        }
    }

    /// Whether some decoder can reach a plan's targets from where it is.
    func canGoOn(_ plan: FeedPlan, targets: [Int]) -> Bool {
        idle.contains { OpenDecoderPool.rest(of: plan, targets: targets, on: $0) != nil }
    }

    /// Whether a picture is still to come from some decoder that began at a restart.
    func canReach(_ picture: Int, from restart: Int) -> Bool {
        idle.contains { decoder in
            guard let fed = decoder.fed, fed.restart == restart else { return false }
            return fed.position < picture || fed.pending.contains(picture)
        }
    }

    /// Whether some decoder that began at a restart has come to a picture.
    func hasReached(_ picture: Int, from restart: Int) -> Bool {
        idle.contains { $0.fed.map { $0.restart == restart && $0.position >= picture } ?? false }
    }

    /// Returns the cost of a plan's targets from the place of some decoder, or else from their restart.
    func remainingCost(of plan: FeedPlan, targets: [Int]) -> Int {
        idle.compactMap { OpenDecoderPool.rest(of: plan, targets: targets, on: $0).map(cost) }.min() ?? cost(plan.feeds)
    }

    /// Whether some decoder was fed everything that a plan's targets need.
    func holds(_ plan: FeedPlan, targets: [Int]) -> Bool {
        idle.contains { OpenDecoderPool.rest(of: plan, targets: targets, on: $0)?.isEmpty == true }
    }

    /// Returns the packets that a decoder must still be fed for a plan's targets; `nil` if it can't go on to them from
    /// its place.
    private static func rest(of plan: FeedPlan, targets: [Int], on decoder: OpenDecoder) -> [Feed]? {
        guard let fed = decoder.fed, fed.restart == plan.plan.restart, decoder.isClean else { return nil }
        return fed.rest(of: plan.feeds, targets: targets, in: plan.table)
    }
}
