internal import CScrubShims
package import ScrubBase

/// Writing PNG (Portable Network Graphics, third edition).
package enum PNG {
    /// Returns the picture as the bytes of a PNG file.
    ///
    /// Primaries and transfer go into a `cICP` chunk when both are known, so that an HDR or wide-gamut still is not
    /// shown as sRGB. Otherwise the file does not claim any. PQ and HLG without primaries count as BT.2020 (BT.2100 has
    /// no others).
    ///
    /// - Parameter compression: zlib's level, 0 (stored) to 9. Levels up to 3 also try fewer row filters. Measured on
    ///   1920x1080 RGB of 8 bits, on a busy machine with two cores. A detailed picture took 0.20 s and 2067 KiB at
    ///   level 2, 0.90 s and 1689 KiB at libpng's own default of 6. A flat one took 0.04 s and 320 KiB against 0.09 s
    ///   and 274 KiB. A still that someone waits for is worth more than a fifth of its bytes, so the default is 2.
    /// - Parameter texts: keywords and texts for `tEXt` chunks, written in their order before the pixels.
    /// - Throws: ``ScrubError/Code/usage`` for a text that such a chunk cannot hold.
    package static func encode(
        _ image: RasterImage, compression: Int = 2, texts: [(keyword: String, text: String)] = []
    ) throws(ScrubError) -> [UInt8] {
        precondition((0...9).contains(compression), "zlib's levels are 0 to 9")
        var info = unsafe scrub_png_info()
        // IHDR's sizes are at most 2^31 - 1 (11.2.1).
        guard let width = Int32(exactly: image.width), let height = Int32(exactly: image.height) else {
            throw ScrubError(.badData, "\(image.width)x\(image.height) pixels do not fit a PNG")
        }
        unsafe info.width = UInt32(width)
        unsafe info.height = UInt32(height)
        unsafe info.bit_depth = Int32(image.bitDepth)
        unsafe info.channels = Int32(image.channels)
        unsafe info.compression = Int32(compression)
        if let (primaries, transfer) = codePoints(image.color) {
            unsafe info.has_cicp = 1
            unsafe info.color_primaries = primaries
            unsafe info.transfer = transfer
        }
        var latin: [CChar] = []
        for (keyword, text) in texts { latin += try bytes(keyword: keyword) + bytes(text: text) }
        unsafe info.text_count = Int32(texts.count)
        var out: UnsafeMutablePointer<UInt8>?
        var count = 0
        var reason = ""
        let status = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            unsafe text.initialize(repeating: 0)
            let status = unsafe latin.withUnsafeBufferPointer { latin in
                unsafe info.texts = latin.baseAddress
                return unsafe image.bytes.withUnsafeBufferPointer { pixels in
                    unsafe scrub_png_encode(
                        &info, pixels.baseAddress, image.bytesPerRow, &out, &count, text.baseAddress, text.count)
                }
            }
            if status != 0 { reason = unsafe text.baseAddress.map { unsafe String(cString: $0) } ?? "" }
            return status
        }
        guard status == 0, let out = unsafe out else { throw ScrubError(.inputOutput, "PNG: \(reason)") }
        defer { unsafe scrub_png_free(out) }
        return unsafe [UInt8](UnsafeBufferPointer(start: out, count: count))
    }

    /// Returns the content of `cICP`, or `nil` if too little is known.
    static func codePoints(_ color: ColorSpec) -> (primaries: UInt8, transfer: UInt8)? {
        let isHDR = color.transfer == 16 || color.transfer == 18
        let unspecified = ColorSpec.unspecified
        let primaries = color.primaries == unspecified && isHDR ? 9 : color.primaries
        guard primaries != unspecified, color.transfer != unspecified else { return nil }
        return (primaries, color.transfer)
    }

    /// Returns a keyword's bytes and a zero: 1 to 79 printable characters of Latin-1 without spaces at the ends or two
    /// in a row (11.3.3.2).
    private static func bytes(keyword: String) throws(ScrubError) -> [CChar] {
        let codes = keyword.unicodeScalars.map(\.value)
        let isPrintable = codes.allSatisfy { (32...126).contains($0) || (161...255).contains($0) }
        let hasStraySpaces =
            codes.first == 32 || codes.last == 32 || zip(codes, codes.dropFirst()).contains { $0 == (32, 32) }
        guard (1...79).contains(codes.count), isPrintable, !hasStraySpaces else {
            throw ScrubError(
                .usage, "\"\(keyword)\" cannot be a PNG keyword",
                advice: "use 1 to 79 printable Latin-1 characters with single spaces between words")
        }
        return codes.map { CChar(truncatingIfNeeded: $0) } + [0]
    }

    /// Returns a text's bytes and a zero: Latin-1 without zeros (11.3.3.3).
    private static func bytes(text: String) throws(ScrubError) -> [CChar] {
        let codes = text.unicodeScalars.map(\.value)
        guard codes.allSatisfy({ (1...255).contains($0) }) else {
            throw ScrubError(
                .usage, "a PNG's text must be Latin-1: \"\(text)\"",
                advice: "percent-encode or leave out other characters")
        }
        return codes.map { CChar(truncatingIfNeeded: $0) } + [0]
    }
}
