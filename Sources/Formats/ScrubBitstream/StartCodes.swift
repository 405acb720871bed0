/// Finds the 00 00 01 prefix that separates units in Annex B H.264/HEVC and in MPEG-1, -2 and -4 video.
enum StartCode {
    /// Returns the index of the first byte of the next 00 00 01 at or after `start`, or `nil`.
    ///
    /// Goes from one pair of zero bytes to the next, because coded data has few of them. Going from one zero byte to
    /// the next, about one in a hundred, takes twice as long.
    static func find(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while let pair = nextZeros(in: bytes, from: index) {
            var end = pair + 2
            while end < bytes.count, bytes[end] == 0 { end += 1 }
            guard end < bytes.count else { return nil }
            if bytes[end] == 1 { return end - 2 }
            index = end + 1
        }
        return nil
    }

    /// Returns the position of the next two zero bytes.
    @inline(__always)
    private static func nextZeros(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while bytes.count - index > 32 {
            let marks = (0..<4).reduce(UInt64(0)) { $0 | zeroMarks(bytes, at: index + 8 * $1) }
            if marks != 0 { break }
            index += 32
        }
        while bytes.count - index > 8 {
            let marks = zeroMarks(bytes, at: index)
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        while bytes.count - index > 1 {
            if bytes[index] == 0, bytes[index + 1] == 0 { return index }
            index += 1
        }
        return nil
    }

    /// Returns marks for eight bytes: the highest bit is set for the first zero byte that is followed by a zero byte,
    /// and for none before it.
    ///
    /// - Precondition: the bytes exist, and one more after them.
    @inline(__always)
    private static func zeroMarks(_ bytes: Span<UInt8>, at place: Int) -> UInt64 {
        precondition(place >= 0 && bytes.count - place > 8, "nine bytes past the end")
        let raw = unsafe bytes.bytes
        let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
        let behind = unsafe raw.unsafeLoadUnaligned(fromByteOffset: place + 1, as: UInt64.self)
        let pairs = UInt64(littleEndian: word | behind)
        return (pairs &- 0x0101_0101_0101_0101) & ~pairs & 0x8080_8080_8080_8080
    }

    /// Whether the bytes begin with 00 00 01 or 00 00 00 01.
    static func isAtStart(of bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 4, bytes[0] == 0, bytes[1] == 0 else { return false }
        return bytes[2] == 1 || (bytes[2] == 0 && bytes[3] == 1)
    }
}

/// Iterates over the units that start with 00 00 01, without copying. The unit's first byte is the start code value.
struct StartCodeUnits: ~Escapable {
    private let bytes: Span<UInt8>
    /// The first byte after the current prefix, or `nil` at the end.
    private var unitStart: Int?

    /// Bytes before the first prefix are skipped.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
        self.unitStart = StartCode.find(in: bytes, from: 0).map { $0 + 3 }
    }

    /// Returns the next unit's range without its prefix but with zero bytes after it, which can be data in MPEG
    /// headers.
    @_lifetime(self: copy self)
    mutating func next() -> Range<Int>? {
        // A prefix directly after another one, or at the very end, has no unit.
        while let start = unitStart {
            let following = StartCode.find(in: bytes, from: start)
            unitStart = following.map { $0 + 3 }
            let end = following ?? bytes.count
            if end > start { return start..<end }
        }
        return nil
    }
}
