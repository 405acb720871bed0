public import ScrubBase

/// A snapshot of a player's properties for the current item, except values that change with every frame. To get the
/// playback time, read it from the player.
///
/// Thread safety: a value type.
public struct PlaybackProperties: Sendable, Hashable {
    /// The item's duration in seconds; 0 if it is not known.
    public var duration: Rational
    /// The playback rate: seconds of the item per second of the clock, negative when playing backward.
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
