/// The allowed distance of the returned frame from the requested time, before and after it.
///
/// Within the tolerance, the library returns the cheapest frame: the nearest one that is decodable on its own, or else
/// the one that requires the fewest pictures. The frame on screen at the requested time is always allowed, wherever it
/// begins.
public struct FrameTolerance: Hashable, Sendable {
    /// Seconds before the requested time, 0 or more.
    public var before: Rational
    /// Seconds after the requested time, 0 or more.
    public var after: Rational

    /// Creates a tolerance. Negative bounds count as 0.
    public init(before: Rational, after: Rational) {
        (self.before, self.after) = (max(.zero, before), max(.zero, after))
    }

    /// Returns a tolerance with the same bound before and after.
    public static func within(_ seconds: Rational) -> FrameTolerance { FrameTolerance(before: seconds, after: seconds) }

    /// No tolerance: only the frame on screen at the requested time.
    public static let exact = FrameTolerance(before: .zero, after: .zero)
    /// Any distance: the nearest frame that is decodable on its own.
    public static let any = FrameTolerance(before: Rational(.max), after: Rational(.max))
}
