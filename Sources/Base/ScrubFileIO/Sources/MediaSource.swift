package import ScrubBase
internal import Synchronization

/// A video's bytes as the engine reads them. They are of a file or a source of the caller's, with its name, its
/// identity, and the cost of reading so far. Its ``opening`` has the limits, and whether the bytes are still wanted.
///
/// Thread safety: several threads read at once.
package final class MediaSource: NamedSource, ExpectingSource, LimitedByteSource {
    /// A value that tells one content from another without reading it.
    package struct Identity: Hashable, Sendable {
        package var byteCount: Int64
        /// A file's modification time in nanoseconds since 1970, 0 when it is not a file.
        package var modified: Int64
        /// The identifier that a source of the caller's gives.
        package var content: String?
    }

    /// The state that all views of a source share.
    private final class Shared: Sendable {
        let readBytes = Atomic<Int64>(0)
        let readCalls = Atomic<Int64>(0)
        let failure = Locked<(last: ScrubError?, count: Int)>((nil, 0))
        let expected = Locked(ExpectedReads())
    }

    /// The name in errors: a file's path as the caller wrote it.
    package let path: String
    package let byteCount: Int64
    /// Nil when nothing tells whether another source has the same bytes.
    package let identity: Identity?
    /// The regular file, when it is one.
    package let file: FileSource?
    /// The limits of the medium.
    package let opening: OpeningContext
    private let base: any ByteSource
    /// The same source if it wants announcements of reads.
    private let remote: (any PrefetchingByteSource)?
    private let shared: Shared
    /// Which view this is of a remote source.
    private let number: Int
    /// The place where reads follow each other through the file.
    private let pass: Locked<SequentialPass>?

    /// A regular file.
    ///
    /// - Parameter isBeingWritten: whether a follower of its writer checks how it changes; else reads fail once it has
    ///   changed.
    package init(_ file: FileSource, isBeingWritten: Bool = false) {
        if !isBeingWritten { file.watchContent() }
        file.noteAsRead()
        (path, base, remote, self.file, byteCount) = (file.path, file, nil, file, file.byteCount)
        identity = Identity(byteCount: file.identity.byteCount, modified: file.identity.modified)
        (shared, opening, number, pass) = (Shared(), OpeningContext(), 0, nil)
    }

    /// A file by its name.
    package convenience init(path: String) throws(ScrubError) { self.init(try FileSource(path: path)) }

    /// A source of the caller's.
    package init(_ source: any ByteSource, name: String) throws(ScrubError) {
        (path, base, remote, file, byteCount) = (
            name, source, source as? any PrefetchingByteSource, nil, source.byteCount
        )
        (source as? FileSource)?.noteAsRead()
        guard byteCount >= 0 else {
            throw ScrubError(
                .usage, "its source says that it has \(byteCount) bytes", file: name,
                advice: "a ByteSource has 0 bytes or more: mend its byteCount")
        }
        let count = byteCount
        identity = source.contentIdentifier.map { Identity(byteCount: count, modified: 0, content: $0) }
        (shared, opening, number, pass) = (Shared(), OpeningContext(), 0, nil)
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

    /// Returns the same bytes for one reader of several: its announcements are beside the others'. For local bytes it
    /// returns the source itself.
    package func view() -> MediaSource { remote == nil ? self : MediaSource(viewOf: self, isPass: false) }

    /// Returns the same bytes for a reader from beginning to end, however small its pieces: they are announced in runs
    /// that grow. For local bytes it returns the source itself.
    package func sequentialView() -> MediaSource {
        remote == nil ? self : MediaSource(viewOf: self, isPass: true)
    }

    package var contentIdentifier: String? { identity?.content }

    /// Bytes and calls that reads have cost so far; a benchmark reports them as input.
    package var cost: (bytes: Int64, calls: Int64) {
        (shared.readBytes.load(ordering: .relaxed), shared.readCalls.load(ordering: .relaxed))
    }

    /// The last read that failed, for those who hear of it through libavformat, which has only a number for it.
    package var lastFailure: ScrubError? { shared.failure.withLock { $0.last } }

    /// The number of reads that have failed: results found meanwhile may be half of the truth.
    package var failureCount: Int { shared.failure.withLock { $0.count } }

    /// Whether it is a file that has changed since it was opened. A remote source says so itself when it is read.
    package var hasChanged: Bool { file?.hasChanged ?? false }

    /// Throws the last read that failed, when any has since there were so many.
    package func checkReads(since count: Int) throws(ScrubError) {
        let (last, now) = shared.failure.withLock { $0 }
        if let last, now != count { throw last }
    }

    package var limits: MediaLimits { opening.limits }

    package var origin: UInt64 { opening.origin }

    package func refuse(_ refusal: ScrubError) { opening.refuse(refusal.inFile(path)) }

    /// Ends all reads of remote bytes, for the source's last user.
    package func cancel() { remote?.cancel() }

    /// The source of the bytes, as it was given.
    package var source: any ByteSource { base }

    /// Whether its bytes are remote, so that reading few and knowing them beforehand matters.
    package var isRemote: Bool { remote != nil }

    /// Announces the next reads, in the order of need; replaces this view's earlier announcements. Nothing happens
    /// where bytes are near.
    package func expect(_ ranges: [Range<Int64>]) { expect(stretches: ranges.map { ReadStretch($0) }) }

    /// Announces reads with the unread bytes between them.
    package func expect(stretches: [ReadStretch]) {
        guard let remote else { return }
        // Under the lock, so that the newest word is the last one.
        shared.expected.withLock { expected in
            expected.replace(number, stretches)
            remote.tell(expected.stretches)
        }
    }

    /// Puts reads before all that this view announced earlier; does nothing if the announcements already have them.
    package func expectNext(_ ranges: [Range<Int64>]) { expectNext(stretches: ranges.map { ReadStretch($0) }) }

    /// Announces the next reads with the unread bytes between them.
    package func expectNext(stretches: [ReadStretch]) {
        guard let remote else { return }
        shared.expected.withLock { expected in
            guard expected.add(number, stretches) else { return }
            remote.tell(expected.stretches)
        }
    }

    /// Says that bytes are read next that this view announced as unread: it was wrong about them, and about similar
    /// bytes.
    ///
    /// - Returns: false where it has announced nothing of the kind.
    package func expectGaps(around range: Range<Int64>) -> Bool {
        guard let remote else { return false }
        return shared.expected.withLock { expected in
            guard expected.closeGaps(around: range, number) else { return false }
            remote.tell(expected.stretches)
            return true
        }
    }

    /// Whether this view has said that some bytes will be read.
    package func expects(_ range: Range<Int64>) -> Bool {
        remote == nil || shared.expected.withLock { $0.has(range, number) }
    }

    /// Returns the number of bytes from a place on that can be read without waiting; all for local bytes.
    package func byteCountAtHand(from offset: Int64) -> Int64 {
        guard offset >= 0, offset < byteCount else { return 0 }
        return remote.map { $0.byteCountAtHand(from: offset) } ?? byteCount - offset
    }

    /// Whether bytes can be read without waiting.
    package func hasAtHand(_ range: Range<Int64>) -> Bool {
        byteCountAtHand(from: range.lowerBound) >= range.upperBound - range.lowerBound
    }

    /// Reads bytes.
    ///
    /// When the work on this thread is cancelled it throws, and what is found meanwhile may be half of the truth. That
    /// is not a failure of the file.
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
    /// Announces reads, as far as the source takes announcements.
    fileprivate func tell(_ stretches: [ReadStretch]) {
        if let source = self as? any GapLeavingSource {
            source.prefetch(stretches: stretches)
        } else {
            prefetch(stretches.map(\.range))
        }
    }

    /// Makes one read that may be left, with whatever it throws as an error of this library's.
    fileprivate func readSome(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless cancellation: Cancellation
    ) throws(ScrubError) -> Int? {
        try checked(at: offset, limit: buffer.count) {
            try unsafe read(fromAbsoluteOffset: offset, into: buffer, unless: cancellation)
        }
    }
}
