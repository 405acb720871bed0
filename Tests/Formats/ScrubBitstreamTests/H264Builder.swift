@testable import ScrubBitstream

/// Writes the smallest H.264 streams that a test needs.
struct H264Builder {
    enum Order {
        case lowBits(Int)
        case cycle(nonReference: Int, topToBottom: Int, offsets: [Int])
        case decodingOrder
    }
    var order = Order.lowBits(4)
    var allowsFields = true
    /// gaps_in_frame_num_value_allowed_flag.
    var allowsGaps = false
    /// log2(MaxFrameNum).
    var frameNumberBits = 4

    var sequenceSet: [UInt8] {
        var w = BitWriter()
        w.bits(77, 8)
        w.bits(0, 8)
        w.bits(31, 8)
        w.unsigned(0)
        w.unsigned(frameNumberBits - 4)
        switch order {
        case .lowBits(let bits):
            w.unsigned(0)
            w.unsigned(bits - 4)
        case .cycle(let nonReference, let topToBottom, let offsets):
            w.unsigned(1)
            w.flag(false)
            w.signed(nonReference)
            w.signed(topToBottom)
            w.unsigned(offsets.count)
            for offset in offsets { w.signed(offset) }
        case .decodingOrder:
            w.unsigned(2)
        }
        w.unsigned(4)
        w.flag(allowsGaps)
        w.unsigned(10)
        w.unsigned(10)
        w.flag(!allowsFields)
        if allowsFields { w.flag(false) }
        w.flag(true)
        w.flag(false)
        w.flag(false)
        w.trailing()
        return [0, 0, 0, 1] + w.unit(header: [0x67])
    }

    var pictureSet: [UInt8] {
        var w = BitWriter()
        w.unsigned(0)
        w.unsigned(0)
        w.flag(false)
        w.flag(true)  // bottom_field_pic_order_in_frame_present_flag
        for _ in 0..<3 { w.unsigned(0) }
        w.bits(0, 3)
        for _ in 0..<3 { w.signed(0) }
        w.bits(0, 3)
        w.trailing()
        return [0, 0, 0, 1] + w.unit(header: [0x68])
    }

    struct Slice {
        /// `slice_type`: 0 P, 1 B, 2 I.
        var kind = 2
        var isIDR = false
        var isReference = true
        var frameNumber = 0
        /// pic_order_cnt_lsb, or delta_pic_order_cnt[0].
        var order = 0
        /// The bottom field's difference, in a frame.
        var bottom = 0
        /// `nil` for a frame, else whether it is a bottom field.
        var isBottom: Bool?
        var hasReset = false
        var firstMacroblock = 0
    }

    func slice(_ slice: Slice) -> [UInt8] {
        var w = BitWriter()
        w.unsigned(slice.firstMacroblock)
        w.unsigned(slice.kind)
        w.unsigned(0)
        w.bits(slice.frameNumber, frameNumberBits)
        if allowsFields {
            w.flag(slice.isBottom != nil)
            if let isBottom = slice.isBottom { w.flag(isBottom) }
        }
        if slice.isIDR { w.unsigned(0) }
        switch order {
        case .lowBits(let bits):
            w.bits(slice.order, bits)
            if slice.isBottom == nil { w.signed(slice.bottom) }
        case .cycle:
            w.signed(slice.order)
            if slice.isBottom == nil { w.signed(slice.bottom) }
        case .decodingOrder:
            break
        }
        if slice.kind == 1 { w.flag(true) }
        if slice.kind < 2 { w.flag(false) }
        for _ in 0..<[1, 2, 0][slice.kind] { w.flag(false) }
        if slice.isReference {
            if slice.isIDR {
                w.bits(0, 2)
            } else {
                w.flag(slice.hasReset)
                if slice.hasReset {
                    w.unsigned(5)
                    w.unsigned(0)
                }
            }
        }
        w.bits(0x5A5A, 16)  // slice data
        w.trailing()
        let type: UInt8 = slice.isIDR ? 5 : 1
        return [0, 0, 1] + w.unit(header: [(slice.isReference ? 0x60 : 0) | type])
    }

    static func recoveryPoint(count: Int, isExact: Bool) -> [UInt8] {
        var payload = BitWriter()
        payload.unsigned(count)
        payload.flag(isExact)
        payload.bits(0, 3)
        payload.trailing()
        var w = BitWriter()
        w.bits(6, 8)
        w.bits(payload.bytes.count, 8)
        for byte in payload.bytes { w.bits(Int(byte), 8) }
        w.trailing()
        return [0, 0, 1] + w.unit(header: [6])
    }

    static func x264Message(_ text: String) -> [UInt8] {
        let identifier: [UInt8] = [
            0xDC, 0x45, 0xE9, 0xBD, 0xE6, 0xD9, 0x48, 0xB7, 0x96, 0x2C, 0xD8, 0x20, 0xD9, 0x23, 0xEE, 0xEF,
        ]
        let payload = identifier + Array(text.utf8)
        return [0, 0, 1, 6, 5, UInt8(payload.count)] + payload + [0x80]
    }

    func parser() -> PictureParser {
        PictureParser(codec: .h264, extradata: sequenceSet + pictureSet)
    }
}
