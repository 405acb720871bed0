public import ScrubBase

/// The way a picture is fitted into bounds, under AVFoundation's names.
public enum VideoGravity: String, Sendable, Hashable, CaseIterable {
    /// The whole picture in its proportions, in the middle; the free space is bars.
    case resizeAspect
    /// The bounds are filled, in the picture's proportions; the excess is cut off on both sides alike.
    case resizeAspectFill
    /// The bounds are filled by the whole picture, out of proportion if need be.
    case resize
}

extension VideoGravity {
    /// The place of a picture, and the visible part of it.
    ///
    /// Thread safety: a value.
    public struct Placement: Sendable, Hashable {
        /// The place in the bounds' own coordinates; never beyond the bounds.
        public let destination: VideoRect
        /// The part of the upright picture with square pixels that is shown there.
        public let source: VideoRect
        /// The same part in stored pixels, before they are made square and the picture is turned.
        public let storedSource: VideoRect
    }

    /// Returns the size of the upright picture with square pixels, exact.
    ///
    /// As everywhere in this toolkit a sample aspect ratio above 1 widens the picture and one below 1 heightens it.
    ///
    /// - Parameters:
    ///   - width: stored pixels in a row; more than 2^17 count as 2^17.
    ///   - height: stored rows; more than 2^17 count as 2^17.
    ///   - sampleAspectRatio: width to height of a stored pixel, before it is turned. One outside 1:16 to 16:1 is not
    ///     believed and counts as 1. One with more than 16 bits in a part is rounded down to 1/4096.
    ///   - rotation: degrees clockwise; a value between right angles counts as the one below.
    /// - Returns: an empty size without pixels.
    public static func uprightSize(
        width: Int, height: Int, sampleAspectRatio: Rational = .one, rotation: Int = 0
    ) -> VideoSize {
        UprightPicture(width, height, sampleAspectRatio, rotation).size
    }

    /// Fits a picture into bounds.
    ///
    /// All values are exact ratios; ``VideoRect/pixels`` rounds them. Only the bounds' sides are rounded, down to
    /// 1/3072, and count as 2^17 if they are longer: so every product fits. Whole points, and pixels of screens with 2,
    /// 3 or 4 to a point, are exact.
    ///
    /// - Parameters:
    ///   - width: stored pixels in a row; more than 2^17 count as 2^17.
    ///   - height: stored rows; more than 2^17 count as 2^17.
    ///   - sampleAspectRatio: width to height of a stored pixel, before it is turned. One outside 1:16 to 16:1 is not
    ///     believed and counts as 1. One with more than 16 bits in a part is rounded down to 1/4096.
    ///   - rotation: degrees clockwise; a value between right angles counts as the one below.
    ///   - bounds: the area in which it is shown.
    /// - Returns: `nil` when the picture or the bounds are empty.
    public func placement(
        width: Int, height: Int, sampleAspectRatio: Rational = .one, rotation: Int = 0, in bounds: VideoSize
    ) -> Placement? {
        let bounds = VideoSize(width: Self.stepped(bounds.width), height: Self.stepped(bounds.height))
        let upright = UprightPicture(width, height, sampleAspectRatio, rotation)
        let picture = upright.size
        guard !picture.isEmpty, !bounds.isEmpty else { return nil }
        var size = bounds
        var shown = picture
        // Wider than the bounds: bars are above and below, or the sides are cut.
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

    /// Returns a side of the bounds, below 2^29 steps.
    private static func stepped(_ side: Rational) -> Rational {
        Rational(Int64(min(max(side.scaledDown(3072), 0), 3072 << 17)), 3072)
    }
}

/// A stored picture as it is seen.
///
/// Its sides have at most 17 bits, the ratio 16 in each part, bounds 29 over 3072. So no value of a placement has more
/// than 62 bits in a part: 17 + 29 + 16 at most, and the differences have the same denominators.
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

    /// Returns the stored pixels that a part of the upright picture comes from.
    func stored(_ part: VideoRect) -> VideoRect {
        let right = size.width - part.x - part.size.width
        let bottom = size.height - part.y - part.size.height
        // Turned clockwise, the stored top is on the right; its left is on top.
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
