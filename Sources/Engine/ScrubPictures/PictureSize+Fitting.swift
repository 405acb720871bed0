extension PictureSize {
    /// Returns the largest size with a picture's own aspect ratio that fits inside this size.
    ///
    /// For nearly equal shapes it is this size, because sizes are rounded, and headers may include the padding of the
    /// last blocks.
    ///
    /// - Parameters:
    ///   - own: the size of the upright picture with square pixels.
    ///   - shape: the shape for which this size was made.
    func fitting(_ own: (width: Int, height: Int), amongPicturesOf shape: (width: Int, height: Int)) -> PictureSize {
        // Pictures have less than 2^28 pixels. With their aspect ratio applied, sides are below 2^24.
        let (across, down) = (own.width * shape.height, own.height * shape.width)
        guard own.width > 0, own.height > 0, abs(across - down) > max(across, down) / 50 else { return self }
        let inside =
            own.width * height >= own.height * width
            ? PictureSize(width: width, height: max(1, (2 * own.height * width + own.width) / (2 * own.width)))
            : PictureSize(width: max(1, (2 * own.width * height + own.height) / (2 * own.height)), height: height)
        return abs(inside.width - width) <= 2 && abs(inside.height - height) <= 2 ? self : inside
    }
}

extension RasterImage {
    /// Returns the picture centered in a larger one that is black, or transparent if it has alpha. Returns the picture
    /// itself if it already has that size.
    ///
    /// - Precondition: the picture is not larger than the size.
    func placed(in size: PictureSize) -> RasterImage {
        guard size != PictureSize(width: width, height: height) else { return self }
        precondition(width <= size.width && height <= size.height, "the picture does not fit")
        let stride = size.width * bytesPerPixel
        var wide = [UInt8](repeating: 0, count: stride * size.height)
        let start = (size.height - height) / 2 * stride + (size.width - width) / 2 * bytesPerPixel
        for y in 0..<height {
            let (to, from) = (start + y * stride, y * bytesPerRow)
            wide.replaceSubrange(to..<to + bytesPerRow, with: bytes[from..<from + bytesPerRow])
        }
        return RasterImage(
            width: size.width, height: size.height, channels: channels, bitDepth: bitDepth, bytes: wide, color: color)
    }
}
