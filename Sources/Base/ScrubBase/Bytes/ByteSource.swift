/// A source of a video's bytes: a file, memory, or an object that fetches them.
///
/// To open a ``VideoAsset`` from bytes that are not in a file, such as an object in cloud storage or a member of an
/// archive, conform a type to this protocol:
///
/// ```swift
/// struct StoredObject: ByteSource {
///     let store: Store
///     let byteCount: Int64
///     func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
///         try store.get(offset, buffer)
///     }
/// }
/// ```
///
/// The bytes must not change while a video that reads them is open.
///
/// Thread safety: several threads may read at the same time. A read may block.
/// ``VideoAsset/init(source:name:options:)`` and `FrameReader` read on the caller's thread. The asynchronous API never
/// reads on a thread of the cooperative pool.
public protocol ByteSource: Sendable {
    /// The number of bytes. It is read once, when a video is opened.
    var byteCount: Int64 { get }

    /// An identifier of the content, such as a checksum or an entity tag with its address; `nil` if the source has
    /// none. If the source has an identifier, the video's index is cached and used again the next time the video is
    /// opened. Two sources with the same identifier must have the same bytes.
    var contentIdentifier: String? { get }

    /// Reads bytes into a buffer.
    ///
    /// - Parameters:
    ///   - offset: the position of the first byte, from 0 to ``byteCount``.
    ///   - buffer: the destination, which is not empty. It is valid only during the call.
    /// - Returns: the number of bytes read: at least one, and at most the buffer's size. The caller then requests the
    ///   remaining bytes. 0 means that the source ended early.
    /// - Throws: any error. An error that is not a ``ScrubError`` is converted to a `ScrubError` with the code
    ///   `inputOutput` and the original text.
    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

extension ByteSource {
    /// Returns `nil`, so the index is rebuilt each time the video is opened.
    public var contentIdentifier: String? { nil }
}

extension ByteSource {
    /// Returns whether `offset..<offset + count` is inside the source.
    package func contains(offset: Int64, count: Int64) -> Bool {
        offset >= 0 && count >= 0 && offset <= byteCount && count <= byteCount - offset
    }

    /// Reads exactly `count` bytes from `offset`.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if the range is not inside the source, ``ScrubError/Code/inputOutput`` if
    ///   the read fails. No memory is allocated for an invalid range, so a size field can never cost more memory than
    ///   the source has bytes.
    package func read(at offset: Int64, count: Int) throws(ScrubError) -> [UInt8] {
        guard contains(offset: offset, count: Int64(count)) else {
            throw ScrubError(.badData, "\(count) bytes at offset \(offset) extend beyond the file (\(byteCount) bytes)")
        }
        guard count > 0 else { return [] }
        var failure: ScrubError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(ScrubError) {
                try unsafe self.read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
                filled = count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Fills the caller's buffer from `offset`.
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ScrubError) {
        var done = 0
        while done < buffer.count {
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let (place, overflow) = offset.addingReportingOverflow(Int64(done))
            guard !overflow else { throw ScrubError(.badData, "the offset \(offset) + \(done) is too large") }
            let count = try unsafe readSome(at: place, into: part)
            guard count > 0 else {
                throw ScrubError(
                    .badData, "the file ended early", place: .byte(Int64(place)),
                    advice: "it may have been truncated while being read: try again")
            }
            done += count
        }
    }

    /// Performs one read and converts any error to a ``ScrubError``.
    package func readSome(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ScrubError) -> Int {
        let count = try checked(at: offset, limit: buffer.count) {
            try unsafe read(fromAbsoluteOffset: offset, into: buffer)
        }
        return count ?? 0
    }

    /// Performs one read that may be abandoned, and converts any error to a ``ScrubError``.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of bytes that it may report as read.
    ///   - read: returns the number of bytes, or `nil` if it was abandoned.
    package func checked(at offset: Int64, limit: Int, _ read: () throws -> Int?) throws(ScrubError) -> Int? {
        do {
            guard let count = try read() else { return nil }
            guard (0...limit).contains(count) else {
                throw ScrubError(.inputOutput, "a read of at most \(limit) bytes returned \(count)")
            }
            return count
        } catch let error as ScrubError {
            throw error
        } catch {
            throw ScrubError(.inputOutput, "\(error)", place: .byte(Int64(offset)))
        }
    }
}

/// A byte source in memory.
///
/// Memory: the bytes, which are shared and not copied.
package struct MemorySource: ByteSource {
    private let bytes: [UInt8]

    /// Creates a source from bytes.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number of bytes.
    package var byteCount: Int64 { Int64(bytes.count) }

    /// Copies bytes into a buffer.
    package func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let start = Int(exactly: offset), bytes.indices.contains(start) else { return 0 }
        let part = bytes[start...].prefix(buffer.count)
        unsafe buffer.copyBytes(from: part)
        return part.count
    }
}

/// A source of remote bytes to which upcoming reads can be announced, so that a few large requests can serve many small
/// reads.
public protocol PrefetchingByteSource: ByteSource {
    /// Announces the next reads, in the order in which they are needed.
    ///
    /// Each call replaces the ranges of the previous call. The call never blocks, and a source may ignore it. Safe from
    /// any thread.
    func prefetch(_ ranges: [Range<Int64>])

    /// Makes all pending and later reads fail. The caller no longer needs this source.
    func cancel()

    /// Reads like ``ByteSource/read(fromAbsoluteOffset:into:)``, but stops if the read is cancelled.
    ///
    /// The default implementation completes the read even if it is cancelled, so the next picture has to wait for the
    /// current one.
    ///
    /// - Returns: the number of bytes read, or `nil` if the read was cancelled. In that case, no bytes were read, and
    ///   the same bytes may be requested again.
    func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer,
        unless cancellation: Cancellation
    ) throws -> Int?

    /// Returns the number of consecutive bytes from an offset that can be read without waiting, or 0 if the first byte
    /// is not available or its availability is unknown.
    ///
    /// A session shows the available frames while it waits for the rest. The call never blocks. Safe from any thread.
    func availableByteCount(from offset: Int64) -> Int64
}

extension PrefetchingByteSource {
    /// Completes the read, even if it is cancelled.
    public func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer,
        unless cancellation: Cancellation
    ) throws -> Int? {
        unsafe try read(fromAbsoluteOffset: offset, into: buffer)
    }

    /// Returns 0, which means that availability is unknown.
    public func availableByteCount(from offset: Int64) -> Int64 { 0 }
}

/// A source that counts the bytes that did not have to be read because the index was saved.
package protocol IndexedByteSource: ByteSource {
    /// Records that a saved index replaced reading the container.
    func noteSavedIndex()
}

/// A source that forwards announcements of reads, for callers that only know its base protocol.
package protocol ReadAnnouncingSource: ByteSource {
    /// Whether the bytes are remote, so that reads should be few and announced.
    var isRemote: Bool { get }
    /// Announces the next reads, in the order in which they are needed. Replaces the previously announced ranges.
    func expect(_ ranges: [Range<Int64>])
}

extension ByteSource {
    /// This source if it accepts announcements of reads; `nil` for local bytes.
    package var ifRemote: (any ReadAnnouncingSource)? {
        guard let source = self as? any ReadAnnouncingSource, source.isRemote else { return nil }
        return source
    }
}
