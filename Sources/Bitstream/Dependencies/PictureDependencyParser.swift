/// The formats whose pictures can't be told what they refer to without reading all of their data: only what nothing
/// refers to is known to be spare.
struct PictureDependencyParser: Sendable {
    private let framing: NALFraming
    private var parser: PictureParser
    private var generation = 0

    init(codec: VideoCodec, extradata: [UInt8]) {
        framing = NALFraming(codec: codec, extradata: extradata.span)
        parser = PictureParser(codec: codec, extradata: extradata)
    }

    /// Reads one packet, or gives `nil` when a head is not enough.
    mutating func parse(_ packet: Span<UInt8>, isWhole: Bool) -> PacketDependencies? {
        if parser.codec == .other { return .unknown(0..<packet.count) }
        var end = packet.count
        if !isWhole {
            guard parser.codec == .h264 else { return nil }
            // nal_ref_idc is 0 in all slices of a picture or in none (H.264 7.4.1).
            let slice = SampleHead.endOfFirstSlice(in: packet, framing: framing) { H264UnitHeader($0[0]).isSlice }
            guard let slice else { return nil }
            end = slice
        }
        let picture = parser.parse(packet.extracting(0..<end), isWhole: isWhole)
        if !isWhole, !picture.isUnderstood { return nil }
        var unit = CodedUnit.unknown(0..<packet.count)
        unit.isReference = picture.isReference || !isSpareKind(picture)
        // Whether a name is news is not to be seen from within a group.
        unit.isSticky = picture.parameterSetGeneration != generation || picture.namesEncoder
        unit.isShown = picture.isShown
        generation = picture.parameterSetGeneration
        var dependencies = PacketDependencies()
        dependencies.units = [unit]
        // A gap is filled from whatever picture came before it, also from one that nothing refers to.
        dependencies.isProven = picture.isUnderstood && picture.continuesFrameNumbers
        return dependencies
    }

    /// Whether packets like this one can be left out when nothing refers to their picture: fields pair up with each
    /// other, and packets of several pictures or none make up for one another.
    private func isSpareKind(_ picture: CodedPicture) -> Bool {
        switch parser.codec {
        case .h264, .mpeg1, .mpeg2, .mpeg4:
            let isFrame = picture.structure == .frame && !picture.isFieldPair && !picture.isSecondField
            return isFrame && picture.pictureCount == 1 && !picture.isNotCoded && !picture.carriesParameterSets
                && !picture.startsSequence && !parser.isPackedBitstream && !parser.allowsGaps
        case .vp8: return true
        // Probabilities and motion vectors go from frame to frame, not only through the slots that are refreshed.
        case .vp9, .hevc, .av1, .other: return false
        }
    }
}
