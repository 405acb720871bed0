internal import CScrubSandbox
internal import Glibc
internal import ScrubBase

/// A copy of this process as it was before it had read anything, from which workers are copied.
///
/// Nearly all of a worker's start is the loader's, for the libraries behind libavformat: some 20 ms of a processor. A
/// copy has them already and takes one. It has only this process's knowledge from that time, which is nothing: command
/// line and environment are overwritten. It has this process's layout of memory, which a new program has not.
///
/// Ends with the process, or with its last reference. Thread safety: safe from any thread.
package final class WorkerTemplate: Sendable {
    /// One order at a time.
    private let link: Locked<Int32>

    /// Makes it, if this process has one thread yet.
    ///
    /// Call it first of all in a program: it stands for as long as the thread that made it.
    ///
    /// - Parameter work: the work of each copy, given its parent's number and the memory that it may address. It has
    ///   its socket as descriptor 3 and does not return.
    package init?(_ work: @convention(c) (Int32, UInt64) -> Void) {
        let link = scrub_template_start(work)
        guard link >= 0 else { return nil }
        self.link = Locked(link)
    }

    deinit { link.withLock { _ = close($0) } }

    /// Makes a worker.
    ///
    /// - Returns: its socket and its number.
    func copy(addressSpace: UInt64) throws(WorkerFailure) -> (socket: Int32, process: Int32) {
        let (status, socket, process) = link.withLock { link -> (Int32, Int32, Int32) in
            var (socket, process): (Int32, Int32) = (-1, 0)
            return (unsafe scrub_template_copy(link, addressSpace, &socket, &process), socket, process)
        }
        guard status == 0 else {
            throw .unavailable(unsafe "no worker can be made: \(String(cString: strerror(-status)))")
        }
        return (socket, process)
    }

    /// Ends a worker.
    ///
    /// - Returns: its end, as `waitpid` gives it; `nil` if that is not known.
    func end(_ process: Int32) -> Int32? {
        link.withLock { link in
            var how: Int32 = 0
            return unsafe scrub_template_end(link, process, &how) == 0 ? how : nil
        }
    }

    /// Whether any word of the command line is so, without a copy of it. Memory that this process has copied before a
    /// template is made is in each worker's memory.
    ///
    /// - Parameter words: whole words, or beginnings of words with a star at their end.
    package static func isAsked(for words: [StaticString]) -> Bool {
        guard var place = unsafe scrub_own_words() else { return false }
        unsafe place += 1
        // The list ends with a null pointer, as the kernel made it.
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
