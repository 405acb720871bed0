#if compiler(>=6.3)
internal import Glibc
internal import Synchronization
internal import ScrubBase

/// Notices a child of the process that opened a video.
///
/// A child has only one thread. A call that waits for one of the library's threads would wait forever, and locks that
/// another thread held at the time of the fork stay locked. Therefore, no call touches anything else or takes a lock
/// before this has confirmed that the process is the original one.
enum ForkWatch {
    /// The process that first opened a video; 0 before that.
    private static let owner = Atomic<Int32>(0)

    /// - Throws: ``ForkedProcess``.
    static func check() throws {
        let owner = owner.load(ordering: .relaxed)
        if owner != 0, owner != getpid() { throw ForkedProcess() }
    }

    /// Records that the library's threads are in this process.
    static func begin() { _ = owner.compareExchange(expected: 0, desired: getpid(), ordering: .relaxed) }
}
#endif
