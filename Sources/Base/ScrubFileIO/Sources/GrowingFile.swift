internal import Glibc
package import ScrubBase
internal import Synchronization

/// A medium that is being written, as it is from one moment to the next.
package protocol GrowingMedium: Sendable {
    /// The medium's name in errors.
    var path: String { get }

    /// Returns the bytes that are there now. Earlier snapshots keep their length.
    ///
    /// - Throws: if it no longer exists, or is another one.
    func snapshot() throws(ScrubError) -> MediaSource

    /// The time since the last write, by the system's clock and the file's; zero if it is not known.
    var idleTime: Duration { get }

    /// Whether its writer has closed it and it was not opened for writing since, as far as is known.
    var isClosed: Bool { get }
}

/// A file that is being written.
///
/// Thread safety: safe from any thread.
package final class GrowingFile: GrowingMedium {
    private let file: FileSource
    private let watch: CloseWatch?

    /// Opens a file.
    ///
    /// - Throws: `noInput` without such a file.
    package init(path: String) throws(ScrubError) {
        file = try FileSource(path: path)
        watch = CloseWatch(path: file.descriptorPath)
    }

    package var path: String { file.path }
    package var isClosed: Bool { watch?.isClosed ?? false }

    package var idleTime: Duration {
        guard let now = try? file.again() else { return .zero }
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let present = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        return .nanoseconds(max(0, present &- now.identity.modified))
    }

    package func snapshot() throws(ScrubError) -> MediaSource {
        guard let isSame = file.isNamedStill else {
            throw ScrubError(
                .noInput, "was removed while it was followed", file: path,
                advice: "follow the file that has its place now")
        }
        guard isSame else {
            throw ScrubError(
                .badData, "was replaced by another file while it was followed", file: path, advice: "open it again")
        }
        return MediaSource(try file.again(), isBeingWritten: true)
    }
}

/// Hears of writers that close a file, where the system tells (`inotify`): not on network file systems.
///
/// Thread safety: safe from any thread.
package final class CloseWatch: Sendable {
    private let descriptor: Int32
    private let hasClosed = Atomic(false)

    /// - Returns: nil when the system does not tell.
    package init?(path: String) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        // `deinit` closes it when there is no watch.
        guard unsafe inotify_add_watch(descriptor, path, UInt32(IN_CLOSE_WRITE | IN_MODIFY)) >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether a writer has closed the file, and it was not written since.
    package var isClosed: Bool {
        var events = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(descriptor, &events, events.count)
            guard count > 0 else { return hasClosed.load(ordering: .relaxed) }
            var place = 0
            while place + MemoryLayout<inotify_event>.size <= count {
                let event = unsafe events.withUnsafeBytes {
                    unsafe $0.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
                }
                hasClosed.store(event.mask & UInt32(IN_CLOSE_WRITE) != 0, ordering: .relaxed)
                place += MemoryLayout<inotify_event>.size + Int(event.len)
            }
        }
    }
}
