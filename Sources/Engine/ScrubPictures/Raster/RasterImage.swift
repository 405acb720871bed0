/// A picture as rows of interleaved channels, top row first, ready to be shown or written.
package struct RasterImage: Sendable {
    package let width: Int
    package let height: Int
    /// 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA. Alpha is straight, not multiplied into the colors.
    package let channels: Int
    /// 8, or 16 with the low byte of each sample first.
    package let bitDepth: Int
    /// Bytes from one row to the next; rows are packed tightly.
    package let bytesPerRow: Int
    package let bytes: [UInt8]
    /// The meaning of the numbers: always full range without a matrix, with the source's primaries and transfer.
    package let color: ColorSpec

    /// Bytes of one pixel: 1, 2, 3, 4, 6 or 8.
    package var bytesPerPixel: Int { channels * bitDepth / 8 }
    /// The greatest value of a sample.
    package var maximum: Int { bitDepth == 8 ? 255 : 65535 }
    package var hasAlpha: Bool { channels == 2 || channels == 4 }

    /// - Precondition: 1 to 4 channels of 8 or 16 bits, and tightly packed bytes for all pixels.
    package init(width: Int, height: Int, channels: Int, bitDepth: Int, bytes: [UInt8], color: ColorSpec) {
        precondition((1...4).contains(channels) && (bitDepth == 8 || bitDepth == 16), "not a raster format")
        bytesPerRow = width * channels * bitDepth / 8
        precondition(width > 0 && height > 0 && bytes.count == bytesPerRow * height, "not the picture's size")
        self.width = width
        self.height = height
        self.channels = channels
        self.bitDepth = bitDepth
        self.bytes = bytes
        self.color = color
    }
}
