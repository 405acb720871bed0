/// Decoders and memory for decoded pictures, shared by players, sessions and generators.
///
/// An app creates one value and passes it to every object that decodes. All pictures count toward one byte limit: those
/// in the decoders, cached and prefetched pictures, those in transit from a decoder, and those that the app holds. All
/// open decoders count toward one limit. If resources are scarce, pictures for players and sessions take priority over
/// generator requests, which take priority over decoding ahead. Cached pictures are evicted when current work needs the
/// memory.
///
/// ```swift
/// let resources = DecodingResources(byteLimit: 512 << 20, decoderLimit: 4)
/// let player = try Player([item], resources: resources)
/// let session = try ScrubSession(video, resources: resources)
/// let generator = try FrameGenerator(video, resources: resources)
/// ```
///
/// An object that needs a decoder waits in line, and never fails because of ``decoderLimit``. If an object is waiting,
/// idle decoders are closed to make room for its decoder, and a decoder in use is returned after a few pictures. As a
/// result, all videos make progress even if there are fewer decoders than videos.
///
/// The byte limit is never exceeded. For each object, the resources reserve the maximum that one decoder may need, plus
/// two pictures for callers. Pictures that callers hold (``heldByteCount``) can take memory from the cache, but never
/// from these reservations. When held pictures have taken up all other memory, a session reports
/// ``ScrubSession/Update/Stage/awaitingMemory`` until callers release pictures, and a generator throws `unavailable`.
/// Each object may use an equal share of the memory for its cache, so that no object can evict the frames around
/// another object's position.
///
/// Memory that dav1d allocates itself, at most ten AV1 pictures per decoder, is not counted.
///
/// Thread safety: safe from any thread. Copies share the same limits.
public struct DecodingResources: Sendable {
    /// The pool of decoders; `nil` for ``automatic``.
    package let decoders: DecoderPool?
    /// The memory budget for all pictures; `nil` if each decoding object has a separate limit.
    package let budget: ScrubBudget?

    /// Resources that are not shared. Each session, generator and series has its own decoders, limited by its options.
    /// A session has 256 MiB of memory for all its pictures. By default, each generator and each series caches up to
    /// 256 MiB of pictures (``FrameReader/Options/cacheByteLimit``). All players in the process share four decoders.
    public static let automatic = DecodingResources(decoders: nil, budget: nil)

    /// Creates resources with the given limits.
    ///
    /// - Parameters:
    ///   - byteLimit: the maximum total size of all decoded pictures in bytes.
    ///   - decoderLimit: the maximum number of open decoders, including those that are closing. Default 4.
    /// - Precondition: both limits are 1 or more.
    public init(byteLimit: Int, decoderLimit: Int = 4) {
        self.init(decoders: DecoderPool(limit: decoderLimit), budget: ScrubBudget(byteLimit: byteLimit))
    }

    /// Creates resources from a pool and a budget.
    package init(decoders: DecoderPool? = DecoderPool(limit: 4), budget: ScrubBudget? = nil) {
        (self.decoders, self.budget) = (decoders, budget)
    }

    /// The decoders of players without other resources: four for the whole process.
    package static let processDecoders = DecoderPool(limit: 4)

    /// The pool of decoders, which is the process's for ``automatic``.
    package var decoderPool: DecoderPool { decoders ?? DecodingResources.processDecoders }

    /// Whether these are ``automatic``, where each object decides.
    package var isAutomatic: Bool { decoders == nil && budget == nil }

    /// The maximum total size of all decoded pictures in bytes; `nil` for ``automatic``.
    public var byteLimit: Int? { budget?.byteLimit }
    /// The maximum number of open decoders; `nil` for ``automatic``.
    public var decoderLimit: Int? { decoders?.limit }
    /// The number of bytes in use; 0 for ``automatic``.
    public var usedByteCount: Int { budget?.usedByteCount ?? 0 }
    /// The peak value of ``usedByteCount``.
    public var peakByteCount: Int { budget?.peakByteCount ?? 0 }
    /// The size in bytes of the pictures that callers hold; 0 for ``automatic``. Pictures in a player's queue are not
    /// counted until they are handed out.
    public var heldByteCount: Int { budget?.heldByteCount ?? 0 }
    /// The number of decoders that are open, about to open, or still closing; 0 for ``automatic``.
    public var openDecoderCount: Int { decoders?.attachedCount ?? 0 }
    /// The peak value of ``openDecoderCount``.
    public var peakDecoderCount: Int { decoders?.peakAttachedCount ?? 0 }
    /// The number of objects that are waiting for a decoder; 0 for ``automatic``.
    public var waitingCount: Int { decoders?.waitingCount ?? 0 }
}
