internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubIndex

/// A detector of events in the packets of an HEVC stream that the container's tables do not show: a sequence that
/// begins without outputting waiting pictures (H.265 C.5.2.2, NoOutputOfPriorPicsFlag), and one that ends where it must
/// not. The number of frames that a linear decode has shown there is unknown, and so are all later numbers.
///
/// Opening a movie examines only a few keyframes; streams with such an event there are read completely and do not need
/// a detector.
///
/// Cost: reading each unit's first bytes.
struct SequenceChangeDetector {
    private let beginning: PictureParser
    private var parser: PictureParser

    /// Creates a detector.
    ///
    /// - Returns: `nil` for streams in which everything is already known.
    init?(_ index: FrameIndex) {
        guard index.facts.codec == .hevc, index.facts.route == .direct, index.facts.descriptions.count == 1,
            index.pictures.count > 0, !index.pictures.flags[0].contains(.verified)
        else { return nil }
        beginning = PictureParser(codec: .hevc, extradata: index.facts.descriptions[0].extradata)
        guard beginning.reorderLimit != 0 else { return nil }
        parser = beginning
    }

    /// Sets which packet is next, if it does not follow the last one.
    mutating func begin(at picture: Int) {
        parser = beginning
        if picture > 0 { parser.expectEarlier() }
    }

    /// Examines the next packet given to a decoder.
    ///
    /// - Returns: the fault of the frame's number; `nil` if it has none.
    mutating func complaint(about packet: borrowing Packet) -> String? {
        switch parser.parse(packet.bytes).decoderChange {
        case .discards: "its frame number is uncertain: the picture prevents earlier pictures from being shown"
        case .unproven: "its frame number is uncertain: the previous sequence ends where it must not end"
        case .none, .anew, .ignored, .delay: nil
        }
    }
}
