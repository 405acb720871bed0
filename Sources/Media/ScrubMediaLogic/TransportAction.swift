extension ScrubTransport {
    /// A gesture's action for the transport that plays the medium.
    public enum Action: Hashable, Sendable {
        /// Playback stops where it is.
        case pause
        /// Playback goes on from where the last seek landed.
        case resume
    }
}
