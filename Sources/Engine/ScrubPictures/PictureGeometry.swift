package import ScrubBase

/// From the stored pixel grid to an upright picture of square pixels.
package struct PictureGeometry: Sendable, Hashable {
    package let orientation: Orientation
    /// Width to height of one stored pixel, before it is turned.
    package let sampleAspectRatio: Rational

    package init(orientation: Orientation = .upright, sampleAspectRatio: Rational = .one) {
        self.orientation = orientation
        self.sampleAspectRatio = sampleAspectRatio
    }

    /// The longest side that is ever made by applying an aspect ratio, in pixels: JPEG stops at 65535 and PNG readers
    /// rarely go further.
    package static let longestSide = JPEGLimits.longestSide

    /// Returns the size with square pixels, in the stored orientation.
    ///
    /// A ratio above one widens, one below one heightens: no stored detail is dropped. The grown side is rounded to
    /// the nearest whole number, halves up. Ratios outside 1:16 to 16:1, or that make a side longer than
    /// ``longestSide``, are not believed and leave the size as it is.
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

    /// Returns the parts of the geometry that could not be followed, in a sentence each.
    package func warnings(width: Int, height: Int) -> [String] {
        var warnings: [String] = []
        if orientation.isApproximate {
            warnings.append(
                "the display matrix is not a right angle; turned by \(orientation.degreesClockwise) degrees instead")
        }
        if squarePixelSize(width: width, height: height).isIgnored {
            warnings.append("the sample aspect ratio \(sampleAspectRatio) is absurd and was ignored")
        }
        return warnings
    }
}
