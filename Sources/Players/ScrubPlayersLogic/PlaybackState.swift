public import ScrubBase

/// The state of a player.
public enum PlaybackState: Sendable, Hashable {
    /// There is nothing to play: the list is empty.
    case idle
    /// The current item opens, or its first picture is being decoded.
    case preparing
    /// Ready, and time stands still.
    case paused
    /// Time goes on.
    case playing
    /// Time should go on, and the next picture is not there.
    case stalled
    /// The list is over: its last item played to its end, and its last picture stays, or was taken out. To play begins
    /// again.
    case ended
    /// The current item cannot be played.
    case failed(ScrubError)
}
