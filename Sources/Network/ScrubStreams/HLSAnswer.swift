public import ScrubBase
public import ScrubMedia
public import ScrubSources

extension HLSVideo {
    /// A frame of an HLS presentation, and how far it is the one asked for.
    public struct Answer: Sendable {
        /// The time at which the frame comes on screen, in seconds after the presentation's first frame.
        ///
        /// Within a timeline it is the difference of the segments' own timestamps; a discontinuity's timeline begins
        /// where the playlist's durations say.
        public let time: Rational
        /// Seconds since the frame before began, as far as the segment tells.
        let lead: Rational?
        /// The frame's number in the presentation; `nil` as long as segments before it were not seen, whose frames are
        /// not counted.
        public let number: Int?
        /// The number of frames in the presentation; `nil` as long as a segment was not seen, or more may come.
        public let frameCount: Int?
        /// The media sequence number of the segment that holds the frame.
        public let segment: Int64
        /// The time that was asked for, in seconds after the first frame; the frame's own when it was asked for by its
        /// number.
        public let requestedTime: Rational
        /// Whether the position lay outside the presentation and was clamped to it.
        public let isClamped: Bool
        /// The container's presentation time, in units of ``timeBase``.
        public let presentationTime: Int64
        /// Seconds that a unit of ``presentationTime`` is.
        public let timeBase: Rational
        /// The duration of the frame, in seconds, as far as its segment tells.
        public let duration: Rational
        /// Whether the container calls it a keyframe.
        public let isKeyframe: Bool
        /// The certainty that this is the very frame.
        public let verdict: Verdict
        /// The picture; `nil` when it is undecodable.
        public let picture: FramePicture?
        /// Coded pictures given to the decoder for this answer.
        public let decodedPictures: Int
        /// The rendition that the frame is of; `nil` for a playlist that is in no master playlist.
        public let rendition: HLSVideo.Rendition?
        /// The reads for this answer.
        public let fetched: HLSVideo.Fetch

        /// The time as players show it: as ``PresentedFrame/timeText``.
        public var timeText: String { TimeText(time, after: lead).clock }
        /// Seconds as a decimal number: as ``PresentedFrame/secondsText``.
        public var secondsText: String { TimeText(time, after: lead).seconds }
    }
}

extension HLSVideo {
    /// The reads of a presentation.
    public struct Fetch: Hashable, Sendable {
        /// Media sequence numbers of the segments of which something was read, ascending: whole ones and heads.
        public let segments: [Int64]
        /// Bytes that were read of them, from wherever they are, and of their initialization sections.
        public let bytes: Int64
        /// The network cost; `nil` if none was used.
        public let network: NetworkCost?
    }
}
