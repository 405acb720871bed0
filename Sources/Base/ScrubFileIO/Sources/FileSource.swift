internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A regular file that is open for reading at any offset, with the identity of its current content.
///
/// Reads are `pread` calls, so several threads may read at the same time. The file is closed with the last reference.
package final class FileSource: NamedSource {
    /// Facts that distinguish one state of a file from another without reading it.
    package struct Identity: Hashable, Sendable {
        /// The size of the file in bytes.
        package var byteCount: Int64
        /// The modification time in nanoseconds since 1970.
        package var modified: Int64

        package init(byteCount: Int64, modified: Int64) {
            self.byteCount = byteCount
            self.modified = modified
        }

        init(_ facts: stat) {
            byteCount = Int64(facts.st_size)
            modified = Int64(facts.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_mtim.tv_nsec)
        }
    }

    /// The path as the caller wrote it.
    package let path: String
    /// The size and modification time when the file was opened.
    package let identity: Identity
    private let descriptor: FileDescriptor
    private let watch = Locked<ContentWatch?>(nil)
    private let number: InputFileRegistry.Number
    private let isNoted = Locked(false)

    /// Opens a regular file.
    ///
    /// - Throws: ``ScrubError/Code/noInput`` if the file does not exist, is a directory or device, or is not readable.
    package convenience init(path: String) throws(ScrubError) {
        // A name with a NUL would be truncated by the C call below and refer to a different file.
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ScrubError(.noInput, "is not a valid file name", file: path, advice: "specify a video file")
        }
        let opened: FileDescriptor
        do {
            opened = try FileDescriptor.open(
                FilePath(systemName: path), .readOnly, options: [.closeOnExec, .nonBlocking])
        } catch {
            // A folder may be named `https:`.
            if path.isNetworkAddress {
                throw ScrubError(
                    .noInput, "is an address, not a file name", file: path.saidName,
                    advice: "\(term: .openAddress)")
            }
            throw ScrubError(system: error, .noInput, doing: "cannot be opened", file: path)
        }
        try self.init(opened, path: path)
    }

    /// Takes ownership of a file that is open for reading. It is closed even if this initializer throws.
    ///
    /// - Parameter path: the file's name in errors.
    /// - Throws: the errors of ``init(path:)``.
    init(_ opened: FileDescriptor, path: String) throws(ScrubError) {
        descriptor = opened
        self.path = path
        var facts = stat()
        let status = unsafe fstat(descriptor.rawValue, &facts)
        identity = Identity(facts)
        number = InputFileRegistry.Number(FileFacts(facts))
        guard status == 0 else {
            let error = Errno(rawValue: errno)
            throw ScrubError(system: error, .inputOutput, doing: "its size cannot be read", file: path)
        }
        let kind = facts.st_mode & S_IFMT
        guard kind == S_IFREG else {
            let what = kind == S_IFDIR ? "is a directory" : "is not a regular file"
            var error = ScrubError(.noInput, what, file: path, advice: "specify a video file")
            if kind == S_IFDIR { error.systemError = .errno(EISDIR) }
            throw error
        }
    }

    /// Returns the same file in its current state, which may have grown, even if it was renamed.
    package func again() throws(ScrubError) -> FileSource {
        let copy: FileDescriptor
        do {
            copy = try descriptor.duplicate()
        } catch {
            throw ScrubError(system: error, .inputOutput, doing: "cannot be reopened", file: path)
        }
        return try FileSource(copy, path: path)
    }

    /// Whether the name still refers to this file; `nil` if the file no longer exists.
    package var isNamedStill: Bool? {
        var (mine, named) = (stat(), stat())
        guard unsafe fstat(descriptor.rawValue, &mine) == 0, unsafe fstatat(AT_FDCWD, path, &named, 0) == 0 else {
            return nil
        }
        return mine.st_ino == named.st_ino && mine.st_dev == named.st_dev
    }

    deinit {
        if isNoted.withLock({ $0 }) {
            var facts = stat()
            let isThere = unsafe fstat(descriptor.rawValue, &facts) == 0 && facts.st_nlink > 0
            InputFileRegistry.end(number, isThere ? Identity(facts) : nil)
        }
        try? descriptor.close()
    }

    /// Records that a caller reads the file. No output replaces the file during this object's lifetime.
    package func noteAsRead() {
        if !isNoted.exchange(\.self, for: true) { InputFileRegistry.begin(number, identity, path) }
    }

    package var byteCount: Int64 { identity.byteCount }

    /// A path that refers to exactly this file while it is open, even if it was renamed, for libraries that require a
    /// path.
    package var descriptorPath: String { "/proc/self/fd/\(descriptor.rawValue)" }

    /// Returns the file's contents.
    ///
    /// - Parameter limit: the maximum size; a larger file is rejected.
    package func contents(limit: Int) throws(ScrubError) -> [UInt8] {
        guard byteCount <= Int64(limit) else {
            throw ScrubError(.badData, "is too large for a file of this kind: \(byteCount) bytes", file: path)
        }
        return try read(at: 0, count: Int(byteCount))
    }

    /// Returns whether another file has the same bytes; false if one of them cannot be read.
    package func hasBytes(of other: FileSource) -> Bool {
        guard byteCount == other.byteCount else { return false }
        let piece: Int64 = 1 << 20
        for offset in stride(from: 0, to: byteCount, by: Int64.Stride(piece)) {
            let count = Int(min(piece, byteCount - offset))
            guard let own = try? read(at: offset, count: count), (try? other.read(at: offset, count: count)) == own
            else { return false }
        }
        return true
    }

    package func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ScrubError) -> Int {
        let count: Int
        do {
            count = try unsafe descriptor.read(fromAbsoluteOffset: offset, into: buffer)
        } catch {
            throw ScrubError(system: error, .inputOutput, file: path, place: .byte(Int64(offset)))
        }
        if let watch = watch.withLock({ $0 }) { try check(watch) }
        return count
    }

    /// Makes reads fail once the file's content differs from when it was opened, because bytes of the two versions
    /// cannot be combined.
    ///
    /// Changes that the system does not report are not detected, that is, overwritten bytes with the same size and
    /// modification time. This happens if the time is set back, if the file is changed through a memory map, or within
    /// a clock tick (4 ms) of opening it.
    func watchContent() {
        watch.withLock { watch in
            if watch == nil { watch = ContentWatch(identity) { self.bytes(at: $0, count: $1) } }
        }
    }

    /// Whether the file's content is known to differ from when it was opened. For a file that is not watched, a change
    /// in size or time counts.
    var hasChanged: Bool {
        if let watch = watch.withLock({ $0 }) { return (try? check(watch)) == nil }
        var facts = stat()
        return unsafe fstat(descriptor.rawValue, &facts) != 0 || Identity(facts) != identity
    }

    /// Called after a read, because a file's time is set before its bytes are.
    private func check(_ watch: ContentWatch) throws(ScrubError) {
        var facts = stat()
        guard unsafe fstat(descriptor.rawValue, &facts) == 0 else {
            throw ScrubError(
                system: Errno(rawValue: errno), .inputOutput, doing: "its size cannot be read", file: path)
        }
        if let change = watch.change(Identity(facts), read: { self.bytes(at: $0, count: $1) }) {
            // This is not damage in the file, after which a batch would continue.
            throw ScrubError(.inputOutput, change, file: path, advice: "try again when no program is writing to it")
        }
    }

    /// Returns the current bytes; `nil` if they cannot be read.
    private func bytes(at offset: Int64, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let read = try? unsafe bytes.withUnsafeMutableBytes { buffer in
                try unsafe descriptor.read(
                    fromAbsoluteOffset: offset + Int64(done),
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
            }
            guard let read, read > 0 else { return nil }
            done += read
        }
        return bytes
    }
}
