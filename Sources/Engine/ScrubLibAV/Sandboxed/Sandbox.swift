internal import CScrubShims
package import ScrubIsolation
package import ScrubBase

/// Whether libavformat and libavcodec run in separate processes.
///
/// This applies to the whole process rather than to one file, so that no code that opens a file or decoder can bypass
/// it.
package enum Sandbox {
    private static let standing = Locked<WorkerPool?>(nil)

    /// The source of workers; `nil` without a sandbox.
    package static var pool: WorkerPool? { standing.withLock { $0 } }

    /// Returns the source of workers for a file; `nil` for bytes that this program made itself.
    static func pool(for origin: UInt64) -> WorkerPool? { origin == SourceOrigin.ownWork ? nil : pool }

    /// Uses workers from now on. Open files and decoders are not affected.
    ///
    /// - Throws: `inputOutput` if the system cannot create a thread.
    package static func begin(_ source: WorkerSource, limits: MediaLimits) throws(ScrubError) {
        let pool = try WorkerPool(source, limits: limits)
        standing.withLock { $0 = pool }
    }

    /// Waits until the first worker is confined.
    package static func check() throws(AVError) {
        guard let pool else { return }
        do throws(WorkerFailure) { try pool.check() } catch { throw AVError(error) }
    }

    /// Ends the processes that are kept for a file, now that no reader has it open.
    package static func forget(_ origin: UInt64) { pool?.forget(origin) }

    /// Stops using workers. Open files and decoders are not affected.
    package static func end() { standing.withLock { $0 = nil } }

    /// The reason why there was no worker when one was last requested, which a status cannot express.
    static let refusal = Locked("")
}

/// The messages between a program and its worker.
enum Order {
    static let openDecoder: UInt8 = 1
    static let send: UInt8 = 2
    static let sendEnd: UInt8 = 3
    static let receive: UInt8 = 4
    static let flush: UInt8 = 5
    static let showUnrecovered: UInt8 = 6
    static let forgetErrors: UInt8 = 7
    static let expectErrors: UInt8 = 8
    static let close: UInt8 = 9
    static let memory: UInt8 = 10
    static let handOutOnly: UInt8 = 11
    static let openInput: UInt8 = 20
    static let findStreamInfo: UInt8 = 21
    static let streams: UInt8 = 22
    static let describe: UInt8 = 23
    static let cover: UInt8 = 24
    static let select: UInt8 = 25
    static let read: UInt8 = 26
    static let seekByte: UInt8 = 27
    static let seekTime: UInt8 = 28
    /// The worker's answers, and its requests to a source in the meantime.
    static let answer: UInt8 = 100
    static let askRead: UInt8 = 101
    static let askSeek: UInt8 = 102
}

extension AVError {
    /// Creates the error that a worker's failure causes in decoding code.
    init(_ failure: WorkerFailure) {
        if case .unavailable(let reason) = failure { Sandbox.refusal.withLock { $0 = reason } }
        let status: Int =
            switch failure {
            case .ended(signal: 31): SCRUB_ERROR_WORKER_FORBIDDEN
            case .ended: SCRUB_ERROR_WORKER_ENDED
            case .late: SCRUB_ERROR_WORKER_LATE
            case .malformed: SCRUB_ERROR_WORKER_MALFORMED
            case .unavailable: SCRUB_ERROR_WORKER_UNAVAILABLE
            }
        self.init(Int32(status), "worker")
    }
}
