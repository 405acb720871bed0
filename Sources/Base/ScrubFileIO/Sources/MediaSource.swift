package import ScrubBase
internal import Synchronization

/// A video's bytes as the engine reads them, from a file or the caller's source, with its name, its identity, and the
/// cost of reading so far. Its ``opening`` contains the limits and whether the bytes are still needed.
///
/// Thread safety: several threads may read at the same time.
package final class MediaSource: NamedSource, ReadAnnouncingSource, LimitedByteSource {
    /// A value that distinguishes one content from another without reading it.
    package struct Identity: Hashable, Sendable {
        package var byteCount: Int64
        /// A file's modification time in nanoseconds since 1970; 0 if it is not a file.
        package var modified: Int64
        /// The identifier given by the caller's source.
        package var content: String?
    }

    /// The state shared by all views of a source.
    private final class Shared: Sendable {
        let readBytes = Atomic<Int64>(0)
        let readCalls = Atomic<Int64>(0)
        let failure = Locked<(last: ScrubError?, count: Int)>((nil, 0))
        let expected = Locked(AnnouncedReads())
    }

    /// The name used in errors: a file's path as the caller wrote it.
    package let path: String
    package let byteCount: Int64
    /// The identity; `nil` if other sources with the same bytes cannot be recognized.
    package let identity: Identity?
    /// The regular file, if it is one.
    package let file: FileSource?
    /// The limits of the medium.
    package let opening: OpeningContext
    private let base: any ByteSource
    /// The same source if it accepts announcements of reads.
    private let remote: (any PrefetchingByteSource)?
    private let shared: Shared
    /// The number of this view of a remote source.
    private let number: Int
    /// The current position of consecutive reads.
    private let pass: Locked<SequentialPass>?

    /// Creates a source from a regular file.
    ///
    /// - Parameter isBeingWritten: whether a follower of the file's writer checks how the file changes. Otherwise,
    ///   reads fail once it has changed.
    package init(_ file: FileSource, isBeingWritten: Bool = false) {
        if !isBeingWritten { file.watchContent() }
        file.noteAsRead()
        (path, base, remote, self.file, byteCount) = (file.path, file, nil, file, file.byteCount)
        identity = Identity(byteCount: file.identity.byteCount, modified: file.identity.modified)
        (shared, opening, number, pass) = (Shared(), OpeningContext(), 0, nil)
    }

    /// Creates a source from a file's path.
    package convenience init(path: String) throws(ScrubError) { self.init(try FileSource(path: path)) }

    /// Creates a source from the caller's source.
    package init(_ source: any ByteSource, name: String) throws(ScrubError) {
        (path, base, remote, file, byteCount) = (
            name, source, source as? any PrefetchingByteSource, nil, source.byteCount
        )
        (source as? FileSource)?.noteAsRead()
        guard byteCount >= 0 else {
            throw ScrubError(
                .usage, "its source reports a size of \(byteCount) bytes", file: name,
                advice: "make the ByteSource return a byteCount of 0 or more")
        }
        let count = byteCount
        identity = source.contentIdentifier.map { Identity(byteCount: count, modified: 0, content: $0) }
        (shared, opening, number, pass) = (Shared(), OpeningContext(), 0, nil)
    }

    /// Creates a source from parts of another one, with the same limits and the same sandbox. It has no identity.
    package init(_ source: any ByteSource, partOf film: MediaSource) {
        (path, base, remote, file, byteCount) = (film.path, source, nil, nil, max(0, source.byteCount))
        identity = nil
        (shared, opening, number, pass) = (Shared(), film.opening, 0, nil)
    }

    private init(viewOf source: MediaSource, isPass: Bool) {
        (path, byteCount, identity, file) = (source.path, source.byteCount, source.identity, source.file)
        (base, remote, shared, opening) = (source.base, source.remote, source.shared, source.opening)
        number = shared.expected.withLock { $0.newView() }
        pass = isPass ? Locked(SequentialPass(byteCount: source.byteCount)) : nil
    }

    deinit {
        guard number > 0, let remote else { return }
        shared.expected.withLock { expected in
            if expected.forget(number) { remote.tell(expected.stretches) }
        }
    }

    /// Returns a view of the same bytes for one of several readers, whose announcements are separate from the others'.
    /// For local bytes, returns the source itself.
    package func view() -> MediaSource { remote == nil ? self : MediaSource(viewOf: self, isPass: false) }

    /// Returns a view of the same bytes for a sequential reader with small reads, which are announced in growing
    /// ranges. For local bytes, returns the source itself.
    package func sequentialView() -> MediaSource {
        remote == nil ? self : MediaSource(viewOf: self, isPass: true)
    }

    package var contentIdentifier: String? { identity?.content }

    /// The bytes and calls that reads have cost so far, which a benchmark reports as input.
    package var cost: (bytes: Int64, calls: Int64) {
        (shared.readBytes.load(ordering: .relaxed), shared.readCalls.load(ordering: .relaxed))
    }

    /// The last failed read, for callers that read through libavformat, which returns only an error number.
    package var lastFailure: ScrubError? { shared.failure.withLock { $0.last } }

    /// The number of failed reads. Results obtained in the meantime may be incomplete.
    package var failureCount: Int { shared.failure.withLock { $0.count } }

    /// Whether this is a file that has changed since it was opened. A remote source reports changes itself when it is
    /// read.
    package var hasChanged: Bool { file?.hasChanged ?? false }

    /// Throws the error of the last failed read, if any reads have failed since the given count.
    package func checkReads(since count: Int) throws(ScrubError) {
        let (last, now) = shared.failure.withLock { $0 }
        if let last, now != count { throw last }
    }

    package var limits: MediaLimits { opening.limits }

    package var origin: UInt64 { opening.origin }

    package func refuse(_ refusal: ScrubError) { opening.refuse(refusal.inFile(path)) }

    /// Cancels all reads of remote bytes, on behalf of the source's last user.
    package func cancel() { remote?.cancel() }

    /// The original source of the bytes.
    package var source: any ByteSource { base }

    /// Whether the bytes are remote, so that reads should be few and announced.
    package var isRemote: Bool { remote != nil }

    /// Announces the next reads, in the order in which they are needed. Replaces this view's earlier announcements. Has
    /// no effect for local bytes.
    package func expect(_ ranges: [Range<Int64>]) { expect(stretches: ranges.map { ReadSpan($0) }) }

    /// Announces reads with the gaps between them.
    package func expect(stretches: [ReadSpan]) {
        guard let remote else { return }
        // Under the lock, so that the newest announcement is the last one.
        shared.expected.withLock { expected in
            expected.replace(number, stretches)
            remote.tell(expected.stretches)
        }
    }

    /// Adds reads before all those that this view announced earlier. Has no effect if the announcements already include
    /// them.
    package func expectNext(_ ranges: [Range<Int64>]) { expectNext(stretches: ranges.map { ReadSpan($0) }) }

    /// Announces the next reads with the gaps between them.
    package func expectNext(stretches: [ReadSpan]) {
        guard let remote else { return }
        shared.expected.withLock { expected in
            guard expected.add(number, stretches) else { return }
            remote.tell(expected.stretches)
        }
    }

    /// Records that bytes in an announced gap are read next: the announcement was wrong about them and about similar
    /// bytes.
    ///
    /// - Returns: false if this view had not announced such a gap.
    package func expectGaps(around range: Range<Int64>) -> Bool {
        guard let remote else { return false }
        return shared.expected.withLock { expected in
            guard expected.closeGaps(around: range, number) else { return false }
            remote.tell(expected.stretches)
            return true
        }
    }

    /// Returns whether this view has announced that the given bytes will be read.
    package func expects(_ range: Range<Int64>) -> Bool {
        remote == nil || shared.expected.withLock { $0.has(range, number) }
    }

    /// Returns the number of bytes from an offset that can be read without waiting; for local bytes, all of them.
    package func availableByteCount(from offset: Int64) -> Int64 {
        guard offset >= 0, offset < byteCount else { return 0 }
        return remote.map { $0.availableByteCount(from: offset) } ?? byteCount - offset
    }

    /// Returns whether bytes can be read without waiting.
    package func hasAtHand(_ range: Range<Int64>) -> Bool {
        availableByteCount(from: range.lowerBound) >= range.upperBound - range.lowerBound
    }

    /// Reads bytes.
    ///
    /// If the work on this thread is cancelled, this method throws, and results obtained in the meantime may be
    /// incomplete. This does not count as a failure of the file.
    package func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ScrubError) -> Int {
        let cancellation = Cancellation.current
        if cancellation?.isCancelled == true { throw ScrubError.cancelled.inFile(path) }
        if opening.isLate {
            try limiting { (limits) throws(ScrubError) in throw limits.timeRefusal(.requestTime, "opening it") }
        }
        if let pass, let next = pass.withLock({ $0.read(offset, buffer.count) }) { expect([next]) }
        let read: Int?
        do throws(ScrubError) {
            read = try LimitClock.waiting { () throws(ScrubError) in
                if let remote, let cancellation {
                    try unsafe remote.readSome(at: offset, into: buffer, unless: cancellation)
                } else {
                    unsafe try base.readSome(at: offset, into: buffer)
                }
            }
        } catch {
            let named = error.inFile(path)
            shared.failure.withLock { $0 = (named, $0.count + 1) }
            throw named
        }
        guard let count = read else { throw ScrubError.cancelled.inFile(path) }
        shared.readBytes.add(Int64(count), ordering: .relaxed)
        shared.readCalls.add(1, ordering: .relaxed)
        return count
    }
}

extension PrefetchingByteSource {
    /// Announces reads, if the source accepts announcements.
    fileprivate func tell(_ stretches: [ReadSpan]) {
        if let source = self as? any MultirangeByteSource {
            source.prefetch(stretches: stretches)
        } else {
            prefetch(stretches.map(\.range))
        }
    }

    /// Performs one read that may be abandoned, and converts any error to a ``ScrubError``.
    fileprivate func readSome(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless cancellation: Cancellation
    ) throws(ScrubError) -> Int? {
        try checked(at: offset, limit: buffer.count) {
            try unsafe read(fromAbsoluteOffset: offset, into: buffer, unless: cancellation)
        }
    }
}
