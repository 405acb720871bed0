internal import ScrubIndex

extension VideoAsset {
    /// The SMPTE timecode of the first frame, where the file tells one: a QuickTime timecode track, or a `timecode` tag of
    /// Matroska, MXF and others. Found while the index is made and saved with it.
    public var startTimecode: Timecode? { index.facts.startTimecode }

    /// The SMPTE timecode of frames, where the file tells the first one's and they come at a constant rate that timecode
    /// counts.
    ///
    /// Cost: a pass over the frames' times, some milliseconds for a long film; the function that comes back costs nothing.
    ///
    /// - Returns: gives a frame's label; `nil` without a timecode.
    public func timecodes() -> (@Sendable (_ frame: Int) -> Timecode)? {
        guard let timecodes = index.timecodes else { return nil }
        return { (frame: Int) -> Timecode in timecodes.timecode(ofFrame: frame) }
    }
}
