/// The direction in which a playhead moves through a medium.
public enum PlaybackDirection: Sendable, Hashable {
    /// From the first frame to the last.
    case forward
    /// From the last frame to the first.
    case backward
}
