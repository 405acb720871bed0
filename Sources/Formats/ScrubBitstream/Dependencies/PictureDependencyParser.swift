/// A parser for formats in which references can only be determined by reading all of a picture's data. Only pictures
/// that are never referenced are known to be dispensable.
struct PictureDependencyParser: Sendable {
    private let framing: NALFraming
    private var parser: PictureParser
    private var generation = 0
    /// Packed MPEG-4: whether the planes since a restart within the stream are the B planes that lead into its group.
    private var isLeading: Bool
    private var hasBegun = false

    /// - Parameter isStreamStart: whether the first packet is also the stream's first one.
    init(codec: VideoCodec, extradata: [UInt8], isStreamStart: Bool) {
        isLeading = codec == .mpeg4 && !isStreamStart
        framing = NALFraming(codec: codec, extradata: extradata.span)
        parser = PictureParser(codec: codec, extradata: extradata)
    }

    /// Reads one packet, or returns `nil` if the head is not enough.
    mutating func parse(_ packet: Span<UInt8>, isWhole: Bool) -> PacketDependencies? {
        if parser.codec == .other { return .unknown(0..<packet.count) }
        var end = packet.count
        if !isWhole {
            guard parser.codec == .h264 else { return nil }
            // nal_ref_idc is 0 in all slices of a picture or in none (H.264 7.4.1).
            let slice = FirstSlice.endOfFirstSlice(in: packet, framing: framing) {
                H264UnitHeader($0[0])?.isSlice == true
            }
            guard let slice else { return nil }
            end = slice
        }
        let picture = parser.parse(packet.extracting(0..<end), isWhole: isWhole)
        if !isWhole, !picture.isUnderstood { return nil }
        var unit = CodedUnit.unknown(0..<packet.count)
        let isLeadingPlane = isLeadingPlane(picture)
        unit.isReference = picture.isReference || !isSpareKind(picture) && !isLeadingPlane
        // From within a group, it is not visible whether a name is new.
        unit.isSticky = picture.parameterSetGeneration != generation || picture.namesEncoder
        unit.isShown = picture.isShown
        generation = picture.parameterSetGeneration
        var dependencies = PacketDependencies()
        dependencies.units = [unit]
        // A gap is filled from whatever picture came before it, even one that is not a reference.
        dependencies.isProven = picture.isUnderstood && picture.continuesFrameNumbers
        return dependencies
    }

    /// Whether a packet of a packed MPEG-4 stream is a B plane between a restart and the plane that is not coded, which
    /// represents the last of these.
    ///
    /// libavcodec keeps the B plane of the restart's packet and decodes it when the next packet arrives. If decoding
    /// began at the restart, it drops that plane, and the next packet's own plane with it. Then it reads the plane that
    /// is not coded, which a decoder that began earlier does not see, and computes the times of the next planes from it
    /// (mpeg4videodec.c, `pp_time`). If the B planes are omitted, it does not see the plane that is not coded.
    private mutating func isLeadingPlane(_ picture: CodedPicture) -> Bool {
        guard isLeading else { return false }
        guard hasBegun else {
            hasBegun = true
            isLeading = parser.isPackedBitstream && picture.pictureCount == 2
            return false
        }
        isLeading = picture.pictureCount == 1 && picture.pictureType == .b && !picture.carriesParameterSets
        return isLeading
    }

    /// Returns whether packets like this one can be omitted if their picture is not referenced. Fields form pairs, and
    /// packets with several pictures compensate for packets with none.
    private func isSpareKind(_ picture: CodedPicture) -> Bool {
        switch parser.codec {
        case .h264, .mpeg1, .mpeg2, .mpeg4:
            let isFrame = picture.structure == .frame && !picture.isFieldPair && !picture.isSecondField
            return isFrame && picture.pictureCount == 1 && !picture.isNotCoded && !picture.carriesParameterSets
                && !picture.startsSequence && !parser.isPackedBitstream && !parser.allowsGaps
        case .vp8: return true
        // Probabilities and motion vectors pass from frame to frame, not only through the refreshed slots.
        case .vp9, .hevc, .av1, .other: return false
        }
    }
}
