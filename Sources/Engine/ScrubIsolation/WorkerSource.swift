internal import CScrubSandbox
internal import Glibc

/// The source of workers.
package enum WorkerSource: Sendable {
    /// A new process for each worker.
    case program(WorkerProgram)
    /// Copies of this process.
    case template(WorkerTemplate)

    /// Starts a worker.
    ///
    /// - Returns: its socket and its process ID.
    func start(addressSpace: UInt64) throws(WorkerFailure) -> (socket: Int32, process: Int32) {
        switch self {
        case .program(let program): return try program.start(addressSpace: addressSpace)
        case .template(let template): return try template.copy(addressSpace: addressSpace)
        }
    }

    /// Ends a worker.
    ///
    /// - Returns: its exit status from `waitpid`; `nil` if it is unknown.
    func end(_ process: Int32) -> Int32? {
        switch self {
        case .program:
            kill(process, SIGKILL)
            var how: Int32 = 0
            return unsafe scrub_worker_wait(process, &how) == 0 ? how : nil
        case .template(let template): return template.end(process)
        }
    }
}

/// The program that is started as a worker.
package struct WorkerProgram: Sendable, Hashable {
    /// The path of the program.
    package var path: String
    /// The arguments, the first of which is the program's name.
    package var words: [String]

    package init(path: String, words: [String]) { (self.path, self.words) = (path, words) }

    /// The argument that makes programs of this package a worker.
    package static let verb = "decode-worker"

    fileprivate func start(addressSpace: UInt64) throws(WorkerFailure) -> (socket: Int32, process: Int32) {
        var (socket, child): (Int32, pid_t) = (-1, 0)
        let words = words + ["\(getpid())", "\(addressSpace)"]
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        let status = unsafe scrub_worker_start(path, &pointers, &socket, &child)
        guard status == 0 else {
            throw .unavailable(unsafe "\(path) cannot be started: \(String(cString: strerror(-status)))")
        }
        return (socket, child)
    }
}
