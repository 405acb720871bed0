#if compiler(>=6.3)
internal import CScrub
internal import ScrubBase

/// How far a call is. Set on the thread that works, read on the one that tells it.
///
/// Thread safety: safe from any thread.
final class CallProgress: Sendable {
    private struct State {
        var done: Int64 = 0
        var total: Int64 = 0
        /// Whether something was done since it was told last.
        var isNews = true
        var hasEnded = false
    }

    /// The longest time between two looks at the caller's wish: a tenth of a second.
    private static let mostNanoseconds: Int64 = 100_000_000

    private let bell = TimedBell(State())

    /// Says how much is done. A total of 0 is one that is not known.
    func set(_ done: Int, of total: Int) {
        bell.ring { ($0.done, $0.total, $0.isNews) = (Int64(done), Int64(total), true) }
    }

    fileprivate func end() { bell.ring { $0.hasEnded = true } }

    /// Tells it on this thread again and again, until the work has ended.
    fileprivate func tell(_ body: (_ done: Int64, _ total: Int64) -> Void) {
        while true {
            var hasSlept = false
            let told: (done: Int64, total: Int64)? = bell.wait { state in
                if state.isNews || hasSlept {
                    state.isNews = false
                    // What was done last is told also after the end.
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

/// The function of a program's that is told how far calls are, and that can end them.
///
/// `@unchecked Sendable`: called only on the threads of the program's own calls.
@safe struct ProgressFunction: @unchecked Sendable {
    private let function: @convention(c) (UnsafeMutableRawPointer?, Int64, Int64) -> Int32
    private let context: UnsafeMutableRawPointer?

    /// The videos whose functions run on this thread: a call with one of them would wait for itself.
    @TaskLocal static var running: [ObjectIdentifier] = []

    init?(_ function: scrub_progress?, _ context: UnsafeMutableRawPointer?) {
        guard let function = unsafe function else { return nil }
        unsafe (self.function, self.context) = (function, context)
    }

    /// Does some work on another thread while this one, the caller's, tells how far it is.
    ///
    /// - Parameters:
    ///   - video: the video that the call is about, if it is open.
    ///   - cancel: ends the work, which throws then.
    ///   - work: uses memory of the caller's, who waits here until it has ended.
    /// - Throws: the errors of `work`; ``CallCancelled`` where the function ended it.
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

/// `@unchecked Sendable`: run by one thread, which its owner waits for.
@unsafe private struct BorrowedWork: @unchecked Sendable {
    let run: (CallProgress) throws -> Void
}
#endif
