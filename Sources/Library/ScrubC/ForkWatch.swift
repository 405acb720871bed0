#if compiler(>=6.3)
internal import Glibc
internal import Synchronization
internal import ScrubBase

/// Notices a child of the process that opened a video.
///
/// A child has one thread only. A call that waits for a thread of the library's would wait for ever, and locks that
/// another thread held at the time of the fork stay closed. So nothing else is touched, and no lock taken, before this
/// has said that the process is the one that began.
enum ForkWatch {
    /// The process that opened a video first; 0 before.
    private static let owner = Atomic<Int32>(0)

    /// - Throws: ``ForkedProcess``.
    static func check() throws {
        let owner = owner.load(ordering: .relaxed)
        if owner != 0, owner != getpid() { throw ForkedProcess() }
    }

    /// Records that this process has the library's threads.
    static func begin() { _ = owner.compareExchange(expected: 0, desired: getpid(), ordering: .relaxed) }
}
#endif
