import ScrubBase

/// A box of the file itself, found by its header alone.
struct FileBox: Sendable {
    let type: FourCC
    /// The first byte of the header in the file.
    let offset: Int64
    /// Bytes of the header: 8, or 16 with a 64-bit size.
    let headerSize: Int64
    /// Bytes of the box as far as the file has them.
    let size: Int64
    /// How many more bytes the box claims than the file has.
    let missingBytes: Int64
    /// Whether it says to go on to the end of the file, wherever that is.
    let reachesEnd: Bool

    var isTruncated: Bool { missingBytes > 0 }

    var end: Int64 { offset + size }
}

/// Steps from box to box of a file without reading what is in them.
struct FileBoxWalk {
    private let source: any ByteSource
    private var position: Int64 = 0

    init(_ source: any ByteSource, at position: Int64 = 0) { (self.source, self.position) = (source, position) }

    /// The next box, or `nil` at the end of the file.
    ///
    /// - Throws: ``ScrubError/Code/badData`` when the bytes at the position are no box header.
    mutating func next() throws(ScrubError) -> FileBox? {
        let left = source.byteCount - position
        guard left >= 8 else { return nil }
        let bytes = try source.read(at: position, count: Int(min(left, 16)))
        let span = bytes.span
        guard span.count >= 8 else { return nil }
        let type = FourCC(rawValue: bigEndian32(span, at: 4))
        var header: Int64 = 8
        var claimed = UInt64(bigEndian32(span, at: 0))
        if claimed == 1, span.count >= 16 {
            header = 16
            claimed = bigEndian64(span, at: 8)
        } else if claimed == 0 {
            claimed = UInt64(left)
        }
        let reachesEnd = bigEndian32(span, at: 0) == 0
        guard claimed >= UInt64(header) else {
            throw ScrubError(
                .badData, "no box starts here: size \(claimed), type \(type)", place: "byte \(position)")
        }
        let size = claimed > UInt64(left) ? left : Int64(claimed)
        defer { position += size }
        return FileBox(
            type: type, offset: position, headerSize: header, size: size,
            missingBytes: Int64(clamping: claimed - UInt64(size)), reachesEnd: reachesEnd)
    }
}
