/// The part of a stored picture to show according to the container, in whole pixels, before rotation and aspect
/// correction.
///
/// It applies only to displayed pictures; planes and raw geometry are those of the decoded picture. `hash` ignores the
/// same values as ffmpeg (`CodecDescription.commandCrop`).
package struct CleanAperture: Hashable, Sendable {
    /// The stored size to which it applies; pictures of other sizes are shown in full.
    package let codedWidth: Int
    package let codedHeight: Int
    package let left: Int
    package let top: Int
    package let width: Int
    package let height: Int

    /// Creates an aperture; `nil` if it is empty, covers everything, or is not inside the picture.
    package init?(codedWidth: Int, codedHeight: Int, left: Int, top: Int, width: Int, height: Int) {
        guard left >= 0, top >= 0, width > 0, height > 0, codedWidth > 0, codedHeight > 0, width <= codedWidth,
            height <= codedHeight, left <= codedWidth - width, top <= codedHeight - height,
            width < codedWidth || height < codedHeight
        else { return nil }
        (self.codedWidth, self.codedHeight) = (codedWidth, codedHeight)
        (self.left, self.top, self.width, self.height) = (left, top, width, height)
    }

    /// Returns whether the aperture applies to pictures of the given size.
    package func fits(width: Int, height: Int) -> Bool { codedWidth == width && codedHeight == height }
}
