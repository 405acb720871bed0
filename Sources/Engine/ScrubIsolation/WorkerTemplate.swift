internal import CScrubSandbox
internal import Glibc
internal import ScrubBase

/// A copy of this process from before it read anything, from which workers are copied.
///
/// Nearly all of a worker's start is spent in the loader, for the dependencies of libavformat: about 20 ms of processor
/// time. A copy already has them and takes 1 ms. It has only the data that this process had at that time, which is
/// none, because command line and environment are overwritten. It also has this process's memory layout, unlike a new
/// program.
///
/// Ends with the process, or with its last reference. Thread safety: safe from any thread.
package final class WorkerTemplate: Sendable {
    /// The link; one request at a time.
    private let link: Locked<Int32>

    /// Creates the template, if this process still has only one thread.
    ///
    /// Create it first in a program. It lives as long as the thread that created it.
    ///
    /// - Parameter work: the work of each copy, called with its parent's process ID and the maximum size of its address
    ///   space. Its socket is descriptor 3, and it does not return.
    package init?(_ work: @convention(c) (Int32, UInt64) -> Void) {
        let link = scrub_template_start(work)
        guard link >= 0 else { return nil }
        self.link = Locked(link)
    }

    deinit { link.withLock { _ = close($0) } }

    /// Starts a worker.
    ///
    /// - Returns: its socket and its process ID.
    func copy(addressSpace: UInt64) throws(WorkerFailure) -> (socket: Int32, process: Int32) {
        let (status, socket, process) = link.withLock { link -> (Int32, Int32, Int32) in
            var (socket, process): (Int32, Int32) = (-1, 0)
            return (unsafe scrub_template_copy(link, addressSpace, &socket, &process), socket, process)
        }
        guard status == 0 else {
            throw .unavailable(unsafe "a worker cannot be created: \(String(cString: strerror(-status)))")
        }
        return (socket, process)
    }

    /// Ends a worker.
    ///
    /// - Returns: its exit status from `waitpid`; `nil` if it is unknown.
    func end(_ process: Int32) -> Int32? {
        link.withLock { link in
            var how: Int32 = 0
            return unsafe scrub_template_end(link, process, &how) == 0 ? how : nil
        }
    }

    /// Returns whether the command line contains any of some words, without copying it. Memory that this process has
    /// copied before a template is created is in each worker's memory.
    ///
    /// - Parameter words: whole words, or prefixes followed by an asterisk.
    package static func isAsked(for words: [StaticString]) -> Bool {
        guard var place = unsafe scrub_own_words() else { return false }
        unsafe place += 1
        // The list ends with a null pointer, as made by the kernel.
        while let word = unsafe place.pointee {
            for wanted in words where unsafe isSame(word, wanted) { return true }
            unsafe place += 1
        }
        return false
    }

    private static func isSame(_ word: UnsafePointer<CChar>, _ wanted: StaticString) -> Bool {
        wanted.withUTF8Buffer { wanted in
            let isBeginning = unsafe wanted.last == UInt8(ascii: "*")
            let count = isBeginning ? wanted.count - 1 : wanted.count
            for i in 0..<count where unsafe UInt8(bitPattern: word[i]) != wanted[i] { return false }
            return unsafe isBeginning || word[count] == 0
        }
    }
}
