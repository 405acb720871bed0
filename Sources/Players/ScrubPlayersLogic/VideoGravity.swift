public import ScrubBase

/// How a picture is fitted into bounds. The cases have the names that AVFoundation uses.
public enum VideoGravity: String, Sendable, Hashable, CaseIterable {
    /// The whole picture is shown, centered and with its aspect ratio. Bars fill the rest of the bounds.
    case resizeAspect
    /// The picture fills the bounds and keeps its aspect ratio. The excess is cropped equally on both sides.
    case resizeAspectFill
    /// The whole picture fills the bounds, distorted if necessary.
    case resize
}

extension VideoGravity {
    /// The position of a picture in bounds, and the part of the picture that is visible.
    ///
    /// Thread safety: a value type.
    public struct Placement: Sendable, Hashable {
        /// The area that the picture covers, in the coordinates of the bounds. It never extends beyond them.
        public let destination: VideoRect
        /// The visible part of the upright picture, in square pixels.
        public let source: VideoRect
        /// The same part in stored pixels, before the picture is scaled to square pixels and rotated.
        public let storedSource: VideoRect
    }

    /// Returns the exact size of the upright picture, in square pixels.
    ///
    /// As everywhere in Scrub, a sample aspect ratio above 1 makes the picture wider, and a ratio below 1 makes it
    /// taller.
    ///
    /// - Parameters:
    ///   - width: the number of stored pixels in a row; a number above 2^17 counts as 2^17.
    ///   - height: the number of stored rows; a number above 2^17 counts as 2^17.
    ///   - sampleAspectRatio: the ratio of width to height of a stored pixel, before rotation. A ratio below 1:16 or
    ///     above 16:1 is considered invalid and counts as 1. A ratio with more than 16 bits in its numerator or
    ///     denominator is rounded down to a multiple of 1/4096.
    ///   - rotation: the clockwise rotation in degrees, rounded down to a multiple of 90.
    /// - Returns: the size, which is empty if there are no pixels.
    public static func uprightSize(
        width: Int, height: Int, sampleAspectRatio: Rational = .one, rotation: Int = 0
    ) -> VideoSize {
        UprightPicture(width, height, sampleAspectRatio, rotation).size
    }

    /// Returns the placement of a picture in bounds.
    ///
    /// All values are exact ratios; ``VideoRect/pixels`` rounds them. Only the sides of the bounds are rounded: down to
    /// a multiple of 1/3072, and to at most 2^17, so that no product overflows. Whole points stay exact, and so do
    /// whole pixels on screens with 2, 3 or 4 pixels per point.
    ///
    /// - Parameters:
    ///   - width: the number of stored pixels in a row; a number above 2^17 counts as 2^17.
    ///   - height: the number of stored rows; a number above 2^17 counts as 2^17.
    ///   - sampleAspectRatio: the ratio of width to height of a stored pixel, before rotation. A ratio below 1:16 or
    ///     above 16:1 is considered invalid and counts as 1. A ratio with more than 16 bits in its numerator or
    ///     denominator is rounded down to a multiple of 1/4096.
    ///   - rotation: the clockwise rotation in degrees, rounded down to a multiple of 90.
    ///   - bounds: the area in which the picture is shown.
    /// - Returns: the placement; `nil` if the picture or the bounds are empty.
    public func placement(
        width: Int, height: Int, sampleAspectRatio: Rational = .one, rotation: Int = 0, in bounds: VideoSize
    ) -> Placement? {
        let bounds = VideoSize(width: Self.stepped(bounds.width), height: Self.stepped(bounds.height))
        let upright = UprightPicture(width, height, sampleAspectRatio, rotation)
        let picture = upright.size
        guard !picture.isEmpty, !bounds.isEmpty else { return nil }
        var size = bounds
        var shown = picture
        // Wider than the bounds: there are bars above and below, or the sides are cropped.
        let isWider = picture.width / picture.height > bounds.width / bounds.height
        switch self {
        case .resize: break
        case .resizeAspect where isWider: size.height = picture.height / picture.width * bounds.width
        case .resizeAspect: size.width = picture.width / picture.height * bounds.height
        case .resizeAspectFill where isWider: shown.width = bounds.width / bounds.height * picture.height
        case .resizeAspectFill: shown.height = bounds.height / bounds.width * picture.width
        }
        let source = Self.centred(shown, in: picture)
        return Placement(
            destination: Self.centred(size, in: bounds), source: source, storedSource: upright.stored(source))
    }

    private static func centred(_ size: VideoSize, in outer: VideoSize) -> VideoRect {
        let half = Rational(1, 2)
        return VideoRect(x: (outer.width - size.width) * half, y: (outer.height - size.height) * half, size: size)
    }

    /// Returns a side of the bounds in steps, below 2^29.
    private static func stepped(_ side: Rational) -> Rational {
        Rational(Int64(min(max(side.scaledDown(3072), 0), 3072 << 17)), 3072)
    }
}

/// A stored picture as displayed.
///
/// Its sides have at most 17 bits, the ratio 16 in each part, and bounds 29 over 3072. No value of a placement
/// therefore has more than 62 bits in a part: at most 17 + 29 + 16, and differences have the same denominators.
private struct UprightPicture {
    private let width: Rational
    private let height: Rational
    private let aspect: Rational
    private let quarterTurns: Int

    init(_ width: Int, _ height: Int, _ aspect: Rational, _ rotation: Int) {
        self.width = Rational(Int64(min(max(width, 0), 1 << 17)))
        self.height = Rational(Int64(min(max(height, 0), 1 << 17)))
        let isBelievable = aspect >= Rational(1, 16) && aspect <= Rational(16)
        let isShort = aspect.numerator < 1 << 16 && aspect.denominator < 1 << 16
        let short = isShort || !isBelievable ? aspect : Rational(Int64(aspect.scaledDown(4096)), 4096)
        self.aspect = isBelievable ? short : .one
        let turns = (rotation % 360) / 90 - (rotation % 90 < 0 ? 1 : 0)
        quarterTurns = turns & 3
    }

    private var scale: (x: Rational, y: Rational) { aspect > .one ? (aspect, .one) : (.one, .one / aspect) }

    var size: VideoSize {
        let (x, y) = (width * scale.x, height * scale.y)
        return quarterTurns & 1 == 0 ? VideoSize(width: x, height: y) : VideoSize(width: y, height: x)
    }

    /// Returns the stored pixels for a part of the upright picture.
    func stored(_ part: VideoRect) -> VideoRect {
        let right = size.width - part.x - part.size.width
        let bottom = size.height - part.y - part.size.height
        // Rotated clockwise, the stored top is on the right, and its left is on top.
        let (x, y): (Rational, Rational) =
            switch quarterTurns {
            case 0: (part.x, part.y)
            case 1: (part.y, right)
            case 2: (right, bottom)
            default: (bottom, part.x)
            }
        let (w, h) =
            quarterTurns & 1 == 0 ? (part.size.width, part.size.height) : (part.size.height, part.size.width)
        return VideoRect(
            x: x / scale.x, y: y / scale.y, size: VideoSize(width: w / scale.x, height: h / scale.y))
    }
}
