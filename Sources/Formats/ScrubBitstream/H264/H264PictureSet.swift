/// The fields of an H.264 picture parameter set that slice headers need (H.264 7.3.2.2).
struct H264PictureSet: Sendable {
    let id: Int
    let sequenceID: Int
    /// The sequence set that had the id when this set arrived, with its version; `nil` if there was none. libavcodec
    /// uses that set until the picture set is sent again (h264_ps.c).
    var sequence: H264SequenceSet?
    var sequenceVersion = 0
    /// `entropy_coding_mode_flag`: CABAC.
    let isArithmetic: Bool
    /// Slice groups; more than one is flexible macroblock ordering.
    let groupCount: Int
    /// `deblocking_filter_control_present_flag`.
    let hasDeblockingControl: Bool
    /// `bottom_field_pic_order_in_frame_present_flag`.
    let hasFieldOrderInFrame: Bool
    /// `num_ref_idx_l0_default_active_minus1` + 1, and the same for list 1.
    let defaultReferences: (first: Int, second: Int)
    /// `weighted_pred_flag`.
    let isWeighted: Bool
    /// `weighted_bipred_idc`; 1 means weights are in the slice header.
    let bipredictiveWeighting: Int
    /// `redundant_pic_cnt_present_flag`.
    let hasRedundantCount: Bool

    /// Reads a set from the first bit after the NAL unit header.
    init(_ reader: inout BitReader) throws(HeaderError) {
        id = try reader.unsigned(max: 255)
        sequenceID = try reader.unsigned(max: 31)
        isArithmetic = try reader.flag()
        hasFieldOrderInFrame = try reader.flag()
        let groups = try reader.unsigned(max: 7) + 1
        groupCount = groups
        if groups > 1 { try H264PictureSet.skipSliceGroups(&reader, count: groups) }
        // A field's list may have at most 32 entries (7.4.3).
        defaultReferences = (try reader.unsigned(max: 31) + 1, try reader.unsigned(max: 31) + 1)
        isWeighted = try reader.flag()
        bipredictiveWeighting = try reader.bits(2)
        _ = try reader.signed()  // pic_init_qp_minus26
        _ = try reader.signed()  // pic_init_qs_minus26
        _ = try reader.signed()  // chroma_qp_index_offset
        hasDeblockingControl = try reader.flag()
        try reader.skip(1)  // constrained_intra_pred_flag
        hasRedundantCount = try reader.flag()
    }

    /// Skips the slice group map, 7.3.2.2, which affects only macroblock addresses.
    private static func skipSliceGroups(_ reader: inout BitReader, count: Int) throws(HeaderError) {
        switch try reader.unsigned(max: 6) {
        case 0:
            for _ in 0..<count { _ = try reader.unsigned() }  // run_length_minus1
        case 2:
            for _ in 0..<(count - 1) * 2 { _ = try reader.unsigned() }  // top_left, bottom_right
        case 3, 4, 5:
            try reader.skip(1)  // slice_group_change_direction_flag
            _ = try reader.unsigned()  // slice_group_change_rate_minus1
        case 6:
            // slice_group_id has Ceil(Log2(num_slice_groups)) bits: 1, 2 or 3.
            let width = count > 4 ? 3 : count > 2 ? 2 : 1
            for _ in 0...(try reader.unsigned(max: 1 << 20)) { try reader.skip(width) }
        default:
            break
        }
    }
}
