internal import CScrubSandbox
internal import Glibc
internal import ScrubBase

/// A confined process that does risky work for this one. It has only one socket, and the memory and descriptor that it
/// is given.
///
/// The process ends with the last reference. Use from one thread at a time.
package final class Worker {
    /// This process's end of the socket.
    package let link: WorkerLink
    private let process: pid_t
    private let source: WorkerSource
    private let limits: MediaLimits
    private var isReady = false
    private var hasEnded = false

    /// Starts a worker without waiting until it is ready.
    ///
    /// PR_SET_PDEATHSIG applies to the thread that starts the process, so call it on the thread of ``WorkerPool``.
    init(_ source: WorkerSource, limits: MediaLimits) throws(WorkerFailure) {
        let (decoder, picture) = (limits.maximumDecoderByteCount, limits.maximumPictureByteCount)
        let space = UInt64(clamping: decoder) &+ UInt64(clamping: picture) &+ 3 << 30
        let (socket, child) = try source.start(addressSpace: space)
        (link, process, self.source, self.limits) = (
            WorkerLink(socket: socket, takesDescriptors: false), child, source, limits
        )
    }

    deinit { _ = end() }

    /// Ends the worker.
    ///
    /// - Returns: the signal that ended it, if it was not sent by this method.
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
            // A worker that is waiting for a message reads; one that does not read would block this thread forever.
            try link.send(kind, payload, descriptor: descriptor, milliseconds: patience)
        }
    }

    /// Waits for an answer, at most for the time limit of a picture.
    package func receive() throws(WorkerFailure) -> WorkerLink.Message {
        try failing { () throws(WorkerFailure) in
            try link.receive(most: limits.maximumCodedPictureByteCount + 1 << 20, milliseconds: patience) {
                () throws(WorkerFailure) in try self.checkThreads()
            }
        }
    }

    /// The maximum time for an answer.
    package var pictureTime: Duration { limits.maximumPictureTime }
    /// The same in milliseconds.
    private var patience: Int { Int(clamping: limits.maximumPictureTime.wholeNanoseconds / 1_000_000 + 1) }

    /// Checks for more threads than any decoder creates: they use kernel memory that no limit of the process covers.
    ///
    /// - Throws: an error if there are too many. No error is thrown if the system does not report the number.
    func checkThreads() throws(WorkerFailure) {
        let count = ProcessFacts.threadCount(of: process) ?? 0
        guard count <= 64 + 4 * Processors.count else { throw .malformed("too many threads: \(count)") }
    }

    /// Ends the worker because of a failure.
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

    /// Waits until the worker is confined.
    func waitUntilReady() throws(WorkerFailure) {
        guard !isReady else { return }
        let first: WorkerLink.Message
        do throws(WorkerFailure) {
            first = try link.receive(most: 1 << 16, milliseconds: 60_000)
        } catch {
            throw .unavailable("the worker's program did not start, or cannot act as a worker")
        }
        guard first.kind == WorkerHandshake.ready else {
            throw .unavailable(String(decoding: first.payload.prefix(500), as: UTF8.self))
        }
        isReady = true
    }
}

/// The first messages of a worker.
package enum WorkerHandshake {
    /// The worker is confined.
    package static let ready: UInt8 = 200
    /// The worker cannot be confined; with the reason.
    package static let refused: UInt8 = 201
}
