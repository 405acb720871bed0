public import ScrubBase

/// A player's properties for the current item, at one moment, without the values that change with every frame. Read the
/// time from the player.
///
/// Thread safety: a value type.
public struct PlaybackProperties: Sendable, Hashable {
    /// The item's duration in seconds; 0 if it is not known.
    public var duration: Rational
    /// Seconds of the item per second of the clock; below 0 when playing backward.
    public var rate: Rational
    /// The state of the player.
    public var state: PlaybackState
    /// Whether playback is expected to continue without a stall.
    public var isLikelyToKeepUp: Bool
    /// The number of seeks in progress.
    public var pendingSeekCount: Int

    /// Creates properties. The defaults are those of a player with no item.
    public init(
        duration: Rational = .zero, rate: Rational = .one, state: PlaybackState = .idle,
        isLikelyToKeepUp: Bool = false, pendingSeekCount: Int = 0
    ) {
        (self.duration, self.rate, self.state) = (duration, rate, state)
        (self.isLikelyToKeepUp, self.pendingSeekCount) = (isLikelyToKeepUp, pendingSeekCount)
    }
}
