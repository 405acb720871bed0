extension ScrubTransport {
    /// A transport action that a gesture requests.
    public enum Action: Hashable, Sendable {
        /// Pauses playback at the current position.
        case pause
        /// Resumes playback from where the last seek landed.
        case resume
    }
}
