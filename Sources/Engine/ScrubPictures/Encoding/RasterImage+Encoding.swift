internal import ScrubBase

extension RasterImage {
    /// Throws unless an 8-bit encoder supports the picture.
    func check8Bits(for format: String) throws(ScrubError) {
        guard bitDepth == 8 else {
            throw ScrubError(
                .usage, "\(format) has 8 bits per sample, but the picture has \(bitDepth)",
                advice: "reduce the picture to 8 bits first, or write PNG or AVIF")
        }
    }

    /// Throws if a side is longer than a format or its encoder allows.
    func checkSize(for format: String, limit: Int) throws(ScrubError) {
        guard max(width, height) > limit else { return }
        throw ScrubError(
            .usage,
            "a picture of \(width)x\(height) pixels is too large for \(format), which allows at most \(limit) pixels per side",
            advice: "make the picture smaller, put fewer tiles on a sheet, or write PNG")
    }
}
