internal import CScrubSparseFiles
internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A watch on the names in folders, if the kernel reports changes (inotify(7)). Changes by other machines are not seen.
///
/// Folders below a watched one are not watched with it. A watch follows the folder itself, whatever becomes of its
/// name.
///
/// Memory: the kernel keeps about a KiB for each folder, and as many events as `fs.inotify.max_queued_events` says.
/// Thread safety: safe from any thread; events are given once. Closed with the last reference.
package final class FolderWatch: Sendable {
    /// A change in a watched folder.
    package struct Event: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// A name is there that was not, or its file was closed by a writer, or has come from elsewhere.
            case came
            /// A name no longer exists.
            case went
            /// The folder itself is gone, has another name, or is heard of no more.
            case lost
            /// Events were thrown away: everything may have changed.
            case overflowed
        }

        package var kind: Kind
        /// The folder's number; -1 for all folders.
        package var watch: Int32
        /// The name in the folder; empty for the folder itself.
        package var name: String
        package var isFolder: Bool

        package init(_ kind: Kind, watch: Int32, name: String, isFolder: Bool) {
            (self.kind, self.watch, self.name, self.isFolder) = (kind, watch, name, isFolder)
        }
    }

    /// The outcome of a request to watch a folder.
    package enum Answer: Hashable, Sendable {
        /// Its number. A folder that is watched already keeps the one that it has.
        case watched(Int32)
        /// The user has as many watches as he may have (`fs.inotify.max_user_watches`).
        case isFull
        /// It is no longer a folder, or cannot be read.
        case isGone
    }

    private let descriptor: Int32

    /// - Throws: `unavailable` when the user has as many of these as he may have.
    package init() throws(ScrubError) {
        let opened = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard opened >= 0 else {
            let number = errno
            throw ScrubError(
                system: Errno(rawValue: number), .unavailable, doing: "folders cannot be watched",
                advice: number == EMFILE
                    ? "raise fs.inotify.max_user_instances with sysctl, or end other programs that watch folders" : nil)
        }
        // Set last: `deinit` runs also when an initializer throws behind this.
        descriptor = opened
    }

    deinit { close(descriptor) }

    private static let mask = UInt32(
        IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR | IN_EXCL_UNLINK)

    /// Watches a folder; a link is followed.
    package func add(_ path: String) -> Answer {
        let number = unsafe FilePath(systemName: path).withPlatformString {
            unsafe inotify_add_watch(descriptor, $0, FolderWatch.mask)
        }
        guard number < 0 else { return .watched(number) }
        return errno == ENOSPC || errno == ENOMEM ? .isFull : .isGone
    }

    /// Ends a watch. It is not an error if the watch has already ended.
    package func remove(_ watch: Int32) { _ = inotify_rm_watch(descriptor, watch) }

    /// Returns the events that have come, oldest first; never waits.
    ///
    /// - Returns: at most as many as 64 KiB hold, more than a thousand; an empty array if nothing has happened.
    package func events() -> [Event] {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return [] }
        let size = MemoryLayout<inotify_event>.size
        var found: [Event] = []
        var place = 0
        while place + size <= count {
            let head = unsafe bytes.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
            }
            let end = min(count, place + size + Int(head.len))
            // The name is filled up with zeros.
            let name = bytes[place + size..<end].prefix { $0 != 0 }
            if let kind = FolderWatch.kind(head.mask) {
                found.append(
                    Event(
                        kind, watch: head.wd, name: SystemName.text(name), isFolder: head.mask & UInt32(IN_ISDIR) != 0))
            }
            place = end
        }
        return found
    }

    private static func kind(_ mask: UInt32) -> Event.Kind? {
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { return .overflowed }
        if mask & UInt32(IN_IGNORED | IN_UNMOUNT | IN_DELETE_SELF | IN_MOVE_SELF) != 0 { return .lost }
        if mask & UInt32(IN_MOVED_FROM | IN_DELETE) != 0 { return .went }
        if mask & UInt32(IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO) != 0 { return .came }
        return nil
    }

    /// Waits until there are events, the wake event is signaled, or the time is over. Consumes the signals.
    package func wait(or event: WakeEvent, milliseconds: Int) {
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&entries, 2, Int32(clamping: max(0, milliseconds))) > 0 else { return }
        if entries[1].revents != 0 { event.take() }
    }
}

extension Folder {
    /// Whether the kernel hears of every change in a folder: not where it lies on another machine or behind FUSE.
    package static func hearsOfChanges(_ path: String) -> Bool {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return false }
        defer { close(opened) }
        return scrub_hears_of_changes(opened) == 1
    }
}
