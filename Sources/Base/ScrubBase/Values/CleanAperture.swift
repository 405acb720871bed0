/// The part of a stored picture that a container wants to be seen, in whole pixels, before rotation and aspect
/// correction.
///
/// It is for pictures that people look at: planes and raw geometry are those of the decoded picture. `hash` ignores the
/// same values as ffmpeg (`CodecDescription.commandCrop`).
package struct CleanAperture: Hashable, Sendable {
    /// The stored size that it belongs to; pictures of another size are shown whole.
    package let codedWidth: Int
    package let codedHeight: Int
    package let left: Int
    package let top: Int
    package let width: Int
    package let height: Int

    /// `nil` when the part is empty, is the whole, or does not lie in the picture.
    package init?(codedWidth: Int, codedHeight: Int, left: Int, top: Int, width: Int, height: Int) {
        guard left >= 0, top >= 0, width > 0, height > 0, codedWidth > 0, codedHeight > 0, width <= codedWidth,
            height <= codedHeight, left <= codedWidth - width, top <= codedHeight - height,
            width < codedWidth || height < codedHeight
        else { return nil }
        (self.codedWidth, self.codedHeight) = (codedWidth, codedHeight)
        (self.left, self.top, self.width, self.height) = (left, top, width, height)
    }

    /// Whether the aperture is meant for pictures of a size.
    package func fits(width: Int, height: Int) -> Bool { codedWidth == width && codedHeight == height }
}
