internal import ScrubBitstream
internal import ScrubLibAV

extension VC1PictureReader {
    /// Creates a parser of the pictures of a VC-1 or Windows Media Video 9 stream; `nil` for other streams.
    init?(_ description: CodecDescription) {
        switch description.codecName {
        case "vc1": self.init(isAdvanced: true, extradata: description.extradata)
        case "wmv3": self.init(isAdvanced: false, extradata: description.extradata)
        default: return nil
        }
    }
}

extension DecoderMemory {
    /// Creates the state for a stream; `nil` for codecs without known state that outlasts a keyframe.
    init?(_ description: CodecDescription) {
        self.init(
            codecName: description.codecName, codecTag: description.codecTag, extradata: description.extradata,
            height: Int(description.height))
    }
}

/// The facts in single header fields of packets, for codecs without a parser here.
struct PictureTypes {
    /// The kind of a packet.
    enum Look: Equatable {
        /// Nothing is known about the packet.
        case unknown
        /// An I or P picture of a codec with B pictures.
        case anchor
        /// A B picture. It produces no picture until two others have been decoded, because there is nothing to
        /// interpolate between.
        case bidirectional(isDecodable: Bool)
        /// The packet certainly produces no picture.
        case empty
        /// The packet contains less than a picture. The rest of the picture is stale memory.
        case incomplete
        /// The packet is unusual for the codec: only a decoder can determine its result.
        case suspicious
    }

    /// The number of bytes up to which frames contain no picture data. Decoders differ in their results.
    private static let tiny = 4

    private let description: CodecDescription
    private let name: String
    private let makesOneOfEach: Bool
    private var vc1: VC1PictureReader?
    private var anchors = 0
    private var hasBegun = false

    init(_ description: CodecDescription) {
        self.description = description
        (name, makesOneOfEach) = (description.codecName, description.makesOnePictureOfEachPacket)
        vc1 = VC1PictureReader(description)
    }

    /// Reads a packet's first bits.
    mutating func look(at packet: Span<UInt8>) -> Look {
        if vc1 != nil {
            guard let type = vc1?.type(of: packet) else { return .suspicious }
            if type == .b { return .bidirectional(isDecodable: anchors > 1) }
            anchors += 1
            return .anchor
        }
        guard makesOneOfEach else { return .unknown }
        if packet.count < PictureTypes.tiny { return .suspicious }
        defer { hasBegun = true }
        switch name {
        case "apng": return !hasBegun && beginsWithPart(packet) ? .incomplete : .unknown
        case "theora":
            // A header in the middle of the stream (Theora specification, 6.1).
            return packet[0] & 0x80 != 0 ? .suspicious : .unknown
        case "wmv2": return skipsAll(packet) ? .empty : .unknown
        default: return .unknown
        }
    }

    /// Returns whether the first picture of an APNG is not the whole canvas, as it must be (PNG 11.3.6.2).
    private func beginsWithPart(_ packet: Span<UInt8>) -> Bool {
        // Length and name of the chunk, sequence_number, width, height, x_offset, y_offset.
        guard packet.has("fcTL", at: 4), packet.count >= 28 else { return false }
        let area = [12, 16, 20, 24].map { packet.bigEndian(at: $0, bytes: 4) }
        return area != [Int(description.width), Int(description.height), 0, 0]
    }

    /// Returns whether a P picture of Windows Media Video 8 signals that all macroblocks are skipped, row by row or
    /// column by column. Then libavcodec produces no picture (wmv2dec.c, FRAME_SKIPPED).
    private func skipsAll(_ packet: Span<UInt8>) -> Bool {
        guard packet[0] & 0x80 != 0 else { return false }
        // After the type and five bits of quantizer: a 1 bit, one bit for rows or columns, and one bit for each row or
        // column.
        let isColumns = packet[0] & 1 != 0
        guard packet[0] & 2 != 0 else { return false }
        let size = Int(isColumns ? description.width : description.height)
        guard size > 0 else { return false }
        let end = 8 + (size + 15) / 16
        guard end <= packet.count * 8 else { return false }
        return (8..<end).allSatisfy { packet[$0 / 8] & (0x80 >> ($0 % 8)) != 0 }
    }
}
