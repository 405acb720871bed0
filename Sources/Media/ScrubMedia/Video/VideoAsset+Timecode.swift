internal import ScrubIndex

extension VideoAsset {
    /// The SMPTE timecode of the first frame, if the file has one in a QuickTime timecode track or in a `timecode` tag
    /// (Matroska, MXF and others). It is read when the index is built, and saved with the index.
    public var startTimecode: Timecode? { index.facts.startTimecode }

    /// Returns the SMPTE timecodes of the frames; `nil` unless the file has a timecode for the first frame and the
    /// frames have a constant rate that timecode supports.
    ///
    /// Cost: a pass over the frames' times, which takes a few milliseconds for a long video. Looking up a label
    /// afterward costs almost nothing.
    public func timecodes() -> VideoAsset.Timecodes? { index.timecodes.map { VideoAsset.Timecodes($0) } }
}

extension VideoAsset {
    /// The SMPTE timecodes of a video's frames.
    public struct Timecodes: Hashable, Sendable {
        private let timecodes: FrameTimecodes

        init(_ timecodes: FrameTimecodes) { self.timecodes = timecodes }

        /// The timecode's frame rate.
        public var rate: Timecode.Rate { timecodes.rate }
        /// Whether the timecode skips some labels to keep up with real time (drop frame).
        public var isDropFrame: Bool { timecodes.isDropFrame }

        /// Returns the label of the frame with the given number.
        ///
        /// - Precondition: the frame exists.
        public func timecode(ofFrame frame: Int) -> Timecode { timecodes.timecode(ofFrame: frame) }
    }
}
