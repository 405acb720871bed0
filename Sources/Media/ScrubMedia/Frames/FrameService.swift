internal import ScrubLibAV
internal import ScrubDecoding

/// For the package's own programs that wait in threads of theirs: ``FrameGenerator``'s engine with a request that
/// blocks.
///
/// Thread safety: safe from any thread that may block.
package final class FrameService: Sendable {
    private let worker: FrameWorker

    /// Returns the bytes of the frames that are decoded ahead, both ways. More in the cache of a service costs more
    /// than it saves: memory that was never touched costs more than most pictures.
    package static func usefulCacheByteCount(for asset: VideoAsset) -> Int {
        // Twice the frames that are prefetched forward at most.
        48 * asset.pictureByteCount
    }

    /// Starts the thread; nothing is decoded yet.
    package init(_ asset: VideoAsset, options: FrameReader.Options = .init()) throws(ScrubError) {
        worker = try FrameWorker(asset, options: options)
    }

    /// Returns the exact frame with a number.
    ///
    /// - Throws: `inputOutput` when reading fails.
    /// - Precondition: the frame exists.
    package func frame(numbered number: Int) throws(ScrubError) -> FrameAnswer {
        do {
            return try frame(numbered: number) { _ in }
        } catch let error as ScrubError {
            throw error
        } catch {
            preconditionFailure("a request that is not cancelled: \(error)")
        }
    }

    /// As ``frame(numbered:)``, for callers that may give up.
    ///
    /// - Parameter register: handed a function that ends the waiting, on any thread and at any time; not called for a
    ///   frame that is kept.
    /// - Throws: also `CancellationError`, when that function was called.
    package func frame(
        numbered number: Int, register: (@escaping @Sendable () -> Void) -> Void
    ) throws -> FrameAnswer {
        worker.asset.frames.require(number)
        let time = worker.asset.time(ofFrame: number)
        if let kept = try worker.kept(number, requestedTime: time) { return kept }
        let reply = Handover<Result<FrameAnswer, any Error>>(capacity: 1)
        let request = FrameWorker.Request(number, time, .exact) { reply.push($0) }
        register { request.cancel() }
        worker.submit(request)
        guard let result = reply.pop() else { preconditionFailure("every request is answered") }
        return try result.get()
    }

    /// The present and the greatest memory of the service's pictures.
    package var memory: PictureMemory { PictureMemory(worker.allocator, worker.cache) }
}

/// A value on its way into the one thread that uses it from then on.
///
/// `@unchecked Sendable`: no other thread touches the value after the thread has begun.
struct Unshared<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
