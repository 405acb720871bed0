/// A video's bytes, wherever they are: a file, memory, something that fetches them.
///
/// Conform a type of your own to open a ``VideoAsset`` from bytes outside files, such as an object in a store or a
/// member of an archive:
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
/// The bytes must not change as long as a video is open over them.
///
/// Thread safety: several threads read at once. A read may block. ``VideoAsset/init(source:name:options:)`` and
/// `FrameReader` call it on the caller's own thread; the asynchronous API never calls it on a thread of the cooperative
/// pool.
public protocol ByteSource: Sendable {
    /// The number of bytes. Asked once, when a video is opened.
    var byteCount: Int64 { get }

    /// An identifier of the content, such as a checksum or an entity tag with its address; `nil` if the source has
    /// none. With one, the index is kept in the cache for the next opening; two sources with the same one must have the
    /// same bytes.
    var contentIdentifier: String? { get }

    /// Reads some bytes.
    ///
    /// - Parameters:
    ///   - offset: the place of the first one, from 0 to ``byteCount``.
    ///   - buffer: the memory for the bytes; not empty. Valid only during the call.
    /// - Returns: the number of bytes that are now in `buffer`: at least one, and at most as many as it takes. The rest
    ///   is asked for again. 0 says that the source ended early.
    /// - Throws: any error; it becomes a ``ScrubError`` with the code `inputOutput` and the error's own words, unless
    ///   it is a ``ScrubError`` already.
    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

extension ByteSource {
    /// Nothing: an index is made each time.
    public var contentIdentifier: String? { nil }
}

extension ByteSource {
    /// Whether `offset..<offset + count` lies inside the source.
    package func contains(offset: Int64, count: Int64) -> Bool {
        offset >= 0 && count >= 0 && offset <= byteCount && count <= byteCount - offset
    }

    /// Reads exactly `count` bytes from `offset`.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if the range is not inside the source, ``ScrubError/Code/inputOutput`` if
    ///   the read fails. Nothing is allocated for a wrong range, so a size field can never cost more memory than the
    ///   source has bytes.
    package func read(at offset: Int64, count: Int) throws(ScrubError) -> [UInt8] {
        guard contains(offset: offset, count: Int64(count)) else {
            throw ScrubError(.badData, "\(count) bytes at \(offset) are not inside the file's \(byteCount)")
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

    /// Fills a buffer of the caller's from `offset`.
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ScrubError) {
        var done = 0
        while done < buffer.count {
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let (place, overflow) = offset.addingReportingOverflow(Int64(done))
            guard !overflow else { throw ScrubError(.badData, "no file has a byte \(offset) + \(done)") }
            let count = try unsafe readSome(at: place, into: part)
            guard count > 0 else {
                throw ScrubError(
                    .badData, "the file ended early", place: .byte(Int64(place)), advice: "it was cut while it was read"
                )
            }
            done += count
        }
    }

    /// Makes one read, with whatever it throws as an error of this library's.
    package func readSome(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ScrubError) -> Int {
        let count = try checked(at: offset, limit: buffer.count) {
            try unsafe read(fromAbsoluteOffset: offset, into: buffer)
        }
        return count ?? 0
    }

    /// Makes one read, which may be left, with whatever it throws as an error of this library's.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that it may claim to have read.
    ///   - read: returns the number of bytes, or `nil` if it was left.
    package func checked(at offset: Int64, limit: Int, _ read: () throws -> Int?) throws(ScrubError) -> Int? {
        do {
            guard let count = try read() else { return nil }
            guard (0...limit).contains(count) else {
                throw ScrubError(.inputOutput, "a read of at most \(limit) bytes gave \(count)")
            }
            return count
        } catch let error as ScrubError {
            throw error
        } catch {
            throw ScrubError(.inputOutput, "\(error)", place: .byte(Int64(offset)))
        }
    }
}

/// Bytes in memory as a source.
///
/// Memory: the bytes, which are shared and not copied.
public struct MemorySource: ByteSource {
    private let bytes: [UInt8]

    /// Makes a source of bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number of bytes.
    public var byteCount: Int64 { Int64(bytes.count) }

    /// Copies bytes.
    public func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let start = Int(exactly: offset), bytes.indices.contains(start) else { return 0 }
        let part = bytes[start...].prefix(buffer.count)
        unsafe buffer.copyBytes(from: part)
        return part.count
    }
}

/// A source of remote bytes that takes announcements of reads, so that a few large requests suffice for many small
/// reads.
public protocol PrefetchingByteSource: ByteSource {
    /// Announces the next reads, in the order of need.
    ///
    /// Each call replaces the ranges of the call before. It never blocks, and a source may ignore it. Safe from any
    /// thread.
    func prefetch(_ ranges: [Range<Int64>])

    /// Makes every waiting and every later read fail. The caller no longer needs this source.
    func cancel()

    /// Reads as ``ByteSource/read(fromAbsoluteOffset:into:)`` does, and leaves off when it is cancelled.
    ///
    /// Without an implementation of one's own it reads to its end: then a picture under way holds up the next one.
    ///
    /// - Returns: `nil` when it was left. Nothing was read then, and the same bytes may be asked for again.
    func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer,
        unless cancellation: Cancellation
    ) throws -> Int?

    /// Returns the number of consecutive bytes from an offset on that can be read without waiting. 0 if the first one
    /// is not available, or if the source cannot tell.
    ///
    /// A session shows the available frames while it waits for the rest. Never blocks. Safe from any thread.
    func byteCountAtHand(from offset: Int64) -> Int64
}

extension PrefetchingByteSource {
    /// Reads to its end, whether it is cancelled or not.
    public func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer,
        unless cancellation: Cancellation
    ) throws -> Int? {
        unsafe try read(fromAbsoluteOffset: offset, into: buffer)
    }

    /// Returns 0: by default, a source cannot tell.
    public func byteCountAtHand(from offset: Int64) -> Int64 { 0 }
}

/// A source that counts the bytes that a saved index made it unnecessary to read.
package protocol IndexedByteSource: ByteSource {
    /// Notes that a saved index has taken the place of reading the container.
    func noteSavedIndex()
}

/// A source that passes on announcements of reads, for callers that know only its base protocol.
package protocol ExpectingSource: ByteSource {
    /// Whether its bytes are remote, so that reading few and knowing them beforehand matters.
    var isRemote: Bool { get }
    /// Announces the next reads, in the order of need; replaces the ranges that were announced before.
    func expect(_ ranges: [Range<Int64>])
}

extension ByteSource {
    /// The source if it takes announcements of reads; `nil` for local bytes.
    package var ifRemote: (any ExpectingSource)? {
        guard let source = self as? any ExpectingSource, source.isRemote else { return nil }
        return source
    }
}
