extension RasterImage {
    /// Returns a smaller picture: each pixel is the average of the pixels that it covers, calculated on the codes, as
    /// thumbnails are made.
    ///
    /// - Precondition: 8-bit RGB, and neither side is longer than before.
    package func reduced(width newWidth: Int, height newHeight: Int) -> RasterImage {
        precondition(channels == 3 && bitDepth == 8, "only 8-bit RGB can be reduced")
        guard newWidth != width || newHeight != height else { return self }
        var average = AreaAverage(width: width, height: height, size: PictureSize(width: newWidth, height: newHeight))
        var lines = [[Float]](repeating: [Float](repeating: 0, count: width), count: 3)
        for y in 0..<height {
            for channel in 0..<3 {
                // 257 scales 255 to the maximum code of 16 bits.
                for x in 0..<width { lines[channel][x] = Float(bytes[y * bytesPerRow + x * 3 + channel]) * 257 }
            }
            average.add(lines[0], lines[1], lines[2], row: y) { _, _, _ in }
        }
        return RasterImage(
            width: newWidth, height: newHeight, channels: 3, bitDepth: 16, bytes: average.bytes, color: color
        ).reducedTo8Bits()
    }
}
