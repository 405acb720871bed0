/// The allowed distance of the returned frame from the requested time, before and after it.
///
/// With room the library takes the cheapest frame: the nearest one that stands alone, else the one with the fewest
/// pictures to decode. The frame on screen at the time is always allowed, wherever it begins.
public struct FrameTolerance: Hashable, Sendable {
    /// Seconds before the time asked for, 0 or more.
    public var before: Rational
    /// Seconds after the time asked for, 0 or more.
    public var after: Rational

    /// Makes a tolerance; negative bounds count as 0.
    public init(before: Rational, after: Rational) {
        (self.before, self.after) = (max(.zero, before), max(.zero, after))
    }

    /// Returns the same on both sides.
    public static func within(_ seconds: Rational) -> FrameTolerance { FrameTolerance(before: seconds, after: seconds) }

    /// The frame on screen at the time, and no other.
    public static let exact = FrameTolerance(before: .zero, after: .zero)
    /// However far: the nearest frame that stands alone.
    public static let any = FrameTolerance(before: Rational(.max), after: Rational(.max))
}
