@testable import ScrubBitstream

/// Writes the smallest HEVC streams that a test needs.
struct HEVCBuilder {
    /// `sps_max_sub_layers_minus1`.
    var highestTemporalID = 0
    static let trailNonReference = 0
    static let trail = 1
    static let radl = 6
    static let rasl = 8
    static let blaWithRADL = 17
    static let idr = 19
    static let clean = 21

    static func header(_ type: Int, temporalID: Int = 0, layer: Int = 0) -> [UInt8] {
        [UInt8(type << 1 | layer >> 5), UInt8(layer & 31) << 3 | UInt8(temporalID + 1)]
    }

    var sets: [UInt8] {
        var s = BitWriter()
        s.bits(0, 4)
        s.bits(highestTemporalID, 3)
        s.flag(true)
        for _ in 0..<12 { s.bits(1, 8) }
        if highestTemporalID > 0 { s.bits(0, 16) }  // no sub-layer information
        s.unsigned(0)
        s.unsigned(1)
        s.unsigned(64)
        s.unsigned(64)
        s.flag(false)
        s.unsigned(0)
        s.unsigned(0)
        s.unsigned(0)  // 4 bits of order count
        s.flag(false)
        s.unsigned(4)
        s.unsigned(2)
        s.unsigned(0)
        for value in [0, 3, 0, 3, 0, 0] { s.unsigned(value) }
        s.flag(false)
        s.bits(0, 2)
        s.flag(false)
        s.unsigned(2)  // two short-term sets
        s.unsigned(2)
        s.unsigned(0)
        for _ in 0..<2 {
            s.unsigned(0)
            s.flag(true)
        }
        s.flag(true)  // the second is the first moved by -1
        s.flag(true)
        s.unsigned(0)
        for _ in 0..<3 { s.flag(true) }
        s.flag(false)
        s.flag(false)
        s.flag(false)
        s.trailing()
        var p = BitWriter()
        p.unsigned(0)
        p.unsigned(0)
        p.flag(false)
        p.flag(true)  // output_flag_present_flag
        p.bits(0, 3)
        p.trailing()
        return [0, 0, 1] + s.unit(header: HEVCBuilder.header(33)) + [0, 0, 1]
            + p.unit(header: HEVCBuilder.header(34))
    }

    /// A slice of the second set of the sequence, or with its own `references`, nearest first.
    static func slice(
        _ type: Int, order: Int = 0, kind: Int = 2, isOutput: Bool = true, temporalID: Int = 0,
        layer: Int = 0, references: [(delta: Int, isUsed: Bool)]? = nil, discardsPrior: Bool = false
    ) -> [UInt8] {
        var w = BitWriter()
        w.flag(true)
        if (16...23).contains(type) { w.flag(discardsPrior) }
        w.unsigned(0)
        w.unsigned(kind)
        w.flag(isOutput)
        if type != idr {
            w.bits(order, 4)
            write(references, into: &w)
        }
        w.bits(0x5A, 8)
        w.trailing()
        return [0, 0, 1] + w.unit(header: header(type, temporalID: temporalID, layer: layer))
    }

    private static func write(_ references: [(delta: Int, isUsed: Bool)]?, into w: inout BitWriter) {
        w.flag(references == nil)
        guard let references else {
            w.bits(1, 1)
            return
        }
        w.flag(false)  // inter_ref_pic_set_prediction_flag
        let parts = [references.filter { $0.delta < 0 }, references.filter { $0.delta > 0 }]
        for part in parts { w.unsigned(part.count) }
        for part in parts {
            var last = 0
            for entry in part {
                w.unsigned(abs(entry.delta - last) - 1)
                w.flag(entry.isUsed)
                last = entry.delta
            }
        }
    }

    /// An end of sequence.
    static var end: [UInt8] { [0, 0, 1] + header(36) }

    func parser() -> PictureParser { PictureParser(codec: .hevc, extradata: sets) }
}
