internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// A pool of a few open decoders that chooses the cheapest one for a request.
///
/// Use from one thread at a time.
struct OpenDecoderPool {
    struct Settings: Sendable {
        /// The maximum number of open decoders.
        var limit: Int
        var threadCount: Int
        var allocator: FrameAllocator
        /// The x264 build that produced the stream, for opening decoders.
        var x264Build: Int?
        /// The evidence that the stream is padded correctly, for opening decoders (MPEG-4).
        var padding: PaddingEvidence?
        /// Whether pictures follow each other continuously, so that several are decoded at once even if they are
        /// independent.
        var isSequential = false
    }

    private let index: FrameIndex
    var settings: Settings
    private var idle: [OpenDecoder] = []
    /// The number of decoders that are worth their memory, for a frugal pool.
    private var demand: DecoderCountPolicy?
    /// The memory for decoders beyond the first, if memory is counted.
    var spare: AdditionalWorkMemory?

    /// Creates a pool.
    ///
    /// - Parameter settings: another pool's settings, whose memory this one's pictures will use.
    init(index: FrameIndex, settings: Settings) {
        self.index = index
        self.settings = settings
        frameByteCount = index.pictureByteCount
    }

    /// Creates a pool.
    ///
    /// - Parameters:
    ///   - keepsBuffers: whether the memory of pictures is kept until the pool is released.
    ///   - isFrugal: whether only decoders with revisited positions stay open (``DecoderCountPolicy``).
    init(
        index: FrameIndex, limit: Int, threadCount: Int, keepsBuffers: Bool = false, isFrugal: Bool = false,
        budget: BudgetMember?
    ) {
        // Enough buffers in reserve that a run from one restart to the next does not allocate every picture from the
        // system.
        let allocator = FrameAllocator(
            reserveCount: isFrugal ? 1 : 4, keepsBuffers: keepsBuffers, budget: budget)
        self.init(
            index: index,
            settings: Settings(limit: max(1, limit), threadCount: max(1, threadCount), allocator: allocator))
        if isFrugal { demand = DecoderCountPolicy() }
    }

    var allocator: FrameAllocator { settings.allocator }

    /// Returns the settings for a single-threaded pool of one decoder, in the same memory.
    func forWorkers() -> Settings {
        var copy = settings
        (copy.limit, copy.threadCount) = (1, 1)
        return copy
    }

    /// Determines the stream parameters with which decoders are opened.
    mutating func learn(from reader: inout PacketReader) {
        settings.x264Build = reader.encoderBuild()
        settings.padding = reader.padding()
    }

    /// The approximate size of one decoded picture in bytes.
    let frameByteCount: Int

    // A decoder that had errors is not put back, because libavcodec's flush leaves traces of damage.

    /// Takes the decoder that reaches a plan's targets with the least work, with the packets to feed for them. The
    /// decoder is removed from the pool until it is put back.
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

    /// Returns the cost of decoding packets, in bytes. A picture's bits cost time, and so does its area.
    func cost(_ feeds: [Feed]) -> Int { feeds.reduce(0) { $0 + cost(ofPicture: $1.picture) } }

    func cost(ofPicture picture: Int) -> Int { frameByteCount / 256 + Int(index.pictures.sizes[picture]) }

    /// Returns a decoder that may lose its position: one without a position, a new one, or the one whose position is
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

    /// Whether another decoder may be opened besides those that are in use.
    private var canOpen: Bool {
        idle.count < min(settings.limit, demand?.count ?? .max) && (idle.isEmpty || spare?.take(idle.count) ?? true)
    }

    /// Whether the decoder in use is the only possible one.
    var isSingle: Bool { idle.isEmpty && (settings.limit == 1 || spare?.take(1) == false) }

    /// Returns the value of a decoder's position: the cost that it saves beyond the savings of other decoders, times
    /// the number of pictures for which this applies.
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

    /// Releases all decoders that are not in use.
    mutating func clear() {
        idle = []
        if demand != nil { demand = DecoderCountPolicy() }
        spare?.giveBack()
    }

    /// Forgets the positions of idle decoders, which stay open.
    func forget() {
        for decoder in idle { decoder.stop() }
    }

    mutating func put(_ decoder: OpenDecoder) {
        idle.append(decoder)
        while idle.count > 1, let demand, let place = idle.firstIndex(where: demand.isUseless) {
            self.demand?.close(idle.remove(at: place))
        }
    }

    /// Returns whether a decoder can reach a plan's targets from its position.
    func canGoOn(_ plan: FeedPlan, targets: [Int]) -> Bool {
        idle.contains { OpenDecoderPool.rest(of: plan, targets: targets, on: $0) != nil }
    }

    /// Returns whether a decoder that began at a restart has yet to output a picture.
    func canReach(_ picture: Int, from restart: Int) -> Bool {
        idle.contains { decoder in
            guard let fed = decoder.fed, fed.restart == restart else { return false }
            return fed.position < picture || fed.pending.contains(picture)
        }
    }

    /// Returns whether a decoder that began at a restart has reached a picture.
    func hasReached(_ picture: Int, from restart: Int) -> Bool {
        idle.contains { $0.fed.map { $0.restart == restart && $0.position >= picture } ?? false }
    }

    /// Returns the cost of a plan's targets from a decoder's position, or else from their restart.
    func remainingCost(of plan: FeedPlan, targets: [Int]) -> Int {
        idle.compactMap { OpenDecoderPool.rest(of: plan, targets: targets, on: $0).map(cost) }.min() ?? cost(plan.feeds)
    }

    /// Returns whether a decoder was fed everything that a plan's targets need.
    func holds(_ plan: FeedPlan, targets: [Int]) -> Bool {
        idle.contains { OpenDecoderPool.rest(of: plan, targets: targets, on: $0)?.isEmpty == true }
    }

    /// Returns the packets that a decoder must still be fed for a plan's targets; `nil` if it cannot continue to them
    /// from its position.
    private static func rest(of plan: FeedPlan, targets: [Int], on decoder: OpenDecoder) -> [Feed]? {
        guard let fed = decoder.fed, fed.restart == plan.plan.restart, decoder.isClean else { return nil }
        return fed.rest(of: plan.feeds, targets: targets, in: plan.table)
    }
}
