internal import ScrubLibAV
internal import ScrubMedia
internal import ScrubPictures

extension SetVerifier {
    /// Returns the mean difference between a thumbnail and a frame on the best-fitting background, because sets do not
    /// specify the color behind transparent pixels.
    ///
    /// A picture on a background equals the one on black, plus the background weighted by the additional amount that
    /// white shows. The background follows by least squares, for each color.
    ///
    /// - Parameter black: the frame composited over black.
    /// - Returns: the difference; `nil` for an opaque frame.
    func differenceOnGround(
        of picture: RasterImage, from frame: Int, black: RasterImage
    ) throws(ScrubError) -> Double? {
        let size = PictureSize(width: black.width, height: black.height)
        guard picture.bytes.count == black.bytes.count, let own = try self.picture(ofFrame: frame),
            asset.hasAlpha || own.shared.frame.pixelFormat.hasAlpha
        else { return nil }
        let white = try own.small(size, background: .white).image
        guard white.bytes.count == black.bytes.count, !black.bytes.isEmpty, black.channels > 0 else { return nil }
        let channels = black.channels
        var (shown, seen) = ([Double](repeating: 0, count: channels), [Double](repeating: 0, count: channels))
        for i in black.bytes.indices {
            let clear = Double(white.bytes[i]) - Double(black.bytes[i])
            shown[i % channels] += clear * (Double(picture.bytes[i]) - Double(black.bytes[i]))
            seen[i % channels] += clear * clear
        }
        guard seen.contains(where: { $0 > 0 }) else { return nil }
        let ground = zip(shown, seen).map { $1 > 0 ? min(1, max(0, $0 / $1)) : 0 }
        var sum = 0.0
        for i in black.bytes.indices {
            let clear = Double(white.bytes[i]) - Double(black.bytes[i])
            sum += abs(Double(black.bytes[i]) + ground[i % channels] * clear - Double(picture.bytes[i]))
        }
        return sum / Double(black.bytes.count)
    }
}
