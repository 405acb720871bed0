internal import CScrubShims
package import ScrubBase

/// An encoder for PNG (Portable Network Graphics, third edition).
package enum PNG {
    /// Returns the picture as a PNG file. The bytes depend only on the picture, not on the number of threads.
    ///
    /// Primaries and transfer go into a `cICP` chunk when both are known, so that an HDR or wide-gamut still is not
    /// shown as sRGB. Otherwise, the file does not specify any. PQ and HLG without primaries count as BT.2020 (BT.2100
    /// has no others).
    ///
    /// Cost of 1920x1080 RGB with 8 bits: 15 ms of processor time for videos, which two threads halve, 5 to 14 ms for
    /// flat pictures, 48 ms for text, 130 ms for a few dithered colors. Memory besides the picture: twice the file, a
    /// byte for each row, and for each thread 1.5 MiB and four rows.
    ///
    /// - Parameters:
    ///   - texts: keywords and texts for `tEXt` chunks, written in their order before the pixels.
    ///   - threads: the maximum number of threads, including the calling one. The others are started for the call.
    /// - Throws: ``ScrubError/Code/usage`` for a text that such a chunk cannot hold, ``ScrubError/Code/inputOutput`` if
    ///   there is not enough memory.
    package static func encode(
        _ image: RasterImage, texts: [(keyword: String, text: String)] = [], threads: Int = Processors.count
    ) throws(ScrubError) -> [UInt8] {
        var info = unsafe scrub_png_info()
        // IHDR's sizes are at most 2^31 - 1 (11.2.1).
        guard let width = Int32(exactly: image.width), let height = Int32(exactly: image.height) else {
            throw ScrubError(.badData, "a picture of \(image.width)x\(image.height) pixels is too large for PNG")
        }
        unsafe info.width = UInt32(width)
        unsafe info.height = UInt32(height)
        unsafe info.bit_depth = Int32(image.bitDepth)
        unsafe info.channels = Int32(image.channels)
        if let (primaries, transfer) = codePoints(image.color) {
            unsafe info.has_cicp = 1
            unsafe info.color_primaries = primaries
            unsafe info.transfer = transfer
        }
        var latin: [CChar] = []
        for (keyword, text) in texts { latin += try bytes(keyword: keyword) + bytes(text: text) }
        unsafe info.text_count = Int32(texts.count)
        let result = unsafe latin.withUnsafeBufferPointer { latin in
            unsafe info.texts = latin.baseAddress
            return unsafe image.bytes.withUnsafeBufferPointer { pixels in
                unsafe file(info, pixels, stride: image.bytesPerRow, threads: threads)
            }
        }
        return try result.get()
    }

    /// A PNG on which threads work, each on separate parts, as the C functions require.
    @safe private struct Work: @unchecked Sendable {
        let png: OpaquePointer
    }

    private static func file(
        _ info: scrub_png_info, _ pixels: UnsafeBufferPointer<UInt8>, stride: Int, threads: Int
    ) -> Result<[UInt8], ScrubError> {
        guard let png = unsafe scrub_png_begin([info], pixels.baseAddress, stride) else {
            return .failure(ScrubError(.inputOutput, "PNG: out of memory"))
        }
        defer { unsafe scrub_png_end(png) }
        let work = unsafe Work(png: png)
        SideBySide.run(unsafe scrub_png_stripes(png), threads: threads) { unsafe scrub_png_choose(work.png, $0) }
        SideBySide.run(unsafe scrub_png_join(png), threads: threads) { unsafe scrub_png_deflate(work.png, $0) }
        var out: UnsafeMutablePointer<UInt8>?
        var count = 0
        var reason = ""
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            unsafe text.initialize(repeating: 0)
            if unsafe scrub_png_write(png, &out, &count, text.baseAddress, text.count) != 0 {
                reason = unsafe text.baseAddress.map { unsafe String(cString: $0) } ?? ""
            }
        }
        guard let out = unsafe out else { return .failure(ScrubError(.inputOutput, "PNG: \(reason)")) }
        defer { unsafe scrub_png_free(out) }
        return .success(unsafe [UInt8](UnsafeBufferPointer(start: out, count: count)))
    }

    /// Returns the content of `cICP`; `nil` if too little is known.
    static func codePoints(_ color: ColorSpec) -> (primaries: UInt8, transfer: UInt8)? {
        let isHDR = color.transfer == 16 || color.transfer == 18
        let unspecified = ColorSpec.unspecified
        let primaries = color.primaries == unspecified && isHDR ? 9 : color.primaries
        guard primaries != unspecified, color.transfer != unspecified else { return nil }
        return (primaries, color.transfer)
    }

    /// Returns a keyword's bytes and a zero: 1 to 79 printable Latin-1 characters without leading, trailing, or
    /// consecutive spaces (11.3.3.2).
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
