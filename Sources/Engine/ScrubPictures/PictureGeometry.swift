package import ScrubBase

/// The geometry that leads from the stored pixel grid to an upright picture with square pixels.
package struct PictureGeometry: Sendable, Hashable {
    package let orientation: Orientation
    /// The width of one stored pixel divided by its height, before rotation.
    package let sampleAspectRatio: Rational

    package init(orientation: Orientation = .upright, sampleAspectRatio: Rational = .one) {
        self.orientation = orientation
        self.sampleAspectRatio = sampleAspectRatio
    }

    /// The maximum length of a side after applying an aspect ratio, in pixels: JPEG allows at most 65535, and PNG
    /// readers rarely support more.
    package static let longestSide = JPEGLimits.longestSide

    /// Returns the size with square pixels, in the stored orientation.
    ///
    /// A ratio above one increases the width, one below one increases the height: no stored detail is lost. The larger
    /// side is rounded to the nearest integer, halves up. Ratios outside 1:16 to 16:1, or that make a side longer than
    /// ``longestSide``, are ignored, and the size stays as it is.
    func squarePixelSize(width: Int, height: Int) -> (width: Int, height: Int, isIgnored: Bool) {
        let ratio = sampleAspectRatio
        guard ratio >= Rational(1, 16), ratio <= Rational(16) else { return (width, height, true) }
        func grown(_ side: Int, _ n: Int64, _ d: Int64) -> Int128 {
            Rational.floor(2 * Int128(side) * Int128(n) + Int128(d), 2 * Int128(d))
        }
        let wide = ratio > .one
        let side =
            wide
            ? grown(width, ratio.numerator, ratio.denominator)
            : grown(height, ratio.denominator, ratio.numerator)
        guard ratio == .one || side <= Self.longestSide else { return (width, height, true) }
        return wide ? (Int(side), height, false) : (width, Int(side), false)
    }

    /// Returns the size of the upright picture with square pixels.
    package func outputSize(width: Int, height: Int) -> (width: Int, height: Int) {
        let size = squarePixelSize(width: width, height: height)
        return orientation.swapsAxes ? (size.height, size.width) : (size.width, size.height)
    }

    /// Returns a warning for each part of the geometry that could not be applied.
    package func warnings(width: Int, height: Int) -> [String] {
        var warnings: [String] = []
        if orientation.isApproximate {
            warnings.append(
                "the display matrix does not rotate by a multiple of 90 degrees; "
                    + "the picture is rotated by \(orientation.degreesClockwise) degrees instead")
        }
        if squarePixelSize(width: width, height: height).isIgnored {
            warnings.append("the sample aspect ratio \(sampleAspectRatio) is implausible and was ignored")
        }
        return warnings
    }
}
