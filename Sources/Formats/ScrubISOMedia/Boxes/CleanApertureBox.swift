import ScrubBase

extension CleanAperture {
    /// Reads a `clap` box (ISO/IEC 14496-12, 12.1.4): four fractions for the width, the height, and the offsets of the
    /// center from the picture's. Edges between two pixels are rounded to the nearest one.
    ///
    /// - Returns: `nil` if it is the whole picture.
    /// - Throws: ``ScrubError/Code/badData`` if it is not inside the picture.
    init?(_ body: Range<Int>, of bytes: [UInt8], codedWidth: Int, codedHeight: Int) throws(ScrubError) {
        guard body.count >= 32 else { throw ScrubError(.badData, "is too short for its four fractions") }
        let words = (0..<8).map { bigEndian32(bytes.span, at: body.lowerBound + 4 * $0) }
        guard
            let across = Self.edges(
                size: (words[0], words[1]), offset: (words[4], words[5]), coded: codedWidth),
            let down = Self.edges(size: (words[2], words[3]), offset: (words[6], words[7]), coded: codedHeight)
        else { throw ScrubError(.badData, "is not inside the picture") }
        self.init(
            codedWidth: codedWidth, codedHeight: codedHeight, left: across.lowerBound, top: down.lowerBound,
            width: across.count, height: down.count)
    }

    /// Returns the edges: the first one is offset + (coded - size) / 2, the other one `size` further.
    private static func edges(
        size: (UInt32, UInt32), offset: (UInt32, UInt32), coded: Int
    ) -> Range<Int>? {
        // Each has 32 bits, so 128 bits hold all products.
        let (sizeTop, sizeBottom) = (Int128(size.0), Int128(size.1))
        let (offsetTop, offsetBottom) = (Int128(Int32(bitPattern: offset.0)), Int128(offset.1))
        guard sizeTop > 0, sizeBottom > 0, offsetBottom > 0 else { return nil }
        let bottom = 2 * sizeBottom * offsetBottom
        let first = 2 * sizeBottom * offsetTop + offsetBottom * (Int128(coded) * sizeBottom - sizeTop)
        let last = first + 2 * offsetBottom * sizeTop
        func rounded(_ top: Int128) -> Int128 { Rational.floor(2 * top + bottom, 2 * bottom) }
        guard rounded(first) >= 0, rounded(last) <= Int128(coded), rounded(first) < rounded(last) else { return nil }
        return Int(rounded(first))..<Int(rounded(last))
    }
}
