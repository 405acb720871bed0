/// Finding the 00 00 01 prefix that separates units in Annex B H.264/HEVC and in MPEG-1, -2 and -4 video.
enum StartCode {
    /// Returns the index of the first byte of the next 00 00 01 at or after `start`, or `nil`.
    ///
    /// Looks at every third byte as long as it is neither 0 nor 1: no prefix can end or continue there.
    static func find(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        let last = bytes.count - 3
        while index <= last {
            let third = bytes[index + 2]
            if third > 1 {
                index += 3
            } else if third == 1 {
                if bytes[index] == 0, bytes[index + 1] == 0 { return index }
                index += 3
            } else {
                index += bytes[index + 1] == 0 ? 1 : 2
            }
        }
        return nil
    }

    /// Whether the bytes begin with 00 00 01 or 00 00 00 01.
    static func isAtStart(of bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 4, bytes[0] == 0, bytes[1] == 0 else { return false }
        return bytes[2] == 1 || (bytes[2] == 0 && bytes[3] == 1)
    }
}

/// Walks the units that start with 00 00 01, without copying. The unit's first byte is the start code value.
struct StartCodeUnits: ~Escapable {
    private let bytes: Span<UInt8>
    /// The first byte after the current prefix, or `nil` when the walk is over.
    private var unitStart: Int?

    /// Bytes in front of the first prefix are left out.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
        self.unitStart = StartCode.find(in: bytes, from: 0).map { $0 + 3 }
    }

    /// Returns the next unit's place without its prefix, but with zero bytes behind it: in MPEG headers these can be
    /// data.
    @_lifetime(self: copy self)
    mutating func next() -> Range<Int>? {
        // A prefix right behind a prefix, or at the very end, has no unit.
        while let start = unitStart {
            let following = StartCode.find(in: bytes, from: start)
            unitStart = following.map { $0 + 3 }
            let end = following ?? bytes.count
            if end > start { return start..<end }
        }
        return nil
    }
}
