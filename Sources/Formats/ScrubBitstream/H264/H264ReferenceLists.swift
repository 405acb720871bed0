/// The parts of a slice header between its order count and its reference marking.
extension H264SliceHeader {
    /// Skips direct_spatial_mv_pred_flag, the list sizes, ref_pic_list_modification() and pred_weight_table() (H.264
    /// 7.3.3, 7.3.3.1, 7.3.3.2).
    static func skipReferenceLists(
        _ reader: inout BitReader, kind: Kind, pictureSet: H264PictureSet, chromaArrayType: Int
    ) throws(HeaderError) {
        guard !kind.isIntra else { return }
        let isBipredictive = kind == .b
        if isBipredictive { try reader.skip(1) }
        var (first, second) = pictureSet.defaultReferences
        if try reader.flag() {
            first = try reader.unsigned(max: 31) + 1
            if isBipredictive { second = try reader.unsigned(max: 31) + 1 }
        }
        try skipModification(&reader)
        if isBipredictive { try skipModification(&reader) }
        let isWeighted = isBipredictive ? pictureSet.bipredictiveWeighting == 1 : pictureSet.isWeighted
        guard isWeighted else { return }
        _ = try reader.unsigned(max: 7)  // luma_log2_weight_denom
        if chromaArrayType != 0 { _ = try reader.unsigned(max: 7) }
        try skipWeights(&reader, count: first, hasChroma: chromaArrayType != 0)
        if isBipredictive { try skipWeights(&reader, count: second, hasChroma: chromaArrayType != 0) }
    }

    /// Skips one list of ref_pic_list_modification(), 7.3.3.1.
    private static func skipModification(_ reader: inout BitReader) throws(HeaderError) {
        guard try reader.flag() else { return }
        // A list has at most 32 entries, each modified at most once, and then the end mark (7.4.3.1).
        for _ in 0...32 {
            if try reader.unsigned(max: 3) == 3 { return }
            _ = try reader.unsigned()  // abs_diff_pic_num_minus1 or long_term_pic_num
        }
        throw .invalid
    }

    /// Skips one list of pred_weight_table(), 7.3.3.2: a weight and an offset for luma, two of each for chroma.
    private static func skipWeights(
        _ reader: inout BitReader, count: Int, hasChroma: Bool
    ) throws(HeaderError) {
        for _ in 0..<count {
            if try reader.flag() {
                for _ in 0..<2 { _ = try reader.signed() }
            }
            if hasChroma, try reader.flag() {
                for _ in 0..<4 { _ = try reader.signed() }
            }
        }
    }
}

/// dec_ref_pic_marking() (H.264 7.3.3.3): the changes to the reference pictures after this one.
struct H264Marking: Sendable {
    /// One `memory_management_control_operation` (Table 7-9).
    enum Operation: Sendable, Equatable {
        /// 1: a short-term picture becomes unused (`difference_of_pic_nums_minus1`).
        case forgetShort(Int)
        /// 2: a long-term picture becomes unused (`long_term_pic_num`).
        case forgetLong(Int)
        /// 3: a short-term picture becomes long-term.
        case keepLong(difference: Int, index: Int)
        /// 4: the number of long-term indices (`max_long_term_frame_idx_plus1`).
        case limitLong(Int)
        /// 5: all references are removed and order counts start again.
        case reset
        /// 6: this picture becomes long-term.
        case keepCurrentLong(Int)
    }

    private(set) var operations: [Operation] = []

    /// Whether operation 5 is among them.
    var isReset: Bool { operations.contains(.reset) }

    /// `long_term_reference_flag` of an IDR picture.
    private(set) var isLongTerm = false

    /// Whether there may be long-term reference pictures after this picture.
    ///
    /// - Parameter before: whether there may be any before this picture.
    func leavesLongTerm(_ before: Bool, isIDR: Bool) -> Bool {
        if isIDR { return isLongTerm }
        var may = before
        for operation in operations {
            switch operation {
            case .keepLong, .keepCurrentLong: may = true
            case .reset, .limitLong(0): may = false
            case .forgetShort, .forgetLong, .limitLong: break
            }
        }
        return may
    }

    /// No operations: the sliding window.
    init() {}

    init(_ reader: inout BitReader, isIDR: Bool) throws(HeaderError) {
        if isIDR {
            try reader.skip(1)  // no_output_of_prior_pics_flag
            isLongTerm = try reader.flag()
            return
        }
        guard try reader.flag() else { return }
        // More than two operations for each of the 32 fields make no sense; this bound stops damaged data.
        for _ in 0..<66 {
            switch try reader.unsigned(max: 6) {
            case 0: return
            case 1: operations.append(.forgetShort(try reader.unsigned()))
            case 2: operations.append(.forgetLong(try reader.unsigned()))
            case 3:
                let difference = try reader.unsigned()
                operations.append(.keepLong(difference: difference, index: try reader.unsigned()))
            case 4: operations.append(.limitLong(try reader.unsigned()))
            case 5: operations.append(.reset)
            default: operations.append(.keepCurrentLong(try reader.unsigned()))
            }
        }
        throw .invalid
    }
}
