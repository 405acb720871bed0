/// An H.264 slice header up to dec_ref_pic_marking() (H.264 7.3.3).
struct H264SliceHeader: Sendable {
    /// `slice_type` modulo 5 (Table 7-6).
    enum Kind: Int, Sendable {
        case p, b, i, switchingP, switchingI

        var isIntra: Bool { self == .i || self == .switchingI }
    }

    /// nal_unit_type 5.
    let isIDR: Bool
    /// `nal_ref_idc` is not 0.
    let isReference: Bool
    let kind: Kind
    let pictureSetID: Int
    /// `frame_num`.
    let frameNumber: Int
    let structure: CodedPicture.Structure
    let idrID: Int
    /// `pic_order_cnt_lsb`.
    let orderLowBits: Int
    /// `delta_pic_order_cnt_bottom`.
    let bottomOrderDelta: Int
    /// `delta_pic_order_cnt[0]` and `[1]`.
    let orderDeltas: (Int, Int)
    /// `redundant_pic_cnt`: not 0 for a redundant copy, which no decoder here uses.
    let redundantCount: Int
    let marking: H264Marking

    /// Returns the slice's type, which can be read before any parameter set is known.
    static func kind(_ reader: inout BitReader) throws(HeaderError) -> Kind {
        _ = try reader.unsigned()  // first_mb_in_slice
        guard let kind = Kind(rawValue: try reader.unsigned(max: 9) % 5) else { throw .invalid }
        return kind
    }

    /// Reads the header from the first bit after the NAL unit header.
    init(
        _ reader: inout BitReader, unit: H264UnitHeader, sequences: ParameterSets<H264SequenceSet>,
        pictures: ParameterSets<H264PictureSet>
    ) throws(HeaderError) {
        isIDR = unit.isIDR
        isReference = unit.isReference
        kind = try H264SliceHeader.kind(&reader)
        pictureSetID = try reader.unsigned(max: 255)
        guard let pictureSet = pictures[pictureSetID],
            let sequence = pictureSet.sequence ?? sequences[pictureSet.sequenceID]
        else { throw .missingParameterSet }
        if sequence.hasSeparatePlanes { try reader.skip(2) }  // colour_plane_id
        frameNumber = try reader.bits(sequence.frameNumberBits)
        structure = try H264SliceHeader.readStructure(&reader, sequence: sequence)
        idrID = unit.isIDR ? try reader.unsigned(max: 65535) : 0

        let hasSecondDelta = pictureSet.hasFieldOrderInFrame && structure == .frame
        var (lowBits, bottomDelta, deltas) = (0, 0, (0, 0))
        switch sequence.orderCoding {
        case .lowBits(let count):
            lowBits = try reader.bits(count)
            if hasSecondDelta { bottomDelta = try reader.signed() }
        case .cycle(let isFixed, _, _, _):
            if !isFixed {
                deltas.0 = try reader.signed()
                if hasSecondDelta { deltas.1 = try reader.signed() }
            }
        case .decodingOrder:
            break
        }
        orderLowBits = lowBits
        bottomOrderDelta = bottomDelta
        orderDeltas = deltas
        redundantCount = pictureSet.hasRedundantCount ? try reader.unsigned(max: 127) : 0

        try H264SliceHeader.skipReferenceLists(
            &reader, kind: kind, pictureSet: pictureSet, chromaArrayType: sequence.chromaArrayType)
        marking = unit.isReference ? try H264Marking(&reader, isIDR: unit.isIDR) : H264Marking()
    }

    private static func readStructure(
        _ reader: inout BitReader, sequence: H264SequenceSet
    ) throws(HeaderError) -> CodedPicture.Structure {
        guard !sequence.isFrameOnly, try reader.flag() else { return .frame }
        return try reader.flag() ? .bottomField : .topField
    }

    /// Whether `other` belongs to a different primary coded picture (H.264 7.4.1.2.4).
    func startsNewPicture(after other: H264SliceHeader) -> Bool {
        frameNumber != other.frameNumber || pictureSetID != other.pictureSetID
            || structure != other.structure || isReference != other.isReference
            || isIDR != other.isIDR || idrID != other.idrID
            || orderLowBits != other.orderLowBits || bottomOrderDelta != other.bottomOrderDelta
            || orderDeltas != other.orderDeltas
    }
}
