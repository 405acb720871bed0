#if Viewer
internal import Glibc

/// A deliberate wait of a thread.
enum ThreadPause {
    /// Blocks the calling thread.
    static func milliseconds(_ count: UInt32) { usleep(count * 1000) }
}
#endif
