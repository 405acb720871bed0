#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubMedia
internal import ScrubBase

/// A video that C has opened, and the service that reads its frames.
///
/// Frames come from a ``FrameService``, which decodes ahead while the caller's thread converts pixels. It creates no
/// Swift tasks, so it does not wait for threads that a caller shares.
///
/// Thread safety: calls wait for each other, except ``cancel()``.
final class OpenVideo: Sendable {
    private struct Calls {
        /// The number of calls so far.
        var count = 0
        var isClosed = false
        /// The calls in progress, by number.
        var underWay: [Int: Cancellation] = [:]
        /// The function that receives the progress of calls.
        var progress: ProgressFunction?
    }

    let asset: VideoAsset
    private let service: FrameService
    /// Whether a call is running.
    private let isTaken = TimedBell(false)
    private let calls = Locked(Calls())
    private let knownRising = Locked<Bool?>(nil)

    init(_ asset: VideoAsset, _ options: FrameReader.Options, _ progress: ProgressFunction?) throws(ScrubError) {
        self.asset = asset
        service = try FrameService(asset, options: options, isFrugal: true)
        set(progress)
    }

    /// Sets the function that receives the progress of calls, from the next call on.
    func set(_ progress: ProgressFunction?) { calls.withLock { $0.progress = progress } }

    /// Ends the calls in progress.
    func cancel() {
        for cancellation in calls.withLock({ Array($0.underWay.values) }) { cancellation.cancel() }
    }

    /// Ends the calls in progress, and all later calls of threads that still have the handle.
    func close() {
        calls.withLock { $0.isClosed = true }
        cancel()
    }

    /// Runs a call exclusively. Work on its thread that checks for cancellation ends after ``cancel()``.
    func alone(_ body: (CallProgress) throws -> Void) throws {
        guard !ProgressFunction.running.contains(ObjectIdentifier(self)) else {
            throw ScrubError(
                .usage, "a scrub_progress function called another function with the same video", file: asset.path,
                advice: "call that function after the current call has returned")
        }
        let cancellation = Cancellation()
        let (call, function) = calls.withLock { calls in
            calls.count += 1
            calls.underWay[calls.count] = cancellation
            if calls.isClosed { cancellation.cancel() }
            return (calls.count, calls.progress)
        }
        defer { calls.withLock { $0.underWay[call] = nil } }
        guard let function else { return try inTurn(cancellation) { try body(CallProgress()) } }
        try function.watch(self, cancel: cancellation.cancel) { progress in
            try inTurn(cancellation) { try body(progress) }
        }
    }

    /// Waits for a call's turn and runs it.
    private func inTurn(_ cancellation: Cancellation, _ body: () throws -> Void) throws {
        let isMine = cancellation.withCancellationHandler(
            onCancel: { [isTaken] in isTaken.ring { _ in } },
            operation: {
                isTaken.wait { isTaken in
                    if cancellation.isCancelled { return .done(false) }
                    guard !isTaken else { return .sleep(nil) }
                    isTaken = true
                    return .done(true)
                }
            })
        guard isMine else { throw CancellationError() }
        defer { isTaken.ring { $0 = false } }
        do {
            try cancellation.perform(body)
        } catch {
            throw cancellation.isCancelled ? CancellationError() : error
        }
    }

    /// Delivers one frame.
    func frame(_ number: Int, _ body: (FrameAnswer) throws -> Void) throws {
        try alone { progress in
            progress.set(0, of: 1)
            try body(try service.frame(numbered: number))
            progress.set(1, of: 1)
        }
    }

    /// Delivers several frames, each once, as they are decoded.
    func frames(_ numbers: [Int], _ body: (FrameAnswer) throws -> Void) throws {
        try alone { progress in
            progress.set(0, of: numbers.count)
            var done = 0
            let failure = try service.frames(numbered: numbers) { answer in
                try body(answer)
                done += 1
                progress.set(done, of: numbers.count)
            }
            if let failure { throw failure }
        }
    }

    /// Whether the container's times increase with the frames' numbers. They do not if a recording restarts, or if the
    /// times are wrong and the order is the decoder's. Computed once.
    var hasRisingTimes: Bool {
        if let known = knownRising.withLock({ $0 }) { return known }
        let frames = asset.frames
        let isRising = zip(frames, frames.dropFirst()).allSatisfy { $0.presentationTime <= $1.presentationTime }
        knownRising.withLock { $0 = isRising }
        return isRising
    }

    /// The number of a frame that exists.
    func number(_ frame: Int64) throws(ScrubError) -> Int { try asset.number(frame) }
}

extension VideoAsset {
    /// Returns the number of a frame that exists.
    ///
    /// - Throws: `usage` for a frame that does not exist.
    func number(_ frame: Int64) throws(ScrubError) -> Int {
        guard let number = Int(exactly: frame), frames.indices.contains(number) else {
            throw ScrubError(
                .usage, "there is no frame \(frame)", file: path, advice: "its frames are 0 to \(frames.count - 1)")
        }
        return number
    }
}

@c @implementation func scrub_close(_ video: OpaquePointer?) {
    // In a forked child, this does not touch anything or wait.
    guard (try? ForkWatch.check()) != nil else { return }
    unsafe Handles.videos.remove(video)?.close()
}

@c @implementation func scrub_set_progress(
    _ video: OpaquePointer?, _ progress: scrub_progress?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        try unsafe Handles.video(video).set(ProgressFunction(progress, context))
    }
}

@c @implementation func scrub_cancel(_ video: OpaquePointer?) {
    guard (try? ForkWatch.check()) != nil else { return }
    unsafe (try? Handles.video(video))?.cancel()
}
#endif
