public import ScrubBase

/// A player's facts about the item that it plays, at one moment, without the values that change with every frame. The
/// time is asked of the player.
///
/// Thread safety: a value.
public struct PlaybackProperties: Sendable, Hashable {
    /// Seconds that the item lasts; 0 when that is not known.
    public var duration: Rational
    /// Seconds of the item in a second of the clock, below 0 backward.
    public var rate: Rational
    /// The state of the player.
    public var state: PlaybackState
    /// Whether playing goes on without a stall, as far as can be seen.
    public var isLikelyToKeepUp: Bool
    /// Seeks that have not ended.
    public var pendingSeekCount: Int

    /// Makes the properties; those of a player with nothing to play, if nothing is said.
    public init(
        duration: Rational = .zero, rate: Rational = .one, state: PlaybackState = .idle,
        isLikelyToKeepUp: Bool = false, pendingSeekCount: Int = 0
    ) {
        (self.duration, self.rate, self.state) = (duration, rate, state)
        (self.isLikelyToKeepUp, self.pendingSeekCount) = (isLikelyToKeepUp, pendingSeekCount)
    }
}
