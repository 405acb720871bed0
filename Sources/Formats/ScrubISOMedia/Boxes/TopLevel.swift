import ScrubBase

/// A box of the file itself, found by its header alone.
struct FileBox: Sendable {
    let type: FourCC
    /// The offset of the header's first byte in the file.
    let offset: Int64
    /// The size of the header in bytes: 8, or 16 with a 64-bit size.
    let headerSize: Int64
    /// The number of the box's bytes that are in the file.
    let size: Int64
    /// The number of bytes that the box claims beyond the file's end.
    let missingBytes: Int64
    /// Whether the box claims to extend to the end of the file, wherever that is.
    let reachesEnd: Bool

    /// Whether there are only zeros here because no box was written.
    var isUnwritten: Bool { reachesEnd && type.rawValue == 0 }

    var isTruncated: Bool { missingBytes > 0 }

    var end: Int64 { offset + size }
}

/// Steps from box to box of a file without reading their contents.
struct FileBoxWalk {
    private let source: any ByteSource
    private var position: Int64 = 0
    /// The bytes that were read ahead, and their offset, because small boxes tend to be clustered.
    private var window: [UInt8] = []
    private var windowStart: Int64 = 0
    private var smallInARow = 0

    /// The maximum size of a small box, and the number of bytes to read at once after a cluster of them. A film has
    /// few, and each read of a remote file is a request.
    private static let (small, ahead): (Int64, Int64) = (1024, 8192)
    private static let crowd = 8

    init(_ source: any ByteSource, at position: Int64 = 0) { (self.source, self.position) = (source, position) }

    /// Returns the next box, or `nil` at the end of the file.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if the bytes at the position are not a box header.
    mutating func next() throws(ScrubError) -> FileBox? {
        let left = source.byteCount - position
        guard left >= 8 else { return nil }
        if position < windowStart || windowStart + Int64(window.count) - position < min(left, 16) {
            window = try source.read(at: position, count: Int(min(left, smallInARow >= Self.crowd ? Self.ahead : 16)))
            windowStart = position
        }
        let first = Int(position - windowStart)
        let length = min(16, window.count - first)
        guard length >= 8 else { return nil }
        let said = bigEndian32(window.span, at: first)
        let type = FourCC(rawValue: bigEndian32(window.span, at: first + 4))
        var header: Int64 = 8
        var claimed = UInt64(said)
        if said == 1, length >= 16 {
            header = 16
            claimed = bigEndian64(window.span, at: first + 8)
        } else if said == 0 {
            claimed = UInt64(left)
        }
        guard claimed >= UInt64(header) else {
            throw ScrubError(
                .badData, "no box starts here: size \(claimed), type \(type)", place: .byte(Int64(position)))
        }
        let size = claimed > UInt64(left) ? left : Int64(claimed)
        smallInARow = size < Self.small ? smallInARow + 1 : 0
        defer { position += size }
        return FileBox(
            type: type, offset: position, headerSize: header, size: size,
            missingBytes: Int64(clamping: claimed - UInt64(size)), reachesEnd: said == 0)
    }
}
