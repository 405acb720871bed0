internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubIndex

/// Looks in the packets of an HEVC stream in tables for facts that these don't tell. One is a sequence that begins
/// without the pictures that still wait to be shown (H.265 C.5.2.2, NoOutputOfPriorPicsFlag), the other one that ends
/// where it must not. The number of frames that a linear decode has shown there is not known, and so no number behind
/// it.
///
/// Opening a movie looks at a few keyframes only; streams that show such a thing there are read whole, and need no
/// watch.
///
/// Cost: a look at each unit's first bytes.
struct SequenceWatch {
    private let beginning: PictureParser
    private var parser: PictureParser

    /// - Returns: `nil` for streams where nothing can be found that is not known.
    init?(_ index: FrameIndex) {
        guard index.facts.codec == .hevc, index.facts.route == .direct, index.facts.descriptions.count == 1,
            index.pictures.count > 0, !index.pictures.flags[0].contains(.verified)
        else { return nil }
        beginning = PictureParser(codec: .hevc, extradata: index.facts.descriptions[0].extradata)
        guard beginning.reorderLimit != 0 else { return nil }
        parser = beginning
    }

    /// Says which packet comes next, when it is not the one behind the last.
    mutating func begin(at picture: Int) {
        parser = beginning
        if picture > 0 { parser.expectEarlier() }
    }

    /// Takes the next packet that a decoder is given.
    ///
    /// - Returns: the fault of its frame's number; `nil` if it has none.
    mutating func complaint(about packet: borrowing Packet) -> String? {
        switch parser.parse(packet.bytes).decoderChange {
        case .discards: "its place among the frames is not certain: it keeps pictures before it from being shown"
        case .unproven: "its place among the frames is not certain: the sequence before it ends where it may not"
        case .none, .anew, .ignored, .delay: nil
        }
    }
}
