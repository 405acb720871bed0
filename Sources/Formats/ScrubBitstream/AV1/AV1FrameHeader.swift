/// An AV1 frame header up to refresh_frame_flags (AV1 5.9.2).
struct AV1FrameHeader: Sendable {
    /// `frame_type` (6.8.2).
    enum Kind: Int, Sendable { case key, inter, intraOnly, switching }

    /// `show_existing_frame` with its slot (`frame_to_show_map_idx`): no frame is coded in that case.
    private(set) var shownSlot: Int?
    private(set) var kind = Kind.key
    /// `show_frame`.
    private(set) var isShown = true
    /// `showable_frame`.
    private(set) var isShowable = false
    /// `error_resilient_mode`.
    private(set) var isErrorResilient = true
    /// `order_hint`.
    private(set) var orderHint = 0
    /// `primary_ref_frame`: the reference from which the probabilities come; 7 for none.
    private(set) var primaryReference = AV1FrameHeader.noPrimaryReference
    /// `refresh_frame_flags`: a bit for each of the eight slots, set if this frame is stored in it.
    private(set) var refreshedSlots = AV1FrameHeader.allSlots

    static let allSlots = 0xFF
    static let noPrimaryReference = 7

    /// The frame's layer in its OBU header.
    struct Layer: Sendable, Equatable {
        var temporal = 0
        var spatial = 0
    }

    /// Reads the header from the first bit after the OBU header.
    init(_ reader: inout BitReader, sequence: AV1SequenceHeader, layer: Layer) throws(HeaderError) {
        if sequence.isReducedStill { return }
        if try reader.flag() {
            shownSlot = try reader.bits(3)
            refreshedSlots = 0
            return
        }
        kind = Kind(rawValue: try reader.bits(2)) ?? .key
        isShown = try reader.flag()
        if isShown {
            if let model = sequence.decoderModel, !sequence.hasEqualInterval {
                try reader.skip(model.presentationTimeBits)  // temporal_point_info()
            }
            isShowable = kind != .key
        } else {
            isShowable = try reader.flag()
        }
        isErrorResilient = kind == .switching || (kind == .key && isShown) ? true : try reader.flag()
        try reader.skip(1)  // disable_cdf_update
        try AV1FrameHeader.skipScreenContent(&reader, sequence: sequence)
        try reader.skip(sequence.frameIDBits)  // current_frame_id
        if kind != .switching { try reader.skip(1) }  // frame_size_override_flag
        orderHint = try reader.bits(sequence.orderHintBits)
        let isIntra = kind == .key || kind == .intraOnly
        if !isIntra, !isErrorResilient { primaryReference = try reader.bits(3) }
        if let model = sequence.decoderModel, try reader.flag() {
            try AV1FrameHeader.skipRemovalTimes(&reader, sequence: sequence, model: model, layer: layer)
        }
        refreshedSlots =
            kind == .switching || (kind == .key && isShown) ? AV1FrameHeader.allSlots : try reader.bits(8)
    }

    /// Skips allow_screen_content_tools and force_integer_mv.
    private static func skipScreenContent(
        _ reader: inout BitReader, sequence: AV1SequenceHeader
    ) throws(HeaderError) {
        var allowed = sequence.screenContentTools
        if allowed == AV1SequenceHeader.chosenPerFrame { allowed = try reader.bits(1) }
        if allowed > 0, sequence.integerMotion == AV1SequenceHeader.chosenPerFrame { try reader.skip(1) }
    }

    /// Skips buffer_removal_time[] of the operating points to which the frame belongs.
    private static func skipRemovalTimes(
        _ reader: inout BitReader, sequence: AV1SequenceHeader, model: AV1SequenceHeader.DecoderModel,
        layer: Layer
    ) throws(HeaderError) {
        for point in sequence.operatingPoints where point.hasDecoderModel {
            let isInPoint =
                point.layers == 0
                || (point.layers >> layer.temporal & 1 == 1 && point.layers >> (layer.spatial + 8) & 1 == 1)
            if isInPoint { try reader.skip(model.removalTimeBits) }
        }
    }
}
