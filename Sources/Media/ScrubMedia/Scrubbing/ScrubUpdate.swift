extension ScrubSession {
    /// A picture that a scrubbing session hands out.
    public struct Update: Sendable {
        /// The relation of the picture to the requested one.
        public enum Stage: String, Sendable {
            /// Another frame's picture, the nearest that was there; its own time is in ``ScrubSession/Update/frame``.
            case approximate
            /// The frame asked for at a reduced size, until its exact picture is decoded
            /// (``ScrubSession/Options/makesPreviews``), or always (``ScrubSession/Options/showsReducedAlone``).
            case preview
            /// The frame asked for. Its verdict may still be that it is damaged or cannot be decoded.
            case exact
            /// No picture: those that callers hold leave no memory for it. The screen stays, the request stays open,
            /// and its picture follows when some of them are released.
            case awaitingMemory
        }

        /// The request that it answers: requests of a session are counted from 1.
        public let request: Int
        /// The frame number that was asked for.
        public let requestedFrame: Int
        /// The frame that the picture shows.
        public let frame: PresentedFrame
        /// The relation to the requested frame.
        public let stage: Stage
        /// The certainty of the frame's picture; ``Verdict/approximate(_:)`` unless the stage is exact.
        public let verdict: Verdict
        /// The picture; `nil` when the frame is undecodable, or there is no memory for it. It counts as held until the
        /// last copy of it is let go.
        public let picture: FramePicture?
        /// Whether the picture was made smaller than the video's pictures are. Never of an exact one.
        public let isReduced: Bool
        /// From the request to this picture.
        public let latency: Duration
        /// Whether the picture was there without decoding.
        public let isCacheHit: Bool
        /// Coded pictures given to a decoder for it.
        public let decodedPictures: Int
    }
}
