/// The resources that players, sessions and generators share: decoders, and bytes of decoded pictures.
///
/// An app makes one and gives it to everything that decodes. All pictures count against one number of bytes: decoders'
/// own, kept and prefetched ones, those on their way, and those that the app holds. All open decoders count against one
/// number. If there is not enough for all, pictures for players and sessions go before requests of generators, and
/// those before pictures decoded ahead. Kept pictures are released for present needs.
///
/// ```swift
/// let resources = PlaybackResources(byteCount: 512 << 20, decoderCount: 4)
/// let player = try Player([item], resources: resources)
/// let session = try ScrubSession(video, resources: resources)
/// let generator = try FrameGenerator(video, resources: resources)
/// ```
///
/// dav1d keeps AV1 pictures in memory of its own, at most ten for each decoder, which is not counted.
///
/// Thread safety: safe everywhere.
public struct PlaybackResources: Sendable {
    /// The decoders that may be open at a time. Default 4.
    public let decoders: DecoderPool
    /// The bytes of all pictures; `nil` for the own limits of each that decodes only.
    public let budget: ScrubBudget?

    /// Makes resources of their own, with both limits.
    ///
    /// - Parameters:
    ///   - byteCount: the most bytes of all decoded pictures together.
    ///   - decoderCount: the most decoders that are open at a time. Default 4.
    /// - Precondition: both are 1 or more.
    public init(byteCount: Int, decoderCount: Int = 4) {
        self.init(decoders: DecoderPool(limit: decoderCount), budget: ScrubBudget(byteLimit: byteCount))
    }

    /// Makes resources of a pool and a budget.
    public init(decoders: DecoderPool = DecoderPool(limit: 4), budget: ScrubBudget? = nil) {
        (self.decoders, self.budget) = (decoders, budget)
    }

    /// Those of players that say nothing else: four decoders for the whole process.
    public static let shared = PlaybackResources()
}
