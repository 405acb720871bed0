extension ScrubSession {
    /// An update from a scrubbing session: a picture, or the reason why there is none.
    public struct Update: Sendable {
        /// How a picture relates to the requested frame.
        public enum Stage: String, Sendable {
            /// The nearest available picture of another frame. That frame and its time are in
            /// ``ScrubSession/Update/frame``.
            case approximate
            /// The requested frame at a reduced size, until its exact picture is decoded
            /// (``ScrubSession/Options/makesPreviews``), or always (``ScrubSession/Options/showsOnlyReducedPictures``).
            case preview
            /// The requested frame. Its verdict may still be damaged or undecodable.
            case exact
            /// No picture, because the pictures that callers hold leave no memory for one. The screen does not change.
            /// The request stays open, and its picture follows when callers release memory.
            case awaitingMemory
            /// No picture, because reading or decoding failed. ``ScrubSession/Update/error`` is the reason, and
            /// ``ScrubSession/Update/frame`` the frame that stays on screen. The session has given up the request, and
            /// answers the next one as usual.
            case failed
        }

        /// The number of the request that this update answers. A session numbers its requests from 1.
        public let request: Int
        /// The requested frame's number.
        public let requestedFrame: Int
        /// The frame that the picture shows. If there is no picture, this is the frame that was shown last, or the
        /// requested frame if none was shown.
        public let frame: PresentedFrame
        /// How the picture relates to the requested frame.
        public let stage: Stage
        /// The verdict on the picture. At the stage ``ScrubSession/Update/Stage/exact``, it is the frame's own verdict.
        /// At the stage ``ScrubSession/Update/Stage/failed``, it is ``Verdict/undecodable(_:)``. At the other stages,
        /// it is ``Verdict/approximate(_:)``, unless a reduced picture of the requested frame is damaged.
        public let verdict: Verdict
        /// The picture, or `nil` if the frame is undecodable, there is no memory for it, or the request failed. The
        /// picture counts as held until its last copy is released.
        public let picture: FramePicture?
        /// Whether the picture is smaller than the video's full-size pictures. Always false at the stage
        /// ``ScrubSession/Update/Stage/exact``.
        public let isReduced: Bool
        /// The time from the request to this picture.
        public let latency: Duration
        /// Whether the picture was available without decoding.
        public let isCacheHit: Bool
        /// The number of coded pictures given to a decoder for this picture.
        public let decodedPictureCount: Int
        /// The reason why the request failed; `nil` unless the stage is ``ScrubSession/Update/Stage/failed``.
        public let error: ScrubError?
    }
}
