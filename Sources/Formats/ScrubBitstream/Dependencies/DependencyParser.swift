/// Determines the pictures from which each picture of a stream is predicted, packet by packet in decoding order, so
/// that a decoder can be given only the pictures that one picture needs.
///
/// A value type: a copy continues from the same state. No input can make it trap.
package struct DependencyParser: Sendable {
    /// The stream's format.
    package let codec: VideoCodec
    // Each format's state is in a separate optional, so that it can be changed in place.
    private var av1: AV1DependencyParser?
    private var hevc: HEVCDependencyParser?
    private var other: PictureDependencyParser?

    /// The outcome of reading a packet.
    package enum Verdict: Sendable, Equatable {
        case dependencies(PacketDependencies)
        /// The headers extend beyond the given bytes. The parser's state is unchanged.
        case needsMoreBytes
    }

    /// Creates a parser that starts at a random access point of a stream. `extradata` is the stream's out-of-band
    /// configuration as stored in the container: avcC, hvcC, av1C, Annex B or a bare sequence header. It may be empty.
    ///
    /// - Parameter isStreamStart: whether the random access point is the stream's first packet.
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
        // Heads are long only because of parameter sets and SEI messages before the slice, which are rare.
        case .h264, .hevc, .other: 512
        // Several frames share a packet (AV1, VP9, packed MPEG-4), or headers are between start codes (MPEG).
        case .av1, .vp8, .vp9, .mpeg1, .mpeg2, .mpeg4: Int.max
        }
    }

    /// Reads the next packet in decoding order; the first one is a random access point.
    ///
    /// - Parameters:
    ///   - packet: the packet's first bytes, or all of them.
    ///   - isWhole: whether `packet` is the entire packet, in which case the answer is never
    ///     ``Verdict/needsMoreBytes``.
    package mutating func parse(_ packet: Span<UInt8>, isWhole: Bool) -> Verdict {
        guard !isWhole else { return .dependencies(read(packet, isWhole: true) ?? .unknown(0..<packet.count)) }
        let before = self
        if let dependencies = read(packet, isWhole: false) { return .dependencies(dependencies) }
        self = before
        return .needsMoreBytes
    }

    /// Whether the last sequence header allows ``AV1Repetition`` in this stream.
    package var canRepeat: Bool { av1?.canRepeat ?? false }

    private mutating func read(_ packet: Span<UInt8>, isWhole: Bool) -> PacketDependencies? {
        switch codec {
        case .av1: isWhole ? av1?.parse(packet) : nil
        case .hevc: hevc?.parse(packet, isWhole: isWhole)
        default: other?.parse(packet, isWhole: isWhole)
        }
    }
}
