internal import CScrubSandbox
internal import Glibc
internal import ScrubBase

/// A process that does risky work for this one, locked in. It has only one socket, the memory and the descriptor that
/// it is handed.
///
/// Ended with its last reference. Use from one thread at a time.
package final class Worker {
    /// Its end of the socket.
    package let link: WorkerLink
    private let process: pid_t
    private let source: WorkerSource
    private let limits: MediaLimits
    private var isReady = false
    private var hasEnded = false

    /// Starts one; does not wait until it is ready.
    ///
    /// PR_SET_PDEATHSIG belongs to the thread that starts it, so this is for ``WorkerPool``'s own thread.
    init(_ source: WorkerSource, limits: MediaLimits) throws(WorkerFailure) {
        let space = UInt64(clamping: limits.decoderByteCount) &+ UInt64(clamping: limits.pictureByteCount) &+ 3 << 30
        let (socket, child) = try source.start(addressSpace: space)
        (link, process, self.source, self.limits) = (
            WorkerLink(socket: socket, takesDescriptors: false), child, source, limits
        )
    }

    deinit { _ = end() }

    /// Ends it.
    ///
    /// - Returns: the signal that ended it, if it was not this.
    @discardableResult
    package func end() -> Int32? {
        guard !hasEnded else { return nil }
        hasEnded = true
        guard let how = source.end(process) else { return nil }
        let signal = how & 0x7f
        return signal == 0 || signal == SIGKILL ? nil : signal
    }

    /// Sends a request.
    package func send(_ kind: UInt8, _ payload: [UInt8] = [], descriptor: Int32? = nil) throws(WorkerFailure) {
        try failing { () throws(WorkerFailure) in
            try waitUntilReady()
            // A worker that waits for an answer reads; one that does not would block this thread for ever.
            try link.send(kind, payload, descriptor: descriptor, milliseconds: patience)
        }
    }

    /// Waits for an answer, as long as one picture may take.
    package func receive() throws(WorkerFailure) -> WorkerLink.Message {
        try failing { () throws(WorkerFailure) in
            try link.receive(most: limits.codedPictureByteCount + 1 << 20, milliseconds: patience) {
                () throws(WorkerFailure) in try self.checkThreads()
            }
        }
    }

    /// The longest time that an answer may take.
    package var pictureTime: Duration { limits.pictureTime }
    /// The same in milliseconds.
    private var patience: Int { Int(clamping: limits.pictureTime.wholeNanoseconds / 1_000_000 + 1) }

    /// Threads that no decoder makes: they cost the kernel memory that no limit of the process's counts.
    ///
    /// - Throws: if there are so many. If the system does not tell, there are few.
    func checkThreads() throws(WorkerFailure) {
        let count = ProcessFacts.threadCount(of: process) ?? 0
        guard count <= 64 + 4 * Processors.count else { throw .malformed("\(count) threads") }
    }

    /// Ends it because of a failure.
    package func fail(_ failure: WorkerFailure) -> WorkerFailure {
        let signal = end()
        if case .ended = failure { return .ended(signal: signal) }
        return failure
    }

    private func failing<Result>(_ body: () throws(WorkerFailure) -> Result) throws(WorkerFailure) -> Result {
        guard !hasEnded else { throw .ended(signal: nil) }
        do throws(WorkerFailure) {
            return try body()
        } catch {
            throw fail(error)
        }
    }

    /// Waits until it is locked in.
    func waitUntilReady() throws(WorkerFailure) {
        guard !isReady else { return }
        let first: WorkerLink.Message
        do throws(WorkerFailure) {
            first = try link.receive(most: 1 << 16, milliseconds: 60_000)
        } catch {
            throw .unavailable("its program cannot be a worker, or did not start")
        }
        guard first.kind == WorkerGreeting.ready else {
            throw .unavailable(String(decoding: first.payload.prefix(500), as: UTF8.self))
        }
        isReady = true
    }
}

/// The first words of a worker.
package enum WorkerGreeting {
    /// It is locked in.
    package static let ready: UInt8 = 200
    /// It cannot be; with the reason.
    package static let refused: UInt8 = 201
}
