internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A kernel file that reports events, such as `/proc/pressure/memory`.
///
/// Thread safety: one thread at a time. The file is closed with the last reference.
package final class PolledFile: Sendable {
    package let path: String
    private let descriptor: FileDescriptor

    /// Opens an existing file.
    ///
    /// - Parameter isWritable: whether it will be written.
    /// - Throws: `noInput` with the system's message.
    package init(path: String, isWritable: Bool) throws(ScrubError) {
        self.path = path
        do {
            descriptor = try FileDescriptor.open(
                FilePath(systemName: path), isWritable ? .readWrite : .readOnly,
                options: [.closeOnExec, .nonBlocking])
        } catch {
            throw ScrubError(system: error, .noInput, doing: "cannot be opened", file: path)
        }
    }

    deinit { try? descriptor.close() }

    /// Writes a line in one call, as the kernel requires for commands.
    ///
    /// - Throws: `inputOutput` with the system's message.
    package func write(_ text: String) throws(ScrubError) {
        do {
            // With a terminating zero, as documented for pressure triggers.
            let bytes = Array(text.utf8) + [0]
            _ = try unsafe bytes.withUnsafeBytes { try unsafe descriptor.write($0) }
        } catch {
            throw ScrubError(system: error, .inputOutput, doing: "cannot be written", file: path)
        }
    }

    /// Returns the file's current text from the beginning; `nil` if it cannot be read.
    ///
    /// - Parameter limit: the maximum number of bytes to read.
    package func text(limit: Int = 4096) -> String? {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        // The kernel returns long texts in pieces.
        while count < limit {
            let read = try? unsafe bytes.withUnsafeMutableBytes { bytes in
                try unsafe descriptor.read(
                    fromAbsoluteOffset: Int64(count), into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
            }
            guard let read else { return nil }
            guard read > 0 else { break }
            count += read
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// The outcome of a wait for a file.
    package enum News: Sendable, Hashable {
        case none
        /// An event is pending (`POLLPRI`).
        case changed
        /// The file was removed, or will not report anything again (`POLLERR` alone or with the file's kind of event).
        case failed
        /// Both at once; which one applies depends on the file.
        case changedOrFailed
    }

    /// Waits until one of several files has an event, the wake event is signaled, or the time has elapsed. Consumes
    /// signals.
    ///
    /// - Parameter milliseconds: the maximum wait; `nil` for no limit.
    /// - Returns: the news for each file, in order.
    package static func wait(for files: [PolledFile], or event: WakeEvent, milliseconds: Int?) -> [News] {
        var entries = files.map { pollfd(fd: $0.descriptor.rawValue, events: Int16(POLLPRI), revents: 0) }
        entries.append(pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0))
        let time = milliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
        // An interrupted call is treated as a timeout: the caller checks its condition and waits again.
        guard unsafe poll(&entries, nfds_t(entries.count), time) > 0 else { return files.map { _ in .none } }
        if entries[files.count].revents != 0 { event.take() }
        return entries.dropLast().map { entry in
            let isChanged = entry.revents & Int16(POLLPRI) != 0
            let isFailed = entry.revents & Int16(POLLERR | POLLNVAL | POLLHUP) != 0
            return isChanged ? (isFailed ? .changedOrFailed : .changed) : (isFailed ? .failed : .none)
        }
    }
}

/// An event that one thread signals and that another waits for along with files. It is a pair of sockets, because
/// Swift's Glibc has neither `eventfd` nor `pipe2`.
///
/// Thread safety: safe from any thread. The event is closed with the last reference.
package final class WakeEvent: Sendable {
    let descriptor: Int32
    private let writing: Int32

    /// Creates an event.
    ///
    /// - Throws: `inputOutput` if the system has no free descriptor.
    package init() throws(ScrubError) {
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        guard unsafe socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else {
            throw ScrubError(system: Errno(rawValue: errno), .inputOutput, doing: "sockets cannot be created")
        }
        (descriptor, writing) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(writing)
    }

    /// Signals the event. An already signaled event stays signaled.
    package func signal() {
        // A full socket is already signaled.
        var byte: UInt8 = 1
        _ = unsafe Glibc.send(writing, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    func take() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while unsafe Glibc.read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
