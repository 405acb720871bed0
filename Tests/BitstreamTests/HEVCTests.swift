import Testing

@testable import Bitstream

/// Writes the smallest HEVC streams that say what a test needs.
private struct HEVCBuilder {
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

    static func slice(
        _ type: Int, order: Int = 0, kind: Int = 2, isOutput: Bool = true, temporalID: Int = 0,
        layer: Int = 0
    ) -> [UInt8] {
        var w = BitWriter()
        w.flag(true)
        if (16...23).contains(type) { w.flag(false) }
        w.unsigned(0)
        w.unsigned(kind)
        w.flag(isOutput)
        if type != idr {
            w.bits(order, 4)
            w.flag(true)
            w.bits(1, 1)
        }
        w.bits(0x5A, 8)
        w.trailing()
        return [0, 0, 1] + w.unit(header: header(type, temporalID: temporalID, layer: layer))
    }

    func parser() -> PictureParser { PictureParser(codec: .hevc, extradata: sets) }
}

struct HEVCTests {
    @Test func predictedReferenceSets() throws {
        let sets = HEVCBuilder().sets
        var units = NALUnits(sets.span, framing: .annexB)
        let first = units.next()
        let range = try #require(first)
        let payload = Array(sets[(range.lowerBound + 2)..<range.upperBound])
        var reader = BitReader(payload.span, isEscaped: true)
        let set = try HEVCSequenceSet(&reader)
        #expect(set.shortTermSets.map { $0.before.map(\.delta) } == [[-1, -2], [-1, -2, -3]])
        #expect(set.reorderLimit == 2 && set.bufferLimit == 5 && set.orderBits == 4)
    }

    @Test func orderCounts() {
        var parser = HEVCBuilder().parser()
        var orders: [Int?] = []
        for (type, order) in [(19, 0), (1, 8), (0, 4), (1, 15), (1, 5), (0, 14), (1, 6)] {
            orders.append(parser.parse(HEVCBuilder.slice(type, order: order, kind: 1).span).orderCount)
        }
        // TRAIL_N pictures are no anchors: the last one counts from 21, not from 14.
        #expect(orders == [0, 8, 4, 15, 21, 14, 22])
        #expect(parser.reorderLimit == 2)
    }

    @Test func leadingPicturesOfTheFirstRestartAreNotShown() {
        var parser = HEVCBuilder().parser()
        let first = parser.parse(HEVCBuilder.slice(HEVCBuilder.clean, order: 9).span)
        #expect(first.startsSequence && first.randomAccess == .open && first.orderCount == 9)
        let lost = parser.parse(HEVCBuilder.slice(HEVCBuilder.rasl, order: 7, kind: 0).span)
        #expect(lost.leading == .skipped && !lost.isShown && lost.shownCount == 0)
        let decodable = parser.parse(HEVCBuilder.slice(HEVCBuilder.radl, order: 8, kind: 0).span)
        #expect(decodable.leading == .decodable && decodable.isShown)
        let second = parser.parse(HEVCBuilder.slice(HEVCBuilder.clean, order: 1).span)
        #expect(!second.startsSequence && second.orderCount == 17)
        let kept = parser.parse(HEVCBuilder.slice(HEVCBuilder.rasl, order: 15, kind: 0).span)
        #expect(kept.leading == .skipped && kept.isShown && kept.orderCount == 15)
        // End of sequence behind the picture.
        let end = HEVCBuilder.slice(HEVCBuilder.trail, order: 3) + [0, 0, 1] + HEVCBuilder.header(36)
        _ = parser.parse(end.span)
        let third = parser.parse(HEVCBuilder.slice(HEVCBuilder.clean, order: 2).span)
        #expect(third.startsSequence && third.orderCount == 2)
    }

    @Test func restartTypes() {
        let parser = HEVCBuilder().parser()
        let types: [(Int, RandomAccess)] = [
            (16, .open), (17, .instantaneous), (18, .instantaneous), (19, .instantaneous),
            (20, .instantaneous), (21, .open), (1, .inexact), (22, .none),
        ]
        for (type, expected) in types {
            var copy = parser
            let picture = copy.parse(HEVCBuilder.slice(type).span)
            #expect(picture.randomAccess == expected)
        }
        var copy = parser
        #expect(copy.parse(HEVCBuilder.slice(HEVCBuilder.trail, kind: 1).span).randomAccess == .none)
    }

    @Test func onlyTheHighestSubLayerCanBeLeftOut() {
        var parser = HEVCBuilder(highestTemporalID: 1).parser()
        let lower = parser.parse(HEVCBuilder.slice(0, order: 1, kind: 0, temporalID: 0).span)
        let upper = parser.parse(HEVCBuilder.slice(0, order: 2, kind: 0, temporalID: 1).span)
        let used = parser.parse(HEVCBuilder.slice(1, order: 3, kind: 0, temporalID: 1).span)
        #expect(lower.isReference && !upper.isReference && used.isReference)
        #expect(upper.temporalID == 1)
    }

    @Test func hiddenPicturesAndOtherLayers() {
        var parser = HEVCBuilder().parser()
        let packet =
            HEVCBuilder.slice(HEVCBuilder.idr, isOutput: false) + HEVCBuilder.slice(1, kind: 1, layer: 1)
        let picture = parser.parse(packet.span)
        #expect(!picture.isShown && picture.pictureCount == 1 && picture.isIntra && picture.isUnderstood)
    }
}
