public import ScrubBase
public import ScrubMedia
public import ScrubSources

extension HLSVideo {
    /// A frame of an HLS presentation, with its relation to the requested position.
    ///
    /// Thread safety: a value type. Memory: the decoded picture, as long as a copy of this value or of ``picture``
    /// exists.
    public struct Frame: Sendable {
        /// The time at which the frame appears on screen, in seconds after the presentation's first frame.
        ///
        /// Within a timeline, it is computed from the timestamps in the segments. The timeline after a discontinuity
        /// begins at the time given by the playlist's durations.
        public let time: Rational
        /// The seconds since the previous frame began, as far as the segment shows.
        let lead: Rational?
        /// The frame's number in the presentation; `nil` if the frames of earlier segments have not been counted.
        public let number: Int?
        /// The number of frames in the presentation; `nil` if a segment has not been counted or more segments may
        /// follow.
        public let frameCount: Int?
        /// The media sequence number of the segment that contains the frame.
        public let segment: Int64
        /// The requested time, in seconds after the first frame; for a request by number, the frame's own time.
        public let requestedTime: Rational
        /// Whether the position was outside the presentation and was clamped to it.
        public let isClamped: Bool
        /// The container's presentation time, in units of ``timeBase``.
        package let presentationTime: Int64
        /// The duration of a unit of ``presentationTime`` in seconds.
        package let timeBase: Rational
        /// The duration of the frame in seconds, according to its segment.
        public let duration: Rational
        /// Whether the container marks the frame as a keyframe.
        public let isKeyframe: Bool
        /// The verdict on the picture: whether it is exactly the requested frame.
        public let verdict: Verdict
        /// The picture, or `nil` if it is undecodable.
        public let picture: FramePicture?
        /// The number of coded pictures given to the decoder for this frame.
        public let decodedPictureCount: Int
        /// The rendition that contains the frame; `nil` if there is no master playlist.
        public let rendition: HLSVideo.Rendition?
        /// What was read for this frame.
        public let fetched: HLSVideo.Fetch

        /// The frame's presentation time in its segment, in seconds. Other programs that read the segment report this
        /// time. It does not necessarily begin at 0, and it may start over between two segments. The value is 0 if the
        /// time is too large for a ratio of 64-bit integers.
        public var containerTime: Rational { Rational(units: presentationTime, of: timeBase) }

        /// The time as players show it, like ``PresentedFrame/timeText``.
        package var timeText: String { TimeText(time, after: lead).clock }
        /// Seconds as a decimal number, like ``PresentedFrame/secondsText``.
        package var secondsText: String { TimeText(time, after: lead).seconds }
    }

    /// A frame of an HLS presentation as displayable pixels.
    ///
    /// Thread safety: a value type. Memory: the pixels, and the decoded picture of ``frame``. Keep only ``pixels`` to
    /// release the picture.
    public struct Image: Sendable {
        /// The frame, with its times and its verdict.
        public let frame: HLSVideo.Frame
        /// The frame's pixels.
        public let pixels: PixelImage

        /// The time at which the frame appears on screen, in seconds after the presentation's first frame.
        public var time: Rational { frame.time }
        /// The requested time, in seconds after the presentation's first frame.
        public var requestedTime: Rational { frame.requestedTime }
        /// The verdict on the picture: whether it is exactly the requested frame.
        public var verdict: Verdict { frame.verdict }
    }
}

extension HLSVideo {
    /// What was read for a request.
    public struct Fetch: Hashable, Sendable {
        /// The media sequence numbers of the segments that were read in whole or in part, in ascending order.
        public let segments: [Int64]
        /// The number of bytes read from the segments and their initialization sections, whether from the network, the
        /// cache or local files.
        public let byteCount: Int64
        /// The network cost; `nil` if the network was not used.
        public let network: NetworkCost?
    }
}
