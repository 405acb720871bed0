public import ScrubBase
public import ScrubMedia
public import ScrubSources

extension HLSVideo {
    /// A frame of an HLS presentation, with its relation to the requested frame.
    public struct Answer: Sendable {
        /// The time at which the frame appears on screen, in seconds after the presentation's first frame.
        ///
        /// Within a timeline, it is the difference of the segments' own timestamps. The timeline after a discontinuity
        /// begins at the time that results from the playlist's durations.
        public let time: Rational
        /// The seconds since the previous frame began, as far as the segment shows.
        let lead: Rational?
        /// The frame's number in the presentation; `nil` if the frames of earlier segments have not been counted.
        public let number: Int?
        /// The number of frames in the presentation; `nil` if a segment has not been counted, or more may arrive.
        public let frameCount: Int?
        /// The media sequence number of the segment that contains the frame.
        public let segment: Int64
        /// The requested time, in seconds after the first frame; for a request by number, the frame's own time.
        public let requestedTime: Rational
        /// Whether the position was outside the presentation and was clamped to it.
        public let isClamped: Bool
        /// The container's presentation time, in units of ``timeBase``.
        public let presentationTime: Int64
        /// The duration of a unit of ``presentationTime`` in seconds.
        public let timeBase: Rational
        /// The duration of the frame in seconds, according to its segment.
        public let duration: Rational
        /// Whether the container marks the frame as a keyframe.
        public let isKeyframe: Bool
        /// The certainty that this is the requested frame.
        public let verdict: Verdict
        /// The picture, or `nil` if it is undecodable.
        public let picture: FramePicture?
        /// The number of coded pictures given to the decoder for this answer.
        public let decodedPictures: Int
        /// The rendition of the frame; `nil` if the playlist is not in a master playlist.
        public let rendition: HLSVideo.Rendition?
        /// The reads made for this answer.
        public let fetched: HLSVideo.Fetch

        /// The time as players show it, like ``PresentedFrame/timeText``.
        public var timeText: String { TimeText(time, after: lead).clock }
        /// Seconds as a decimal number, like ``PresentedFrame/secondsText``.
        public var secondsText: String { TimeText(time, after: lead).seconds }
    }
}

extension HLSVideo {
    /// The reads of a presentation.
    public struct Fetch: Hashable, Sendable {
        /// The media sequence numbers of the segments that were read in whole or in part, in ascending order.
        public let segments: [Int64]
        /// The number of bytes read from the segments and their initialization sections, from any source.
        public let bytes: Int64
        /// The network cost; `nil` if the network was not used.
        public let network: NetworkCost?
    }
}
