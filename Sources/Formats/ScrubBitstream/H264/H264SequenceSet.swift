/// The fields of an H.264 sequence parameter set that slice headers and presentation order need (H.264 7.3.2.1.1).
struct H264SequenceSet: Sendable {
    /// The coding of picture order counts (`pic_order_cnt_type`, 8.2.1).
    enum OrderCoding: Sendable {
        /// Type 0: the low bits are in each slice header.
        case lowBits(Int)
        /// Type 1: a cycle of expected differences, corrected by each slice header unless `isFixed`.
        case cycle(isFixed: Bool, nonReferenceOffset: Int, topToBottomOffset: Int, frameOffsets: [Int])
        /// Type 2: presentation order equals decoding order.
        case decodingOrder
    }

    let id: Int
    /// ChromaArrayType: 0 if no chroma is coded or the planes are coded separately (7.4.2.1.1).
    let chromaArrayType: Int
    let hasSeparatePlanes: Bool
    /// `level_idc`: ten times the level, 9 for level 1b of the profiles with chroma (A.3.2).
    let level: Int
    /// `chroma_format_idc`: 0 for gray, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
    let chromaFormat: Int
    /// Whether pictures may be in the profile for 4:4:4 and lossless samples.
    let isHigh444: Bool
    /// The bits of a luma or chroma sample, whichever is larger.
    let bitDepth: Int
    /// log2(MaxFrameNum).
    let frameNumberBits: Int
    let orderCoding: OrderCoding
    /// `max_num_ref_frames`.
    let maxReferenceFrames: Int
    /// `gaps_in_frame_num_value_allowed_flag`.
    let allowsGaps: Bool
    /// `frame_mbs_only_flag`: no field pictures.
    let isFrameOnly: Bool
    /// `max_num_reorder_frames`: from the VUI, or 0 if the order coding or an intra profile rules out reordering
    /// (8.2.1, E.2.1).
    let reorderLimit: Int?
    /// VUI `video_signal_type_present_flag`: whether the set specifies the meaning of samples, in particular their
    /// range.
    let hasSignalType: Bool
    /// VUI `max_dec_frame_buffering`, if present.
    let bufferLimit: Int?

    /// The profiles whose sets contain the chroma format and scaling lists (7.3.2.1.1).
    private static let profilesWithChroma: Set<Int> = [
        100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135,
    ]

    /// The profiles in which `constraint_set3_flag` means that all pictures are intra coded (7.4.2.1.1).
    private static let profilesWithIntra: Set<Int> = [44, 86, 100, 110, 122, 244]

    /// Reads a set from the first bit after the NAL unit header.
    init(_ reader: inout BitReader) throws(HeaderError) {
        let profile = try reader.bits(8)
        try reader.skip(3)  // constraint_set0_flag to constraint_set2_flag
        let isIntraProfile = try reader.flag() && H264SequenceSet.profilesWithIntra.contains(profile)
        try reader.skip(4)  // other constraint flags
        level = try reader.bits(8)
        id = try reader.unsigned(max: 31)
        var chromaFormat = 1
        var depth = 8
        var separate = false
        if H264SequenceSet.profilesWithChroma.contains(profile) {
            chromaFormat = try reader.unsigned(max: 3)
            if chromaFormat == 3 { separate = try reader.flag() }
            let luma = try reader.unsigned(max: 6)  // bit_depth_luma_minus8
            depth += max(luma, try reader.unsigned(max: 6))  // bit_depth_chroma_minus8
            try reader.skip(1)  // qpprime_y_zero_transform_bypass_flag
            if try reader.flag() {
                for list in 0..<(chromaFormat == 3 ? 12 : 8) where try reader.flag() {
                    try H264SequenceSet.skipScalingList(&reader, size: list < 6 ? 16 : 64)
                }
            }
        }
        hasSeparatePlanes = separate
        self.chromaFormat = chromaFormat
        isHigh444 = profile == 244 || chromaFormat == 3
        bitDepth = depth
        chromaArrayType = separate ? 0 : chromaFormat
        frameNumberBits = try reader.unsigned(max: 12) + 4
        orderCoding = try H264SequenceSet.readOrderCoding(&reader)
        maxReferenceFrames = try reader.unsigned()
        allowsGaps = try reader.flag()
        _ = try reader.unsigned()  // pic_width_in_mbs_minus1
        _ = try reader.unsigned()  // pic_height_in_map_units_minus1
        isFrameOnly = try reader.flag()
        if !isFrameOnly { try reader.skip(1) }  // mb_adaptive_frame_field_flag
        try reader.skip(1)  // direct_8x8_inference_flag
        if try reader.flag() {
            for _ in 0..<4 { _ = try reader.unsigned() }  // frame_crop_*_offset
        }
        // Nothing after this affects how slices are read, so a damaged VUI costs only the limits.
        var limits: H264ReorderLimits?
        var hasSignalType = false
        do {
            if try reader.flag() { limits = try H264ReorderLimits(inVUI: &reader, &hasSignalType) }
        } catch {
            limits = nil
        }
        self.hasSignalType = hasSignalType
        var inferred: Int? = isIntraProfile ? 0 : nil
        if case .decodingOrder = orderCoding { inferred = 0 }
        reorderLimit = inferred ?? limits?.reorder
        bufferLimit = limits?.buffer
    }

    private static func readOrderCoding(_ reader: inout BitReader) throws(HeaderError) -> OrderCoding {
        switch try reader.unsigned(max: 2) {
        case 0:
            return .lowBits(try reader.unsigned(max: 12) + 4)
        case 1:
            let isFixed = try reader.flag()
            let nonReference = try reader.signed()
            let topToBottom = try reader.signed()
            var offsets: [Int] = []
            for _ in 0..<(try reader.unsigned(max: 255)) { offsets.append(try reader.signed()) }
            return .cycle(
                isFixed: isFixed, nonReferenceOffset: nonReference, topToBottomOffset: topToBottom,
                frameOffsets: offsets)
        default:
            return .decodingOrder
        }
    }

    /// Skips scaling_list(), 7.3.2.1.1.1: the list ends early if a next scale of 0 is coded.
    private static func skipScalingList(_ reader: inout BitReader, size: Int) throws(HeaderError) {
        var last = 8
        for _ in 0..<size {
            let delta = try reader.signed()
            guard (-128...127).contains(delta) else { throw .invalid }
            let next = (last + delta + 256) % 256
            if next == 0 { return }
            last = next
        }
    }
}

/// The two numbers at the end of the VUI that bound reordering (H.264 E.1.1, E.2.1 bitstream_restriction).
struct H264ReorderLimits: Sendable {
    let reorder: Int
    let buffer: Int

    /// Returns `nil` if the VUI has no restrictions.
    init?(inVUI reader: inout BitReader, _ hasSignalType: inout Bool) throws(HeaderError) {
        if try reader.flag(), try reader.bits(8) == 255 { try reader.skip(32) }  // aspect ratio, Extended_SAR
        try reader.optionalSkip(1)  // overscan
        hasSignalType = try reader.flag()
        if hasSignalType {
            try reader.skip(4)  // video_format, video_full_range_flag
            try reader.optionalSkip(24)  // colour description
        }
        if try reader.flag() {
            _ = try reader.unsigned()  // chroma_sample_loc_type_top_field
            _ = try reader.unsigned()  // chroma_sample_loc_type_bottom_field
        }
        try reader.optionalSkip(32 + 32 + 1)  // timing
        let hasNALRates = try reader.flag()
        if hasNALRates { try H264ReorderLimits.skipRates(&reader) }
        let hasVCLRates = try reader.flag()
        if hasVCLRates { try H264ReorderLimits.skipRates(&reader) }
        if hasNALRates || hasVCLRates { try reader.skip(1) }  // low_delay_hrd_flag
        try reader.skip(1)  // pic_struct_present_flag
        guard try reader.flag() else { return nil }
        try reader.skip(1)  // motion_vectors_over_pic_boundaries_flag
        for _ in 0..<4 { _ = try reader.unsigned() }  // byte, bit and motion vector limits
        reorder = try reader.unsigned(max: 16)
        buffer = try reader.unsigned(max: 16)
    }

    /// Skips hrd_parameters(), E.1.2.
    private static func skipRates(_ reader: inout BitReader) throws(HeaderError) {
        let count = try reader.unsigned(max: 31) + 1
        try reader.skip(4 + 4)
        for _ in 0..<count {
            _ = try reader.unsigned()
            _ = try reader.unsigned()
            try reader.skip(1)
        }
        try reader.skip(4 * 5)
    }
}
