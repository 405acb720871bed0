package import ScrubBase
internal import Synchronization

/// A video's bytes as the engine reads them: a file or a source of the caller's, with its name, what identifies it, and what
/// reading has cost.
///
/// Thread safety: several threads read at once.
package final class MediaSource: NamedSource {
    /// What tells one content from another without reading it.
    package struct Identity: Hashable, Sendable {
        package var byteCount: Int64
        /// A file's modification time in nanoseconds since 1970, 0 for what is no file.
        package var modified: Int64
        /// What a source of the caller's says of itself.
        package var content: String?
    }

    /// What errors call it: a file's path as the caller wrote it.
    package let path: String
    package let byteCount: Int64
    /// Nil when nothing tells whether another source has the same bytes.
    package let identity: Identity?
    /// The regular file, when it is one.
    package let file: FileSource?
    private let base: any ByteSource
    /// The same where it wants to know beforehand what is read.
    private let remote: (any PrefetchingByteSource)?
    private let readBytes = Atomic<Int64>(0)
    private let readCalls = Atomic<Int64>(0)
    private let isCancelled = Atomic(false)
    private let failure = Locked<ScrubError?>(nil)

    /// A regular file.
    package init(_ file: FileSource) {
        (path, base, remote, self.file, byteCount) = (file.path, file, nil, file, file.byteCount)
        identity = Identity(byteCount: file.identity.byteCount, modified: file.identity.modified)
    }

    /// A file by its name.
    package convenience init(path: String) throws(ScrubError) { self.init(try FileSource(path: path)) }

    /// A source of the caller's.
    package init(_ source: any ByteSource, name: String) throws(ScrubError) {
        (path, base, remote, file, byteCount) = (
            name, source, source as? any PrefetchingByteSource, nil, source.byteCount
        )
        guard byteCount >= 0 else {
            throw ScrubError(.usage, "its source says that it has \(byteCount) bytes", file: name)
        }
        let count = byteCount
        identity = source.contentIdentifier.map { Identity(byteCount: count, modified: 0, content: $0) }
    }

    package var contentIdentifier: String? { identity?.content }

    /// Bytes and calls that reads have cost so far; what a benchmark reports as input.
    package var cost: (bytes: Int64, calls: Int64) {
        (readBytes.load(ordering: .relaxed), readCalls.load(ordering: .relaxed))
    }

    /// The last read that failed, for those who hear of it through libavformat, which has only a number for it.
    package var lastFailure: ScrubError? { failure.withLock { $0 } }

    /// Makes every read fail from now on: for an opening that nobody waits for any more.
    package func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        remote?.cancel()
    }

    /// Whether its bytes are far away, so that reading few and knowing them beforehand matters.
    package var isRemote: Bool { remote != nil }

    /// Says what will be read soon, in the order of need; it replaces what was said before. Nothing happens where bytes are near.
    package func expect(_ ranges: [Range<Int64>]) { remote?.prefetch(ranges) }

    /// Throws when reads were stopped.
    package func checkCancellation() throws(ScrubError) {
        guard !isCancelled.load(ordering: .relaxed) else {
            throw ScrubError(.inputOutput, "reading was cancelled", file: path)
        }
    }

    package func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ScrubError) -> Int {
        try checkCancellation()
        do throws(ScrubError) {
            let count = try base.readSome(at: offset, into: buffer)
            readBytes.add(Int64(count), ordering: .relaxed)
            readCalls.add(1, ordering: .relaxed)
            return count
        } catch {
            let named = error.inFile(path)
            failure.withLock { $0 = named }
            throw named
        }
    }
}
