#if compiler(>=6.3)
internal import CScrub
internal import ScrubBase

/// The progress of a call. The working thread sets it, and the calling thread reports it.
///
/// Thread safety: safe from any thread.
final class CallProgress: Sendable {
    private struct State {
        var done: Int64 = 0
        var total: Int64 = 0
        /// Whether the progress changed since the last report.
        var isNews = true
        var hasEnded = false
    }

    /// The longest time between two calls of the caller's function, so that a call that it ends returns soon.
    private static let mostNanoseconds: Int64 = 25_000_000

    private let bell = TimedBell(State())

    /// Sets the progress. A total of 0 means unknown.
    func set(_ done: Int, of total: Int) {
        bell.ring { ($0.done, $0.total, $0.isNews) = (Int64(done), Int64(total), true) }
    }

    /// Sets the progress, in the work's own units.
    func set(_ progress: WorkProgress) { set(Int(progress.completed), of: Int(progress.total ?? 0)) }

    fileprivate func end() { bell.ring { $0.hasEnded = true } }

    /// Reports the progress on this thread until the work has ended.
    fileprivate func tell(_ body: (_ done: Int64, _ total: Int64) -> Void) {
        while true {
            var hasSlept = false
            let told: (done: Int64, total: Int64)? = bell.wait { state in
                if state.isNews || hasSlept {
                    state.isNews = false
                    // The last progress is reported even after the end.
                    return .done((state.done, state.total))
                }
                if state.hasEnded { return .done(nil) }
                hasSlept = true
                return .sleep(CallProgress.mostNanoseconds)
            }
            guard let told else { return }
            body(told.done, told.total)
        }
    }
}

/// A program's function that receives the progress of calls and can end them.
///
/// `@unchecked Sendable`: called only on the threads of the program's own calls.
@safe struct ProgressFunction: @unchecked Sendable {
    private let function: @convention(c) (UnsafeMutableRawPointer?, Int64, Int64) -> Int32
    private let context: UnsafeMutableRawPointer?

    /// The videos whose functions run on this thread. A call with one of these videos would deadlock.
    @TaskLocal static var running: [ObjectIdentifier] = []

    init?(_ function: scrub_progress?, _ context: UnsafeMutableRawPointer?) {
        guard let function = unsafe function else { return nil }
        unsafe (self.function, self.context) = (function, context)
    }

    /// Runs work on another thread while the calling thread reports its progress.
    ///
    /// - Parameters:
    ///   - video: the video of the call, if it is open.
    ///   - cancel: ends the work, which then throws.
    ///   - work: may use memory of the caller, because this method waits until it has ended.
    /// - Throws: the errors of `work`; `CancellationError` if the function ended it.
    func watch(
        _ video: OpenVideo?, cancel: () -> Void, _ work: (CallProgress) throws -> Void
    ) throws {
        let progress = CallProgress()
        let result = Locked<Result<Void, any Error>?>(nil)
        try withoutActuallyEscaping(work) { work in
            let work = unsafe BorrowedWork(run: work)
            let thread = try DedicatedThread {
                let made = Result { try unsafe work.run(progress) }
                result.withLock { $0 = made }
                progress.end()
            }
            defer { thread.join() }
            var isCancelled = false
            let running = ProgressFunction.running + (video.map { [ObjectIdentifier($0)] } ?? [])
            ProgressFunction.$running.withValue(running) {
                progress.tell { done, total in
                    guard !isCancelled, unsafe function(context, done, total) != 0 else { return }
                    isCancelled = true
                    cancel()
                }
            }
        }
        try result.withLock { $0 }?.get()
    }
}

/// `@unchecked Sendable`: only one thread runs it, and its owner waits for that thread.
@unsafe private struct BorrowedWork: @unchecked Sendable {
    let run: (CallProgress) throws -> Void
}
#endif
