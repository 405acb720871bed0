public import ScrubBase

extension ScrubGesture {
    /// The actions after an event: first the seek, then the transport's part.
    ///
    /// Thread safety: a value.
    public struct Actions: Hashable, Sendable {
        /// The place to show, as an exact fraction of the duration in 0...1; `nil` when there is nowhere to go.
        public var target: Rational?
        /// The transport's action after that; `nil` leaves it as it is.
        public var transport: ScrubTransport.Action?

        /// Nothing is to be done.
        public static let none = Actions()

        /// Makes actions.
        public init(target: Rational? = nil, transport: ScrubTransport.Action? = nil) {
            self.target = target
            self.transport = transport
        }
    }

    /// The phase of a gesture.
    public enum Phase: Hashable, Sendable {
        /// No gesture.
        case idle
        /// A gesture is kept until the medium is ready, whether the finger is still down or not.
        case waiting
        /// A gesture moves the playhead.
        case active
    }
}
