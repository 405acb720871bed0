@testable import ScrubBitstream

/// Writes the smallest AV1 streams that a test needs.
struct AV1Builder {
    /// OrderHintBits.
    var orderHintBits = 7
    /// The bits of delta_frame_id_minus_1, one less than those of current_frame_id; 0 for none.
    var frameIDDifferenceBits = 0
    var operatingPoint = 0
    /// `seq_level_idx`: one bit of another header.
    var level = 4

    /// A sequence header OBU without timing.
    var sequence: [UInt8] {
        var w = BitWriter()
        w.bits(0, 3 + 1 + 1)
        w.flag(false)  // timing_info_present_flag
        w.flag(false)  // initial_display_delay_present_flag
        w.bits(0, 5)
        w.bits(operatingPoint, 12)
        w.bits(level, 5)
        w.bits(9, 4)
        w.bits(9, 4)
        w.bits(100, 10)
        w.bits(100, 10)
        w.flag(frameIDDifferenceBits > 0)
        if frameIDDifferenceBits > 0 {
            w.bits(frameIDDifferenceBits - 2, 4)
            w.bits(0, 3)
        }
        w.bits(0, 3 + 4)
        w.flag(orderHintBits > 0)
        if orderHintBits > 0 { w.bits(0, 2) }
        w.flag(true)  // seq_choose_screen_content_tools
        w.flag(true)  // seq_choose_integer_mv
        if orderHintBits > 0 { w.bits(orderHintBits - 1, 3) }
        w.trailing()
        return AV1Builder.unit(1, w.bytes)
    }

    /// A frame header's fields.
    struct Frame {
        /// `frame_type`.
        var kind = 1
        var isShown = true
        var refreshes = 0
        var orderHint = 3
        /// `error_resilient_mode` with `ref_order_hint[]`.
        var repeatedHints: [Int]?
        /// `ref_frame_idx[]`; `nil` for frame_refs_short_signaling.
        var references: [Int]? = [0, 0, 0, 0, 0, 0, 0]
    }

    /// An OBU_FRAME.
    func frame(_ frame: Frame) -> [UInt8] { AV1Builder.unit(6, header(frame)) }

    /// An OBU_FRAME_HEADER with two tile groups and a redundant header.
    func splitFrame(_ frame: Frame) -> [UInt8] {
        let header = header(frame)
        return AV1Builder.unit(3, header) + AV1Builder.unit(4, [1, 2]) + AV1Builder.unit(7, header)
            + AV1Builder.unit(4, [3])
    }

    static func existing(_ slot: UInt8) -> [UInt8] { unit(3, [0x80 | slot << 4 | 8]) }

    static func unit(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [type << 3 | 2, UInt8(payload.count)] + payload
    }

    private func header(_ frame: Frame) -> [UInt8] {
        let isShownKey = frame.kind == 0 && frame.isShown
        let isIntra = frame.kind == 0 || frame.kind == 2
        var w = BitWriter()
        w.flag(false)
        w.bits(frame.kind, 2)
        w.flag(frame.isShown)
        if !frame.isShown { w.flag(true) }
        if !isShownKey { w.flag(frame.repeatedHints != nil) }
        w.flag(false)
        w.flag(false)  // allow_screen_content_tools
        w.bits(0, frameIDDifferenceBits > 0 ? frameIDDifferenceBits + 1 : 0)
        w.flag(false)  // frame_size_override_flag
        w.bits(frame.orderHint, orderHintBits)
        if !isIntra, frame.repeatedHints == nil { w.bits(0, 3) }
        if !isShownKey { w.bits(frame.refreshes, 8) }
        for hint in frame.repeatedHints ?? [] { w.bits(hint, orderHintBits) }
        if !isIntra {
            if orderHintBits > 0 { w.flag(frame.references == nil) }
            if frame.references == nil { w.bits(0, 3 + 3) }
            for index in 0..<7 {
                if let references = frame.references { w.bits(references[index], 3) }
                w.bits(0, frameIDDifferenceBits)
            }
        }
        w.bits(0x5A, 8)
        w.trailing()
        return w.bytes
    }
}
