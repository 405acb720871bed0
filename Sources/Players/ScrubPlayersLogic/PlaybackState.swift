public import ScrubBase

/// The state of a player.
public enum PlaybackState: Sendable, Hashable {
    /// There is nothing to play: the list is empty.
    case idle
    /// The current item is opening, or its first picture is being decoded.
    case preparing
    /// The player is ready, and time does not advance.
    case paused
    /// Time advances.
    case playing
    /// Time should advance, but the next picture is not available.
    case stalled
    /// The list has ended: its last item played to its end and its last picture stays, or the item was removed. Playing
    /// starts again from the beginning.
    case ended
    /// The current item cannot be played.
    case failed(ScrubError)
}
