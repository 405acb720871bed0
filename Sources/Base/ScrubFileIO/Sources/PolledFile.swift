internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A file of the kernel's that says when it has news: `/proc/pressure/memory` and its like.
///
/// Thread safety: one thread at a time. Closed with the last reference.
package final class PolledFile: Sendable {
    package let path: String
    private let descriptor: FileDescriptor

    /// Opens an existing file.
    ///
    /// - Parameter isWritable: whether something will be written.
    /// - Throws: `noInput` with the system's words.
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

    /// Writes a line in one call, as the kernel wants its commands.
    ///
    /// - Throws: `inputOutput` with the system's words.
    package func write(_ text: String) throws(ScrubError) {
        do {
            // With the zero behind it: pressure triggers were documented so.
            let bytes = Array(text.utf8) + [0]
            _ = try unsafe bytes.withUnsafeBytes { try unsafe descriptor.write($0) }
        } catch {
            throw ScrubError(system: error, .inputOutput, doing: "cannot be written", file: path)
        }
    }

    /// Returns the file's present text, from its beginning; nil if it cannot be read.
    ///
    /// - Parameter limit: the most bytes that are read.
    package func text(limit: Int = 4096) -> String? {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        // The kernel gives long ones in pieces.
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
        /// It has something to say (`POLLPRI`).
        case changed
        /// The file is gone, or never reports anything again (`POLLERR` alone, or with the event of the file's kind).
        case failed
        /// Both at once; which one counts depends on the file.
        case changedOrFailed
    }

    /// Waits until one of some files has news, the event is signalled, or time is over. Signals are taken.
    ///
    /// - Parameter milliseconds: the longest wait; `nil` for as long as it takes.
    /// - Returns: news for each file, in order.
    package static func wait(for files: [PolledFile], or event: WakeEvent, milliseconds: Int?) -> [News] {
        var entries = files.map { pollfd(fd: $0.descriptor.rawValue, events: Int16(POLLPRI), revents: 0) }
        entries.append(pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0))
        let time = milliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
        // An interrupted call is as one whose time is over: the caller checks its condition and waits again.
        guard unsafe poll(&entries, nfds_t(entries.count), time) > 0 else { return files.map { _ in .none } }
        if entries[files.count].revents != 0 { event.take() }
        return entries.dropLast().map { entry in
            let isChanged = entry.revents & Int16(POLLPRI) != 0
            let isFailed = entry.revents & Int16(POLLERR | POLLNVAL | POLLHUP) != 0
            return isChanged ? (isFailed ? .changedOrFailed : .changed) : (isFailed ? .failed : .none)
        }
    }
}

/// An event that one thread sets and another waits for beside files: a pair of sockets, as Swift's Glibc has neither
/// `eventfd` nor `pipe2`.
///
/// Thread safety: safe from any thread. Closed with the last reference.
package final class WakeEvent: Sendable {
    let descriptor: Int32
    private let writing: Int32

    /// - Throws: `inputOutput` when the system has no descriptor left.
    package init() throws(ScrubError) {
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        guard unsafe socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else {
            throw ScrubError(system: Errno(rawValue: errno), .inputOutput, doing: "no sockets can be made")
        }
        (descriptor, writing) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(writing)
    }

    /// Sets the event; an event that is already set stays set.
    package func signal() {
        // One that is full is set.
        var byte: UInt8 = 1
        _ = unsafe Glibc.send(writing, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    func take() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while unsafe Glibc.read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
