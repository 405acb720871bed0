/// The fields of an HEVC sequence parameter set that slice headers and presentation order need (H.265 7.3.2.2).
struct HEVCSequenceSet: Sendable {
    /// A long-term reference candidate of the sequence (`lt_ref_pic_poc_lsb_sps`, `used_by_curr_pic_lt_sps_flag`).
    struct LongTerm: Sendable {
        let orderLowBits: Int
        let isUsed: Bool
    }

    let id: Int
    /// `general_interlaced_source_flag` without `general_progressive_source_flag`: pictures are single fields.
    let isOfFields: Bool
    /// `sps_video_parameter_set_id`.
    let videoSetID: Int
    /// `sps_max_sub_layers_minus1`: the highest TemporalId in the stream.
    let highestTemporalID: Int
    let hasSeparatePlanes: Bool
    /// `chroma_format_idc`: 0 for gray, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
    let chromaFormat: Int
    /// The bits of a luma or chroma sample, whichever is larger.
    let bitDepth: Int
    /// The bits of a slice segment address: Ceil(Log2(PicSizeInCtbsY)).
    let addressBits: Int
    /// `log2_max_pic_order_cnt_lsb_minus4` + 4.
    let orderBits: Int
    /// `sps_max_num_reorder_pics` of the highest sub-layer.
    let reorderLimit: Int
    /// `sps_max_dec_pic_buffering_minus1` + 1 of the highest sub-layer.
    let bufferLimit: Int
    let shortTermSets: [HEVCReferencePictureSet]
    /// `long_term_ref_pics_present_flag`: long-term pictures may be allowed even if the list is empty.
    let hasLongTerm: Bool
    let longTerm: [LongTerm]
    /// `sps_temporal_mvp_enabled_flag`.
    let hasTemporalMotion: Bool

    /// Reads a set from the first bit after the NAL unit header.
    init(_ reader: inout BitReader) throws(HeaderError) {
        videoSetID = try reader.bits(4)
        highestTemporalID = try reader.bits(3)
        guard highestTemporalID < 7 else { throw .invalid }
        try reader.skip(1)  // sps_temporal_id_nesting_flag
        var profile = reader
        try profile.skip(8 + 32)  // general_profile_space to general_profile_compatibility_flag
        let isProgressive = try profile.flag()
        isOfFields = try profile.flag() && !isProgressive
        try HEVCSequenceSet.skipProfiles(&reader, highestTemporalID: highestTemporalID)
        id = try reader.unsigned(max: 15)
        chromaFormat = try reader.unsigned(max: 3)
        hasSeparatePlanes = chromaFormat == 3 ? try reader.flag() : false
        let width = try reader.unsigned(max: 1 << 20)
        let height = try reader.unsigned(max: 1 << 20)
        if try reader.flag() {
            for _ in 0..<4 { _ = try reader.unsigned() }  // conformance window
        }
        let luma = try reader.unsigned(max: 8)  // bit_depth_luma_minus8
        bitDepth = 8 + max(luma, try reader.unsigned(max: 8))  // bit_depth_chroma_minus8
        orderBits = try reader.unsigned(max: 12) + 4
        var limits = (buffer: 0, reorder: 0)
        let hasAllLayers = try reader.flag()
        for _ in (hasAllLayers ? 0 : highestTemporalID)...highestTemporalID {
            limits.buffer = try reader.unsigned(max: 16) + 1
            limits.reorder = try reader.unsigned(max: 16)
            _ = try reader.unsigned()  // sps_max_latency_increase_plus1
        }
        (bufferLimit, reorderLimit) = limits

        let smallestBlock = try reader.unsigned(max: 3) + 3
        let treeBlock = smallestBlock + (try reader.unsigned(max: 3))
        let columns = (width + (1 << treeBlock) - 1) >> treeBlock
        let rows = (height + (1 << treeBlock) - 1) >> treeBlock
        addressBits = bitsToCount(columns * rows)
        for _ in 0..<4 { _ = try reader.unsigned() }  // transform block sizes and depths
        // scaling_list_enabled_flag, sps_scaling_list_data_present_flag
        if try reader.flag(), try reader.flag() { try HEVCSequenceSet.skipScalingLists(&reader) }
        try reader.skip(2)  // amp_enabled_flag, sample_adaptive_offset_enabled_flag
        if try reader.flag() {
            try reader.skip(4 + 4)  // pcm bit depths
            _ = try reader.unsigned()
            _ = try reader.unsigned()
            try reader.skip(1)
        }
        var sets: [HEVCReferencePictureSet] = []
        for index in 0..<(try reader.unsigned(max: 64)) {
            sets.append(try HEVCReferencePictureSet(&reader, index: index, known: sets, isInSlice: false))
        }
        shortTermSets = sets
        hasLongTerm = try reader.flag()
        var candidates: [LongTerm] = []
        if hasLongTerm {
            for _ in 0..<(try reader.unsigned(max: 32)) {
                let lowBits = try reader.bits(orderBits)
                candidates.append(LongTerm(orderLowBits: lowBits, isUsed: try reader.flag()))
            }
        }
        longTerm = candidates
        hasTemporalMotion = try reader.flag()
    }

    /// Skips profile_tier_level(1, highestTemporalID), 7.3.3.
    static func skipProfiles(
        _ reader: inout BitReader, highestTemporalID: Int
    ) throws(HeaderError) {
        let profileBits = 88
        let levelBits = 8
        try reader.skip(profileBits + levelBits)
        guard highestTemporalID > 0 else { return }
        var present: [(profile: Bool, level: Bool)] = []
        for _ in 0..<highestTemporalID { present.append((try reader.flag(), try reader.flag())) }
        try reader.skip((8 - highestTemporalID) * 2)  // reserved_zero_2bits
        for layer in present {
            if layer.profile { try reader.skip(profileBits) }
            if layer.level { try reader.skip(levelBits) }
        }
    }

    /// Skips scaling_list_data(), 7.3.4.
    private static func skipScalingLists(_ reader: inout BitReader) throws(HeaderError) {
        for size in 0..<4 {
            for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
                guard try reader.flag() else {
                    _ = try reader.unsigned()  // scaling_list_pred_matrix_id_delta
                    continue
                }
                if size > 1 { _ = try reader.signed() }  // scaling_list_dc_coef_minus8
                for _ in 0..<min(64, 1 << (4 + size << 1)) { _ = try reader.signed() }
            }
        }
    }
}

/// Returns Ceil(Log2(count)): the number of bits needed to number `count` items; 0 for one item or none.
func bitsToCount(_ count: Int) -> Int {
    count > 1 ? Int.bitWidth - (count - 1).leadingZeroBitCount : 0
}

/// The fields of an HEVC picture parameter set that slice headers need (H.265 7.3.2.3).
struct HEVCPictureSet: Sendable {
    let id: Int
    let sequenceID: Int
    /// `dependent_slice_segments_enabled_flag`.
    let hasDependentSegments: Bool
    /// `output_flag_present_flag`.
    let hasOutputFlag: Bool
    /// `num_extra_slice_header_bits`.
    let extraBits: Int

    /// Reads a set from the first bit after the NAL unit header.
    init(_ reader: inout BitReader) throws(HeaderError) {
        id = try reader.unsigned(max: 63)
        sequenceID = try reader.unsigned(max: 15)
        hasDependentSegments = try reader.flag()
        hasOutputFlag = try reader.flag()
        extraBits = try reader.bits(3)
    }
}
