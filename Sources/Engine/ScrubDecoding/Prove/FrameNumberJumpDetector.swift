internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubIndex

/// A detector of places in H.264 where pictures from before a restart may still have an effect.
///
/// A decoder that begins at an open or gradual restart lacks pictures that a decoder from the stream's beginning has.
/// No picture shown later may be predicted from them (ITU-T H.264 D.2.8), and encoders comply. This fails in two
/// situations, which no decoder reports:
///
/// - `frame_num` jumps where gaps are not allowed (7.4.3): a picture is lost, moved or duplicated. libavcodec fills the
///   gap with copies of the last reference picture. Reference lists then contain pictures other than the encoder
///   intended.
/// - A reference picture shown before the restart follows one that is shown after it.
///
/// Cost: reading the first bytes of each packet, only for runs from such restarts.
struct FrameNumberJumpDetector {
    private let index: FrameIndex
    private let restart: Int
    private var parser: PictureParser
    private var hasSeenTrailing = false
    private var isBroken = false

    /// The number of bytes at the beginning of a packet to examine: parameter sets and messages precede the slice.
    private static let headByteCount = 4096

    /// Creates a detector.
    ///
    /// - Parameter start: the start of a run.
    /// - Returns: `nil` if no pictures are missing.
    init?(_ index: FrameIndex, restart: Int, start: DecodePlan.Start) {
        guard index.facts.codec == .h264, restart > 0, start == .restart(.open) || start == .restart(.gradual) else {
            return nil
        }
        (self.index, self.restart) = (index, restart)
        let description = index.facts.descriptions[index.pictures.description(of: restart)]
        parser = PictureParser(codec: .h264, extradata: description.extradata)
    }

    /// Examines the next packet, whether or not it is given to the decoder. No skipped picture may be a reference.
    ///
    /// - Returns: the picture's fault; `nil` if it has none.
    mutating func complaint(about number: Int, _ packet: borrowing Packet) -> String? {
        let bytes = packet.bytes
        let picture = parser.parse(head: bytes.extracting(0..<min(bytes.count, FrameNumberJumpDetector.headByteCount)))
        guard number > restart else { return nil }
        let rank = index.ranks[number]
        let isLeading = rank >= 0 && rank < index.ranks[restart]
        if parser.jumpsFrameNumber(at: picture) { isBroken = true }
        if isLeading, hasSeenTrailing, picture.isUnderstood, picture.isReference { isBroken = true }
        if rank >= 0, !isLeading { hasSeenTrailing = true }
        // Nothing is guaranteed about pictures shown before the restart anyway.
        return isBroken && !isLeading
            ? "pictures after the restart are missing or out of place, so this one may depend on earlier pictures"
            : nil
    }
}
