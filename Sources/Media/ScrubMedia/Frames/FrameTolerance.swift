/// How far the returned frame may be from the requested time, in each direction.
///
/// Within the tolerance, the library chooses the cheapest frame. This is the nearest frame that can be decoded on its
/// own or, if there is none, a frame for which the fewest pictures must be decoded. The frame on screen at the
/// requested time is always allowed, even if it begins outside the tolerance.
public struct FrameTolerance: Hashable, Sendable {
    /// How many seconds before the requested time a frame may be, 0 or more.
    public var before: Rational
    /// How many seconds after the requested time a frame may be, 0 or more.
    public var after: Rational

    /// Creates a tolerance. Negative values are treated as 0.
    public init(before: Rational, after: Rational) {
        (self.before, self.after) = (max(.zero, before), max(.zero, after))
    }

    /// Returns a tolerance that is the same before and after the requested time.
    public static func within(_ seconds: Rational) -> FrameTolerance { FrameTolerance(before: seconds, after: seconds) }

    /// No tolerance: only the frame on screen at the requested time.
    public static let exact = FrameTolerance(before: .zero, after: .zero)
    /// Any distance: the nearest frame that can be decoded on its own.
    public static let any = FrameTolerance(before: Rational(.max), after: Rational(.max))
}
