/// The two-byte NAL unit header (H.265 7.3.1.2) with the properties of its type from Table 7-1.
struct HEVCUnitHeader: Sendable {
    /// `nal_unit_type`.
    let type: Int
    /// `nuh_layer_id`: above 0 for enhancement layers, which base decoders ignore.
    let layer: Int
    let temporalID: Int

    /// Returns `nil` for a unit that is too short for a header or has `forbidden_zero_bit` 1 or `nuh_temporal_id_plus1`
    /// 0, because libavcodec skips it (h2645_parse.c).
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 2, bytes[0] & 0x80 == 0, bytes[1] & 7 > 0 else { return nil }
        type = Int(bytes[0] >> 1 & 0x3F)
        layer = Int(bytes[0] & 1) << 5 | Int(bytes[1] >> 3)
        temporalID = Int(bytes[1] & 7) - 1
    }

    /// A slice segment of a picture. 10 to 15 and 22 to 31 are reserved; 22 and 23 would be IRAP pictures.
    var isSlice: Bool { type <= 9 || (16...21).contains(type) }
    /// An intra random access point: BLA, IDR or CRA.
    var isRandomAccessPoint: Bool { (16...23).contains(type) }
    var isIDR: Bool { type == 19 || type == 20 }
    var isBrokenLink: Bool { (16...18).contains(type) }
    var isClean: Bool { type == 21 }
    /// RASL_N, RASL_R.
    var isSkippedLeading: Bool { type == 8 || type == 9 }
    /// RADL_N, RADL_R.
    var isDecodableLeading: Bool { type == 6 || type == 7 }
    /// Not used for reference by pictures of its own sub-layer: the even types up to RSV_VCL_N14.
    var isSubLayerNonReference: Bool { type <= 14 && type % 2 == 0 }
    /// Whether the picture is prevTid0Pic for later pictures (8.3.1).
    var isOrderAnchor: Bool {
        temporalID == 0 && !isSkippedLeading && !isDecodableLeading && !isSubLayerNonReference
    }
}

/// An HEVC slice segment header up to slice_temporal_mvp_enabled_flag (H.265 7.3.6.1).
struct HEVCSliceHeader: Sendable {
    /// `slice_type` (Table 7-7).
    enum Kind: Int, Sendable { case b, p, i }

    /// A long-term reference of the picture: a full order count if the high part is coded, or else its low bits.
    struct LongTerm: Sendable {
        let orderLowBits: Int
        let isUsed: Bool
        /// DeltaPocMsbCycleLt, if present.
        let highPartDistance: Int?
    }

    let isFirstInPicture: Bool
    /// `no_output_of_prior_pics_flag`; false without the flag.
    let discardsPrior: Bool
    let pictureSetID: Int
    let sequenceID: Int
    /// `nil` in a dependent slice segment, which uses the header of the previous segment.
    private(set) var kind: Kind?
    /// `pic_output_flag`.
    private(set) var isOutput = true
    /// `slice_pic_order_cnt_lsb`.
    private(set) var orderLowBits = 0
    private(set) var shortTerm = HEVCReferencePictureSet()
    private(set) var longTerm: [LongTerm] = []

    /// Reads the header from the first bit after the NAL unit header.
    init(
        _ reader: inout BitReader, unit: HEVCUnitHeader, sequences: ParameterSets<HEVCSequenceSet>,
        pictures: ParameterSets<HEVCPictureSet>
    ) throws(HeaderError) {
        isFirstInPicture = try reader.flag()
        discardsPrior = unit.isRandomAccessPoint ? try reader.flag() : false
        pictureSetID = try reader.unsigned(max: 63)
        guard let pictureSet = pictures[pictureSetID],
            let sequence = sequences[pictureSet.sequenceID]
        else { throw .missingParameterSet }
        sequenceID = pictureSet.sequenceID
        if !isFirstInPicture {
            let isDependent = pictureSet.hasDependentSegments ? try reader.flag() : false
            try reader.skip(sequence.addressBits)
            if isDependent { return }
        }
        try reader.skip(pictureSet.extraBits)
        guard let kind = Kind(rawValue: try reader.unsigned(max: 2)) else { throw .invalid }
        self.kind = kind
        if pictureSet.hasOutputFlag { isOutput = try reader.flag() }
        if sequence.hasSeparatePlanes { try reader.skip(2) }  // colour_plane_id
        guard !unit.isIDR else { return }
        orderLowBits = try reader.bits(sequence.orderBits)
        let sets = sequence.shortTermSets
        if try reader.flag() {
            let index = try reader.bits(bitsToCount(sets.count))
            guard index < sets.count else { throw .invalid }
            shortTerm = sets[index]
        } else {
            shortTerm = try HEVCReferencePictureSet(&reader, index: sets.count, known: sets, isInSlice: true)
        }
        if sequence.hasLongTerm { longTerm = try HEVCSliceHeader.readLongTerm(&reader, sequence: sequence) }
        if sequence.hasTemporalMotion { try reader.skip(1) }  // slice_temporal_mvp_enabled_flag
    }

    private static func readLongTerm(
        _ reader: inout BitReader, sequence: HEVCSequenceSet
    ) throws(HeaderError) -> [LongTerm] {
        let fromSequence = sequence.longTerm.isEmpty ? 0 : try reader.unsigned(max: 32)
        let count = fromSequence + (try reader.unsigned(max: 32))
        var references: [LongTerm] = []
        var distance = 0
        for position in 0..<count {
            let lowBits: Int
            let isUsed: Bool
            if position < fromSequence {
                let index = try reader.bits(bitsToCount(sequence.longTerm.count))
                guard index < sequence.longTerm.count else { throw .invalid }
                (lowBits, isUsed) = (sequence.longTerm[index].orderLowBits, sequence.longTerm[index].isUsed)
            } else {
                lowBits = try reader.bits(sequence.orderBits)
                isUsed = try reader.flag()
            }
            // Distances add up within each of the two groups (equation 7-52).
            if position == 0 || position == fromSequence { distance = 0 }
            let hasHighPart = try reader.flag()
            if hasHighPart { distance += try reader.unsigned() }
            references.append(
                LongTerm(
                    orderLowBits: lowBits, isUsed: isUsed, highPartDistance: hasHighPart ? distance : nil))
        }
        return references
    }
}
