/// The fields of an AV1 sequence header OBU that frame headers need (AV1 5.5).
struct AV1SequenceHeader: Sendable, Equatable {
    /// SELECT_SCREEN_CONTENT_TOOLS, SELECT_INTEGER_MV (AV1 3): each frame chooses.
    static let chosenPerFrame = 2

    /// `decoder_model_info_present_flag` with those of its fields that are needed to read the frame header.
    struct DecoderModel: Sendable, Equatable {
        var removalTimeBits = 0
        var presentationTimeBits = 0
    }

    /// An operating point (5.5.1) and the layers that belong to it.
    struct OperatingPoint: Sendable, Equatable {
        /// `operating_point_idc`: bits 0 to 7 are temporal layers, 8 to 11 spatial layers; 0 means all.
        var layers = 0
        /// `decoder_model_present_for_this_op`.
        var hasDecoderModel = false
    }

    /// `reduced_still_picture_header`: the stream is one picture.
    private(set) var isReducedStill = false
    private(set) var operatingPoints: [OperatingPoint] = []
    private(set) var decoderModel: DecoderModel?
    /// `equal_picture_interval`.
    private(set) var hasEqualInterval = false
    private(set) var frameWidthBits = 0
    private(set) var frameHeightBits = 0
    /// The bits of `current_frame_id`; 0 if frames have none.
    private(set) var frameIDBits = 0
    /// The bits of `delta_frame_id_minus_1`; 0 if frames have none.
    private(set) var frameIDDifferenceBits = 0
    /// `seq_force_screen_content_tools`, `seq_force_integer_mv`.
    private(set) var screenContentTools = AV1SequenceHeader.chosenPerFrame
    private(set) var integerMotion = AV1SequenceHeader.chosenPerFrame
    /// OrderHintBits; 0 if `enable_order_hint` is 0.
    private(set) var orderHintBits = 0

    /// Reads a header from the first bit after the OBU header.
    init(_ reader: inout BitReader) throws(HeaderError) {
        try reader.skip(3 + 1)  // seq_profile, still_picture
        isReducedStill = try reader.flag()
        if isReducedStill {
            try reader.skip(5)  // seq_level_idx[0]
            operatingPoints = [OperatingPoint()]
        } else {
            try readOperatingPoints(&reader)
        }
        frameWidthBits = try reader.bits(4) + 1
        frameHeightBits = try reader.bits(4) + 1
        try reader.skip(frameWidthBits + frameHeightBits)
        if !isReducedStill, try reader.flag() {
            frameIDDifferenceBits = try reader.bits(4) + 2
            frameIDBits = try reader.bits(3) + frameIDDifferenceBits + 1
            guard frameIDBits <= 16 else { throw .invalid }
        }
        try reader.skip(3)  // use_128x128_superblock, enable_filter_intra, enable_intra_edge_filter
        guard !isReducedStill else { return }
        try reader.skip(4)  // interintra, masked compound, warped motion, dual filter
        let hasOrderHint = try reader.flag()
        if hasOrderHint { try reader.skip(2) }  // enable_jnt_comp, enable_ref_frame_mvs
        if !(try reader.flag()) { screenContentTools = try reader.bits(1) }
        if screenContentTools > 0, !(try reader.flag()) { integerMotion = try reader.bits(1) }
        if hasOrderHint { orderHintBits = try reader.bits(3) + 1 }
    }

    private mutating func readOperatingPoints(_ reader: inout BitReader) throws(HeaderError) {
        if try reader.flag() {
            try reader.skip(32 + 32)  // num_units_in_display_tick, time_scale
            hasEqualInterval = try reader.flag()
            if hasEqualInterval { try AV1SequenceHeader.skipVariableLength(&reader) }
            if try reader.flag() { try readDecoderModel(&reader) }
        }
        let hasDisplayDelay = try reader.flag()
        for _ in 0...(try reader.bits(5)) {
            var point = OperatingPoint(layers: try reader.bits(12))
            // seq_level_idx above 7 has a tier bit.
            if try reader.bits(5) > 7 { try reader.skip(1) }
            if decoderModel != nil {
                point.hasDecoderModel = try reader.flag()
                // operating_parameters_info(): two delays and a flag.
                if point.hasDecoderModel { try reader.skip(delayBits * 2 + 1) }
            }
            if hasDisplayDelay { try reader.optionalSkip(4) }
            operatingPoints.append(point)
        }
    }

    /// `buffer_delay_length_minus_1` + 1.
    private var delayBits = 0

    private mutating func readDecoderModel(_ reader: inout BitReader) throws(HeaderError) {
        delayBits = try reader.bits(5) + 1
        try reader.skip(32)  // num_units_in_decoding_tick
        let removal = try reader.bits(5) + 1
        decoderModel = DecoderModel(
            removalTimeBits: removal, presentationTimeBits: try reader.bits(5) + 1)
    }

    /// Whether decoding operating point 0, the default in decoders, includes the unit: drop_obu() (5.3.1).
    func decodes(_ unit: AV1Unit) -> Bool {
        let layers = operatingPoints.first?.layers ?? 0
        guard layers != 0, unit.hasLayer else { return true }
        return layers >> unit.layer.temporal & 1 == 1 && layers >> (unit.layer.spatial + 8) & 1 == 1
    }

    /// Whether operating point 0 has more than one spatial layer.
    var hasSpatialLayers: Bool {
        let layers = (operatingPoints.first?.layers ?? 0) >> 8
        return layers & (layers - 1) != 0
    }

    /// Skips uvlc(), 4.10.3.
    private static func skipVariableLength(_ reader: inout BitReader) throws(HeaderError) {
        var zeros = 0
        while !(try reader.flag()) { zeros += 1 }
        if zeros < 32 { try reader.skip(zeros) }
    }
}
