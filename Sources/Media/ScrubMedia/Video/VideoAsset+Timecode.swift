internal import ScrubIndex

extension VideoAsset {
    /// The SMPTE timecode of the first frame, where the file tells one: a QuickTime timecode track, or a `timecode` tag
    /// of Matroska, MXF and others. Found while the index is made and saved with it.
    public var startTimecode: Timecode? { index.facts.startTimecode }

    /// Returns the SMPTE timecode of frames, where the file tells the first one's and they come at a constant rate that
    /// timecode counts.
    ///
    /// Cost: a pass over the frames' times, some milliseconds for a long film; looking labels up costs nothing.
    public func timecodes() -> VideoAsset.Timecodes? { index.timecodes.map { VideoAsset.Timecodes($0) } }
}

extension VideoAsset {
    /// The SMPTE timecodes of a video's frames.
    public struct Timecodes: Hashable, Sendable {
        private let timecodes: FrameTimecodes

        init(_ timecodes: FrameTimecodes) { self.timecodes = timecodes }

        /// The rate at which frames are counted.
        public var rate: Timecode.Rate { timecodes.rate }
        /// Whether labels are dropped to stay with the clock.
        public var isDropFrame: Bool { timecodes.isDropFrame }

        /// Returns the label of a frame, by its number in display order.
        ///
        /// - Precondition: the frame exists.
        public func timecode(ofFrame frame: Int) -> Timecode { timecodes.timecode(ofFrame: frame) }
    }
}
