internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubIndex

/// Finds places in H.264 behind which pictures from before a restart may show after all.
///
/// A decoder that begins at an open restart, or at a gradual one, lacks pictures that one from the stream's beginning
/// has. No picture that shows later may be predicted from those (ITU-T H.264 D.2.8), and encoders keep to it. Two
/// things break it, and no decoder says so:
///
/// - `frame_num` jumps where gaps are not allowed (7.4.3): a picture is lost, moved or there twice. libavcodec fills
///   the gap with copies of the last reference picture. Lists of references then name others than the encoder meant.
/// - A reference picture that shows before the restart comes behind one that shows after it.
///
/// Cost: a look at the first bytes of each packet, of runs from such restarts alone.
struct FrameNumberWatch {
    private let index: FrameIndex
    private let restart: Int
    private var parser: PictureParser
    private var hasSeenTrailing = false
    private var isBroken = false

    /// As many first bytes of a packet as are inspected: parameter sets and messages come before the slice.
    private static let headByteCount = 4096

    /// - Parameter start: the beginning of a run.
    /// - Returns: `nil` if nothing is missing.
    init?(_ index: FrameIndex, restart: Int, start: DecodePlan.Start) {
        guard index.facts.codec == .h264, restart > 0, start == .restart(.open) || start == .restart(.gradual) else {
            return nil
        }
        (self.index, self.restart) = (index, restart)
        let description = index.facts.descriptions[index.pictures.description(of: restart)]
        parser = PictureParser(codec: .h264, extradata: description.extradata)
    }

    /// Takes the next packet, whether the decoder is given it or not; of those left out no picture may be a reference.
    ///
    /// - Returns: the fault of its picture; `nil` if it has none.
    mutating func complaint(about number: Int, _ packet: borrowing Packet) -> String? {
        let bytes = packet.bytes
        let picture = parser.parse(head: bytes.extracting(0..<min(bytes.count, FrameNumberWatch.headByteCount)))
        guard number > restart else { return nil }
        let rank = index.ranks[number]
        let isLeading = rank >= 0 && rank < index.ranks[restart]
        if parser.jumpsFrameNumber(at: picture) { isBroken = true }
        if isLeading, hasSeenTrailing, picture.isUnderstood, picture.isReference { isBroken = true }
        if rank >= 0, !isLeading { hasSeenTrailing = true }
        // Of pictures that show before the restart nothing is promised anyway.
        return isBroken && !isLeading
            ? "pictures are lost or moved behind the restart, and it may depend on one before it" : nil
    }
}
