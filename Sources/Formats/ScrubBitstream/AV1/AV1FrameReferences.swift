/// The part of an AV1 frame header about other frames, directly after refresh_frame_flags (AV1 5.9.2).
struct AV1FrameReferences: Sendable {
    /// `ref_order_hint[]` of the eight slots, if the header repeats them; otherwise empty.
    private(set) var orderHints: [Int] = []
    /// The slots from which the frame is predicted, in ascending order without repeats. Motion vectors, probabilities,
    /// film grain and segmentation come through the same slots: primary_ref_frame and film_grain_params_ref_idx do not
    /// name any others (6.8.2, 6.8.20).
    private(set) var slots: [Int] = []

    /// Continues where `header` ended.
    init(_ reader: inout BitReader, header: AV1FrameHeader, sequence: AV1SequenceHeader) throws(HeaderError) {
        if let slot = header.shownSlot {
            slots = [slot]
            return
        }
        let isIntra = header.kind == .key || header.kind == .intraOnly
        let hasOrderHints = sequence.orderHintBits > 0
        if !isIntra || header.refreshedSlots != AV1FrameHeader.allSlots, header.isErrorResilient, hasOrderHints {
            for _ in 0..<8 { orderHints.append(try reader.bits(sequence.orderHintBits)) }
        }
        guard !isIntra else { return }
        // frame_refs_short_signaling: the other slots are determined by the order hints of all eight (7.8).
        let isShort = hasOrderHints ? try reader.flag() : false
        if isShort { try reader.skip(3 + 3) }  // last_frame_idx, gold_frame_idx
        var named = Set<Int>()
        for _ in 0..<7 {
            if !isShort { named.insert(try reader.bits(3)) }  // ref_frame_idx[]
            try reader.skip(sequence.frameIDDifferenceBits)  // delta_frame_id_minus_1
        }
        slots = isShort ? Array(0..<8) : named.sorted()
    }
}
