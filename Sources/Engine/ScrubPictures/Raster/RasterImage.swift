/// A picture as rows of interleaved channels, top row first, ready for display or output.
package struct RasterImage: Sendable {
    package let width: Int
    package let height: Int
    /// 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA. Alpha is straight, not multiplied into the colors.
    package let channels: Int
    /// The number of bits per sample: 8, or 16 with the low byte first.
    package let bitDepth: Int
    /// The number of bytes from one row to the next; rows are tightly packed.
    package let bytesPerRow: Int
    package let bytes: [UInt8]
    /// The meaning of the values: always full range without a matrix, with the source's primaries and transfer.
    package let color: ColorSpec

    /// The number of bytes of one pixel: 1, 2, 3, 4, 6, or 8.
    package var bytesPerPixel: Int { channels * bitDepth / 8 }
    /// The maximum value of a sample.
    package var maximum: Int { bitDepth == 8 ? 255 : 65535 }
    package var hasAlpha: Bool { channels == 2 || channels == 4 }

    /// - Precondition: 1 to 4 channels of 8 or 16 bits, and tightly packed bytes for all pixels.
    package init(width: Int, height: Int, channels: Int, bitDepth: Int, bytes: [UInt8], color: ColorSpec) {
        precondition((1...4).contains(channels) && (bitDepth == 8 || bitDepth == 16), "not a raster format")
        bytesPerRow = width * channels * bitDepth / 8
        precondition(width > 0 && height > 0 && bytes.count == bytesPerRow * height, "the bytes do not match the size")
        self.width = width
        self.height = height
        self.channels = channels
        self.bitDepth = bitDepth
        self.bytes = bytes
        self.color = color
    }
}
