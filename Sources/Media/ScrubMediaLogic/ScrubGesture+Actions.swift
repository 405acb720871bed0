public import ScrubBase

extension ScrubGesture {
    /// The actions to take after an event: first the seek, then the transport action.
    ///
    /// Thread safety: a value type.
    public struct Actions: Hashable, Sendable {
        /// The position to show, as an exact fraction of the duration in 0...1; `nil` if the position is unchanged.
        public var target: Rational?
        /// The transport action to take after the seek; `nil` to leave the transport as it is.
        public var transport: ScrubTransport.Action?

        /// No actions.
        public static let none = Actions()

        /// Creates actions.
        public init(target: Rational? = nil, transport: ScrubTransport.Action? = nil) {
            self.target = target
            self.transport = transport
        }
    }

    /// The phase of a gesture.
    public enum Phase: Hashable, Sendable {
        /// No gesture.
        case idle
        /// A gesture is held back until the medium is ready, whether or not the finger is still down.
        case waiting
        /// A gesture is moving the playhead.
        case active
    }
}
