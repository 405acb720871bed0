/// The resources that players, sessions and generators share: decoders, and memory for decoded pictures.
///
/// An app creates one instance and passes it to every object that decodes. All pictures count against one byte limit:
/// the decoders' own, cached and prefetched ones, those in transit, and those that the app holds. All open decoders
/// count against one limit. If resources are short, pictures for players and sessions take priority over generator
/// requests, which take priority over decoding ahead. Cached pictures are evicted when current work needs the memory.
///
/// ```swift
/// let resources = PlaybackResources(byteCount: 512 << 20, decoderCount: 4)
/// let player = try Player([item], resources: resources)
/// let session = try ScrubSession(video, resources: resources)
/// let generator = try FrameGenerator(video, resources: resources)
/// ```
///
/// dav1d's own memory, which holds at most ten AV1 pictures per decoder, is not counted.
///
/// Thread safety: safe from any thread.
public struct PlaybackResources: Sendable {
    /// The pool of decoders. By default, 4 decoders may be open at a time.
    public let decoders: DecoderPool
    /// The memory budget for all pictures; `nil` if each decoding object has a separate limit.
    public let budget: ScrubBudget?

    /// Creates separate resources with the given limits.
    ///
    /// - Parameters:
    ///   - byteCount: the maximum total size of all decoded pictures in bytes.
    ///   - decoderCount: the maximum number of open decoders. Default 4.
    /// - Precondition: both are 1 or more.
    public init(byteCount: Int, decoderCount: Int = 4) {
        self.init(decoders: DecoderPool(limit: decoderCount), budget: ScrubBudget(byteLimit: byteCount))
    }

    /// Creates resources from a pool and a budget.
    public init(decoders: DecoderPool = DecoderPool(limit: 4), budget: ScrubBudget? = nil) {
        (self.decoders, self.budget) = (decoders, budget)
    }

    /// The default resources of players: four decoders for the whole process.
    public static let shared = PlaybackResources()
}
