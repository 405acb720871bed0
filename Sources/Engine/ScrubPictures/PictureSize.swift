package import ScrubBase

/// A size in pixels.
package struct PictureSize: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// The maximum side of a small picture. Encoders and players do not support longer ones, and a strip of one column
    /// of pixels would otherwise have any height.
    package static let longestSide = 16384

    /// Creates the size for a width in the shape of a picture, even as required by 4:2:0; narrower if it would be too
    /// high.
    ///
    /// - Parameter shape: the size of the upright picture with square pixels.
    package init(width: Int, shape: (width: Int, height: Int)) {
        let high = max(2, (width * shape.height + shape.width) / (2 * shape.width) * 2)
        if high <= PictureSize.longestSide {
            (self.width, height) = (width, high)
        } else {
            (self.width, height) = (
                max(1, PictureSize.longestSide * shape.width / shape.height), PictureSize.longestSide
            )
        }
    }

    /// Creates the largest size with a picture's shape inside a square box.
    package init(side: Int, shape: (width: Int, height: Int)) {
        let long = max(shape.width, shape.height)
        width = max(1, (side * shape.width * 2 + long) / (2 * long))
        height = max(1, (side * shape.height * 2 + long) / (2 * long))
    }

    /// Creates the largest size with a picture's shape inside a box, with each side rounded to the nearest integer;
    /// never larger than the picture.
    ///
    /// - Parameters: the box; 0 means no limit.
    package init(insideWidth: Int, height limit: Int, shape: (width: Int, height: Int)) {
        (width, height) = shape
        if insideWidth > 0, width > insideWidth {
            (width, height) = (insideWidth, Self.rounded(insideWidth, shape.height, shape.width))
        }
        if limit > 0, height > limit { (width, height) = (Self.rounded(limit, shape.width, shape.height), limit) }
    }

    /// Returns `side * a / b`, halves up, at least 1.
    private static func rounded(_ side: Int, _ a: Int, _ b: Int) -> Int { max(1, (2 * side * a + b) / (2 * b)) }

    /// Creates the size for a given width.
    ///
    /// - Throws: ``ScrubError/Code/usage`` if one of the sides is not in 1...16384.
    package init(givenWidth width: Int, shape: (width: Int, height: Int)) throws(ScrubError) {
        try Self.check(width, "width")
        self.init(width: width, shape: shape)
        guard self.width == width else {
            throw ScrubError(
                .usage,
                "at \(width) pixels wide, a picture of \(shape.width) x \(shape.height) is taller than \(Self.longestSide)",
                advice: "use a smaller width, or set a height")
        }
    }

    /// Creates the size for a given height, like ``init(givenWidth:shape:)``.
    package init(givenHeight height: Int, shape: (width: Int, height: Int)) throws(ScrubError) {
        try Self.check(height, "height")
        do throws(ScrubError) {
            let turned = try PictureSize(givenWidth: height, shape: (shape.height, shape.width))
            self.init(width: turned.height, height: turned.width)
        } catch {
            throw ScrubError(
                .usage,
                "at \(height) pixels high, a picture of \(shape.width) x \(shape.height) is wider than \(Self.longestSide)",
                advice: "use a smaller height, or set a width")
        }
    }

    /// Throws for a side that is out of range.
    ///
    /// - Throws: ``ScrubError/Code/usage`` if it is not in 1...16384.
    package static func check(_ side: Int, _ name: String) throws(ScrubError) {
        guard (1...longestSide).contains(side) else {
            throw ScrubError(
                .usage, "a \(name) of \(side) is out of range", advice: "use a value from 1 to \(longestSide)")
        }
    }
}
