internal import ScrubIndex

extension VideoAsset {
    /// The SMPTE timecode of the first frame, if the file has one: in a QuickTime timecode track, or a `timecode` tag
    /// of Matroska, MXF and others. It is found when the index is built, and saved with the index.
    public var startTimecode: Timecode? { index.facts.startTimecode }

    /// Returns the SMPTE timecodes of the frames, if the file specifies one for the first frame and the frames have a
    /// constant rate that timecode supports.
    ///
    /// Cost: a pass over the frames' times, a few milliseconds for a long video. Looking up labels is free.
    public func timecodes() -> VideoAsset.Timecodes? { index.timecodes.map { VideoAsset.Timecodes($0) } }
}

extension VideoAsset {
    /// The SMPTE timecodes of a video's frames.
    public struct Timecodes: Hashable, Sendable {
        private let timecodes: FrameTimecodes

        init(_ timecodes: FrameTimecodes) { self.timecodes = timecodes }

        /// The rate at which labels count frames.
        public var rate: Timecode.Rate { timecodes.rate }
        /// Whether labels are skipped to keep up with the clock.
        public var isDropFrame: Bool { timecodes.isDropFrame }

        /// Returns the label of a frame, given its number in display order.
        ///
        /// - Precondition: the frame exists.
        public func timecode(ofFrame frame: Int) -> Timecode { timecodes.timecode(ofFrame: frame) }
    }
}
