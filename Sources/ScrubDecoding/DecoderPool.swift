internal import Bitstream
internal import FileIO
internal import LibAV
internal import ScrubBase
internal import ScrubIndex

/// A few decoders that stay open, and the choice of the cheapest one for a request.
///
/// Use from one thread at a time.
struct DecoderPool {
    /// What a pool may use.
    struct Settings: Sendable {
        /// Decoders that stay open.
        var limit: Int
        var threadCount: Int
        var allocator: FrameAllocator
        /// The build of x264 that made the stream, for the decoders that are opened.
        var x264Build: Int?
    }

    private let index: FrameIndex
    var settings: Settings
    private var idle: [WarmDecoder] = []
    private var clock = 0

    init(index: FrameIndex, settings: Settings) {
        self.index = index
        self.settings = settings
        frameByteCount = DecoderPool.estimatedBytes(index.facts.descriptions[0])
    }

    init(index: FrameIndex, limit: Int, threadCount: Int) {
        // Enough in reserve that a run from one restart to the next does not ask the system for every picture.
        let allocator = FrameAllocator(
            reserveLimit: 4 * DecoderPool.estimatedBytes(index.facts.descriptions[0]))
        self.init(
            index: index,
            settings: Settings(limit: max(1, limit), threadCount: max(1, threadCount), allocator: allocator))
    }

    var allocator: FrameAllocator { settings.allocator }

    /// The settings for a pool of one decoder on one thread, in the same memory.
    func forWorkers() -> Settings {
        var copy = settings
        (copy.limit, copy.threadCount) = (1, 1)
        return copy
    }

    /// About the bytes of one decoded picture.
    let frameByteCount: Int

    private static func estimatedBytes(_ description: CodecDescription) -> Int {
        let (width, height) = (Int(max(16, description.width)), Int(max(16, description.height)))
        // Containers that don't tell the format hold 4:2:0 with 8 bits, mostly.
        return max(
            width * height * 3 / 2,
            PixelFormat(rawValue: description.pixelFormat).byteCount(width: width, height: height))
    }

    // A decoder that met trouble is not put back: libavcodec's flush leaves traces of damage behind.

    /// The decoder that reaches a plan's targets with the least work, and the first of the plan's feeds that it needs.
    /// It is out of the pool until it is put back.
    mutating func take(for plan: FeedPlan, targets: [Int]) throws(ScrubError) -> (WarmDecoder, first: Int) {
        clock += 1
        let total = cost(plan.feeds[...])
        var best: (place: Int, first: Int, cost: Int)?
        for (place, decoder) in idle.enumerated() {
            guard let first = decoder.continuation(of: plan, targets: targets) else { continue }
            let rest = cost(plan.feeds[first...])
            if rest < min(total, best?.cost ?? .max) { best = (place, first, rest) }
        }
        if let best { return (idle.remove(at: best.place), best.first) }
        let decoder = try restartable(for: plan.plan.restart)
        decoder.begin(plan)
        return (decoder, 0)
    }

    /// What it costs to decode some packets, in bytes: the bits of a picture cost time, and so does its area.
    private func cost(_ feeds: ArraySlice<Feed>) -> Int {
        let area = frameByteCount / 256
        return feeds.reduce(0) { $0 + area + Int(index.pictures.sizes[$1.picture]) }
    }

    /// A decoder that may forget where it stands: one that stands nowhere, a new one, or the one unused for longest.
    private mutating func restartable(for restart: Int) throws(ScrubError) -> WarmDecoder {
        if let place = idle.firstIndex(where: { $0.restart == nil }) { return idle.remove(at: place) }
        if idle.count >= settings.limit, let place = idle.indices.min(by: { worth(idle[$0]) < worth(idle[$1]) }) {
            return idle.remove(at: place)
        }
        var options = Decoder.Options()
        options.reorderDelay = index.reorderDelay
        options.x264Build = settings.x264Build
        options.threading = threading
        return try WarmDecoder(
            index: index, options: options, description: index.pictures.description(of: restart), allocator: allocator)
    }

    /// What a decoder's place promises: the pictures that it saves, counted from the restart or from the next decoder
    /// before it, times the pictures that it can save them for.
    private func worth(_ decoder: WarmDecoder) -> Int {
        guard let restart = decoder.restart else { return 0 }
        let end = index.nextRestart(after: decoder.position) ?? index.pictures.count
        let nearest = idle.filter { $0.restart == restart && $0.position < decoder.position }.map(\.position).max()
        return (end - decoder.position) * (decoder.position - (nearest ?? restart))
    }

    private var threading: Decoder.Threading {
        let threadCount = settings.threadCount
        if threadCount == 1 { return .single }
        return index.facts.descriptions[0].isIntraOnly ? .slices(threadCount) : .frames(threadCount)
    }

    /// Puts a decoder back.
    mutating func put(_ decoder: WarmDecoder) {
        decoder.used = clock
        idle.append(decoder)
    }

    /// Where in a plan's feeds the best standing decoder would go on.
    func continuation(of plan: FeedPlan, targets: [Int]) -> Int? {
        idle.compactMap { $0.continuation(of: plan, targets: targets) }.max()
    }
}
