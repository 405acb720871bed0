public import ScrubBase

/// An exact size in pixels or points.
///
/// Thread safety: a value type.
public struct VideoSize: Sendable, Hashable {
    /// The width.
    public var width: Rational
    /// The height.
    public var height: Rational

    /// Creates a size.
    public init(width: Rational, height: Rational) { (self.width, self.height) = (width, height) }
    /// Creates a size from whole numbers of pixels.
    public init(width: Int, height: Int) { self.init(width: Rational(pixels: width), height: Rational(pixels: height)) }

    /// Whether the size has no area.
    public var isEmpty: Bool { width <= .zero || height <= .zero }
}

/// An exact rectangle in pixels or points, with its origin at the top left.
///
/// Thread safety: a value type.
public struct VideoRect: Sendable, Hashable {
    /// The left edge.
    public var x: Rational
    /// The top edge.
    public var y: Rational
    /// The size of the rectangle.
    public var size: VideoSize

    /// Creates a rectangle.
    public init(x: Rational, y: Rational, size: VideoSize) { (self.x, self.y, self.size) = (x, y, size) }
    /// Creates a rectangle from a position and a size in whole pixels.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.init(x: Rational(pixels: x), y: Rational(pixels: y), size: VideoSize(width: width, height: height))
    }

    /// An empty rectangle at the origin.
    public static let zero = VideoRect(x: 0, y: 0, width: 0, height: 0)

    /// The rectangle with each edge rounded to the nearest whole pixel (half up), so that adjacent rectangles stay
    /// adjacent. A width or height above 0 becomes at least 1, so that the rectangle does not vanish. Edges are clamped
    /// to ±2^31.
    public var pixels: (x: Int, y: Int, width: Int, height: Int) {
        let (left, right) = Self.edges(x, size.width)
        let (top, bottom) = Self.edges(y, size.height)
        return (left, top, right - left, bottom - top)
    }

    private static func edges(_ origin: Rational, _ length: Rational) -> (Int, Int) {
        func nearest(_ numerator: Int128, _ denominator: Int128) -> Int {
            let down = Rational.floor(numerator, denominator)
            let rest = numerator - down * denominator
            return Int(min(max(rest >= denominator - rest ? down + 1 : down, -(1 << 31)), 1 << 31))
        }
        let (a, b) = (Int128(origin.numerator), Int128(origin.denominator))
        let (c, d) = (Int128(length.numerator), Int128(length.denominator))
        let first = nearest(a, b)
        // Both products are below 2^126.
        return (first, c > 0 ? max(nearest(a * d + c * b, b * d), first + 1) : first)
    }
}

extension Rational {
    /// Creates a ratio from a number of pixels. `Int.min` is clamped, because it does not form a ratio.
    fileprivate init(pixels: Int) { self.init(max(Int64(pixels), -.max)) }
}
