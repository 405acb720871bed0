internal import CScrubZlib

/// Decompresses a zlib stream (RFC 1950) that arrives in pieces.
///
/// Memory: 32 KiB for the output, and zlib's window of the same size. Use from one thread at a time.
@safe package struct Inflation: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>
    private let room: UnsafeMutableRawBufferPointer
    /// Whether the stream has ended, or cannot be read any further.
    package private(set) var isOver: Bool

    package init() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe room = .allocate(byteCount: 1 << 15, alignment: 16)
        isOver = unsafe inflateInit_(stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) != Z_OK
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
        unsafe room.deallocate()
    }

    /// Decompresses a piece.
    ///
    /// - Parameter body: called with the output, piece by piece; returns false to stop.
    package mutating func read(_ bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Bool) {
        unsafe bytes.withUnsafeBufferPointer { piece in
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(clamping: piece.count)
            while !isOver {
                unsafe stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
                unsafe stream.pointee.avail_out = UInt32(room.count)
                let status = unsafe inflate(stream, Z_NO_FLUSH)
                let count = unsafe room.count - Int(stream.pointee.avail_out)
                if count > 0 {
                    let out = unsafe UnsafeBufferPointer(rebasing: room.bindMemory(to: UInt8.self)[..<count])
                    if !body(unsafe Span(_unsafeElements: out)) { isOver = true }
                }
                if status != Z_OK && status != Z_BUF_ERROR { isOver = true }
                if unsafe stream.pointee.avail_in == 0 && count < room.count || count == 0 { break }
            }
            unsafe stream.pointee.next_in = nil
        }
    }
}
