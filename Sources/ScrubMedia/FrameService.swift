internal import FileIO
package import LibAV
package import ScrubDecoding
internal import ScrubIndex

/// Exact frames from a thread of its own that prefetches: while nobody waits, it decodes what the present movement,
/// forward or back, will ask for next.
///
/// Thread safety: safe from any thread; a request blocks until its frame is there. A frame that is already there is
/// handed out at once, also while the thread decodes others. Don't call it on a thread that must not block.
///
/// Memory: as ``FrameReader``'s; what is prefetched goes into the same cache.
public final class FrameService: Sendable {
    private struct Request: Sendable {
        let number: Int
        let reply: Handover<Result<FrameEngine.Answer, ScrubError>>
        /// Told of a frame that its asker already has, so that the prefetching follows.
        let isAnswered: Bool
    }

    private let asset: VideoAsset
    private let requests = Handover<Request>(capacity: 64)
    private let cache: Locked<FrameCache>
    private let allocator: FrameAllocator
    private let thread: DedicatedThread

    /// Starts the thread; nothing is decoded yet.
    ///
    /// - Throws: `inputOutput` when the system has no thread left.
    public init(_ asset: VideoAsset, options: ReaderOptions = .init()) throws(ScrubError) {
        self.asset = asset
        let requests = requests
        var settings = options.engine
        settings.expectsMovement = true
        let engine = Unshared(
            FrameEngine(asset.seekPlanner(), options: settings))
        cache = engine.value.cache
        allocator = engine.value.allocator
        thread = try DedicatedThread { FrameService.serve(requests, engine.value) }
    }

    deinit {
        requests.close()
        thread.join()
    }

    /// The exact frame with a number.
    ///
    /// - Throws: `inputOutput` when reading fails.
    /// - Precondition: the frame exists.
    public func frame(numbered number: Int) throws(ScrubError) -> FrameAnswer {
        precondition(asset.frames.indices.contains(number), "frame \(number)")
        let picture = Int(asset.index.frames[number])
        let reply = Handover<Result<FrameEngine.Answer, ScrubError>>(capacity: 1)
        if let kept = cache.withLock({ $0[picture] }) {
            // Only news for the prefetching: nobody waits because a queue of them is full.
            requests.offer(Request(number: number, reply: reply, isAnswered: true))
            return FrameAnswer(kept: kept, number, asset)
        }
        requests.push(Request(number: number, reply: reply, isAnswered: false))
        guard let result = reply.pop() else { preconditionFailure("every request is answered") }
        return FrameAnswer(number, try result.get(), asset)
    }

    /// What the service's pictures take now, and took at most.
    public var memory: PictureMemory { PictureMemory(allocator, cache) }

    private static func serve(_ requests: Handover<Request>, _ engine: FrameEngine) {
        var canPrefetch = false
        while true {
            if canPrefetch, !requests.wantsAttention {
                // Trouble ahead is trouble only when somebody asks for the frame.
                canPrefetch = (try? engine.prefetch()) ?? false
                continue
            }
            guard let request = requests.pop() else { return }
            do throws(ScrubError) {
                if request.isAnswered {
                    engine.note(frame: request.number)
                } else {
                    request.reply.push(.success(try engine.frame(request.number)))
                }
            } catch {
                request.reply.push(.failure(error))
            }
            canPrefetch = true
        }
    }
}

/// What decoded pictures take in memory.
public struct PictureMemory: Sendable, Hashable {
    /// Bytes of the pictures that are kept for later requests.
    public let cachedBytes: Int
    /// Bytes of all pictures: those that are kept, the decoders' own, and those that callers hold. dav1d's own
    /// pictures, at most ten for each decoder, are not counted.
    public let liveBytes: Int
    /// The most that was ever allotted at a time.
    public let peakBytes: Int

    package init(_ allocator: FrameAllocator, _ cache: Locked<FrameCache>) {
        cachedBytes = cache.withLock { $0.byteCount }
        liveBytes = allocator.liveBytes
        peakBytes = allocator.peakBytes
    }
}

/// A value on its way into the one thread that uses it from then on.
///
/// `@unchecked Sendable`: nobody else touches the value after the thread has begun.
struct Unshared<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
