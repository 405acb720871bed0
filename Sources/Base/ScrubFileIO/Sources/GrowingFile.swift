internal import Glibc
package import ScrubBase
internal import Synchronization

/// A medium that is being written, at successive moments.
package protocol GrowingMedium: Sendable {
    /// The medium's name in errors.
    var path: String { get }

    /// Returns the currently available bytes. Earlier snapshots do not grow.
    ///
    /// - Throws: an error if the medium no longer exists or was replaced.
    func snapshot() throws(ScrubError) -> MediaSource

    /// The time since the last write, according to the system's clock and the file's; zero if unknown.
    var idleTime: Duration { get }

    /// Whether, as far as is known, the writer has closed the medium and it has not been opened for writing since.
    var isClosed: Bool { get }
}

/// A file that is being written.
///
/// Thread safety: safe from any thread.
package final class GrowingFile: GrowingMedium {
    private let file: FileSource
    private let watch: CloseDetector?

    /// Opens a file.
    ///
    /// - Throws: `noInput` if there is no such file.
    package init(path: String) throws(ScrubError) {
        file = try FileSource(path: path)
        watch = CloseDetector(path: file.descriptorPath)
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
                .noInput, "was removed while it was being followed", file: path,
                advice: "follow the file that replaced it")
        }
        guard isSame else {
            throw ScrubError(
                .badData, "was replaced by another file while it was being followed", file: path,
                advice: "open it again")
        }
        return MediaSource(try file.again(), isBeingWritten: true)
    }
}

/// Detects when writers close a file, if the system reports this (`inotify`), which it does not on network file
/// systems.
///
/// Thread safety: safe from any thread.
package final class CloseDetector: Sendable {
    private let descriptor: Int32
    private let hasClosed = Atomic(false)

    /// Starts to watch a file.
    ///
    /// - Returns: `nil` if the system does not report when files are closed.
    package init?(path: String) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        // `deinit` closes the descriptor if there is no watch.
        guard unsafe inotify_add_watch(descriptor, path, UInt32(IN_CLOSE_WRITE | IN_MODIFY)) >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether a writer has closed the file, with no write since.
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
