internal import CScrubSparseFiles
internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A watch on the names in folders, if the kernel reports changes (inotify(7)). Changes made by other machines are not
/// detected.
///
/// Subfolders of a watched folder are not watched. A watch follows the folder itself, even if it is renamed.
///
/// Memory: the kernel keeps about a KiB for each folder, and up to `fs.inotify.max_queued_events` events. Thread
/// safety: safe from any thread; each event is returned once. The watch is closed with the last reference.
package final class FolderWatch: Sendable {
    /// A change in a watched folder.
    package struct Event: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// A new name appeared, a writer closed a file, or a file was moved here.
            case came
            /// A name was removed.
            case went
            /// The folder itself was removed or renamed, or is no longer watched.
            case lost
            /// Events were dropped: everything may have changed.
            case overflowed
        }

        package var kind: Kind
        /// The number of the folder's watch; -1 for all folders.
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
        /// The number of the watch. A folder that is already watched keeps its number.
        case watched(Int32)
        /// The user has reached the maximum number of watches (`fs.inotify.max_user_watches`).
        case isFull
        /// The path is no longer a folder or cannot be read.
        case isGone
    }

    private let descriptor: Int32

    /// Creates a watch.
    ///
    /// - Throws: `unavailable` if the user has reached the maximum number of watches.
    package init() throws(ScrubError) {
        let opened = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard opened >= 0 else {
            let number = errno
            throw ScrubError(
                system: Errno(rawValue: number), .unavailable, doing: "folders cannot be watched",
                advice: number == EMFILE
                    ? "raise fs.inotify.max_user_instances with sysctl, or close other programs that watch folders"
                    : nil)
        }
        // Set last: `deinit` also runs if an initializer throws after this.
        descriptor = opened
    }

    deinit { close(descriptor) }

    private static let mask = UInt32(
        IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR | IN_EXCL_UNLINK)

    /// Watches a folder. Links are followed.
    package func add(_ path: String) -> Answer {
        let number = unsafe FilePath(systemName: path).withPlatformString {
            unsafe inotify_add_watch(descriptor, $0, FolderWatch.mask)
        }
        guard number < 0 else { return .watched(number) }
        return errno == ENOSPC || errno == ENOMEM ? .isFull : .isGone
    }

    /// Ends a watch. Ending it again is not an error.
    package func remove(_ watch: Int32) { _ = inotify_rm_watch(descriptor, watch) }

    /// Returns the events that have occurred, oldest first, without waiting.
    ///
    /// - Returns: as many events as fit in 64 KiB, more than a thousand; an empty array if there are none.
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
            // The name is padded with zeros.
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

    /// Waits until there are events, the wake event is signaled, or the time has elapsed. Consumes the signals.
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
    /// Returns whether the kernel reports every change in a folder, which it does not if the folder is on another
    /// machine or behind FUSE.
    package static func hearsOfChanges(_ path: String) -> Bool {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return false }
        defer { close(opened) }
        return scrub_hears_of_changes(opened) == 1
    }
}
