/// Reads which pictures each picture of a stream is predicted from, packet by packet in decoding order. A decoder can
/// then be given just the pictures that one picture needs.
///
/// A value: a copy goes on from the same state. Nothing it is given can make it trap.
package struct DependencyParser: Sendable {
    /// The stream's format.
    package let codec: VideoCodec
    // Each format keeps its state in its own optional so that it can be changed in place.
    private var av1: AV1DependencyParser?
    private var hevc: HEVCDependencyParser?
    private var other: PictureDependencyParser?

    /// The outcome of reading a packet.
    package enum Verdict: Sendable, Equatable {
        case dependencies(PacketDependencies)
        /// The headers lie beyond the bytes given. The parser is as it was before.
        case needsMoreBytes
    }

    /// Starts in front of a random access point of a stream. `extradata` is its out-of-band configuration: avcC, hvcC,
    /// av1C, Annex B or a bare sequence header, as the container stores it; may be empty.
    ///
    /// - Parameter isStreamStart: whether it is the stream's first packet.
    package init(codec: VideoCodec, extradata: [UInt8], isStreamStart: Bool = true) {
        self.codec = codec
        let bytes = extradata.span
        switch codec {
        case .av1: av1 = AV1DependencyParser(extradata: bytes)
        case .hevc: hevc = HEVCDependencyParser(extradata: bytes)
        default: other = PictureDependencyParser(codec: codec, extradata: extradata, isStreamStart: isStreamStart)
        }
    }

    /// The number of first bytes of a sample that usually suffice; `Int.max` if all of it is needed.
    package var usualHeadBytes: Int {
        switch codec {
        // Parameter sets and SEI messages in front of the slice are what makes heads long, and they are rare.
        case .h264, .hevc, .other: 512
        // Several frames share a packet (AV1, VP9, packed MPEG-4), or headers lie between start codes (MPEG).
        case .av1, .vp8, .vp9, .mpeg1, .mpeg2, .mpeg4: Int.max
        }
    }

    /// Reads the next packet in decoding order; the first one is a random access point.
    ///
    /// - Parameters:
    ///   - packet: The packet's first bytes, or all of them.
    ///   - isWhole: Whether `packet` is all of it; then the answer is never ``Verdict/needsMoreBytes``.
    package mutating func parse(_ packet: Span<UInt8>, isWhole: Bool) -> Verdict {
        guard !isWhole else { return .dependencies(read(packet, isWhole: true) ?? .unknown(0..<packet.count)) }
        let before = self
        if let dependencies = read(packet, isWhole: false) { return .dependencies(dependencies) }
        self = before
        return .needsMoreBytes
    }

    /// Whether ``AV1Repetition`` may be used in this stream, by its last sequence header.
    package var canRepeat: Bool { av1?.canRepeat ?? false }

    private mutating func read(_ packet: Span<UInt8>, isWhole: Bool) -> PacketDependencies? {
        switch codec {
        case .av1: isWhole ? av1?.parse(packet) : nil
        case .hevc: hevc?.parse(packet, isWhole: isWhole)
        default: other?.parse(packet, isWhole: isWhole)
        }
    }
}
