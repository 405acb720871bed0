import Testing

@testable import ScrubBitstream

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
        // TRAIL_N pictures are not anchors: the last one counts from 21, not from 14.
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

    /// Two pictures wait in this sequence. One that comes when a third has pushed a later one out is late.
    @Test func picturesThatComeLate() {
        var parser = HEVCBuilder().parser()
        let orders = [(19, 0), (1, 8), (0, 15), (0, 11), (0, 4), (1, 14), (19, 0), (1, 3)]
        let late = orders.map { parser.parse(HEVCBuilder.slice($0, order: $1, kind: 1).span).isLate }
        #expect(late == [false, false, false, false, true, false, false, false])
    }

    /// A decoder that holds a picture with its order count drops it, and goes on with the other one.
    @Test func orderCountsThatComeAgain() {
        var parser = HEVCBuilder().parser()
        _ = parser.parse(HEVCBuilder.slice(HEVCBuilder.idr).span)
        let clean = HEVCBuilder.slice(HEVCBuilder.clean, order: 4)
        #expect(!parser.parse(clean.span).repeatsOrder)
        let again = parser.parse(clean.span)
        #expect(again.repeatsOrder && again.orderCount == 4)
        #expect(!parser.parse(HEVCBuilder.slice(HEVCBuilder.clean, order: 8).span).repeatsOrder)
        // Counts begin again.
        #expect(!parser.parse(HEVCBuilder.slice(HEVCBuilder.idr).span).repeatsOrder)
        #expect(!parser.parse(clean.span).repeatsOrder)
        // A picture that comes behind a restart in output order, and before it in decoding order: its count may come
        // again.
        #expect(!parser.parse(HEVCBuilder.slice(HEVCBuilder.trail, order: 7).span).repeatsOrder)
        #expect(parser.parse(HEVCBuilder.slice(HEVCBuilder.clean, order: 6).span).repeatsOrder)
    }

    /// At the first CRA picture a decoder holds what came before it, and the pictures that it made up for these.
    @Test func orderCountsBeforeTheFirstRestart() {
        var parser = HEVCBuilder().parser()
        _ = parser.parse(HEVCBuilder.slice(HEVCBuilder.trail, order: 7).span)
        #expect(parser.parse(HEVCBuilder.slice(HEVCBuilder.clean, order: 5).span).repeatsOrder)
        var other = HEVCBuilder().parser()
        _ = other.parse(HEVCBuilder.slice(HEVCBuilder.trail, order: 3).span)
        #expect(!other.parse(HEVCBuilder.slice(HEVCBuilder.clean, order: 5).span).repeatsOrder)
    }

    /// The standard has no RASL pictures behind an IDR picture; decoders show them.
    @Test func skippedLeadingPicturesBehindOtherRestarts() {
        var parser = HEVCBuilder().parser()
        var shown: [Bool] = []
        // Those that show behind a restart are left out nowhere, and after a RASL_R picture of these none is.
        for (type, order) in [(HEVCBuilder.idr, 0), (8, 2), (HEVCBuilder.blaWithRADL, 5), (8, 4), (9, 6), (8, 4)] {
            let slice = HEVCBuilder.slice(type, order: order, kind: type > 9 ? 2 : 0)
            shown.append(parser.parse(slice.span).isShown)
        }
        #expect(shown == [true, true, true, false, true, true])
    }

    /// The fate of pictures that wait to be shown where a sequence begins.
    @Test func picturesThatWaitAreDiscarded() {
        typealias Change = CodedPicture.DecoderChange
        let (idr, clean, trail) = (HEVCBuilder.idr, HEVCBuilder.clean, HEVCBuilder.trail)
        let (end, sets) = (HEVCBuilder.end, HEVCBuilder().sets)
        func change(_ packets: [[UInt8]], isBeginning: Bool = false) -> Change {
            var parser = HEVCBuilder().parser()
            if !isBeginning { _ = parser.parse(HEVCBuilder.slice(idr).span) }
            return packets.map { parser.parse($0.span).decoderChange }.last ?? Change.none
        }
        let flagged = HEVCBuilder.slice(idr, discardsPrior: true)
        #expect(change([HEVCBuilder.slice(idr)]) == .none)
        #expect(change([flagged]) == .discards)
        #expect(change([flagged], isBeginning: true) == .none)
        // Of a CRA picture the flag counts nothing, and the end of the sequence before does.
        #expect(change([HEVCBuilder.slice(clean, order: 3, discardsPrior: true)]) == .none)
        #expect(change([end + sets + HEVCBuilder.slice(clean, order: 3)]) == .discards)
        #expect(change([HEVCBuilder.slice(trail, order: 1) + end, HEVCBuilder.slice(clean, order: 3)]) == .discards)
        #expect(change([end + sets + HEVCBuilder.slice(idr)]) == .none)
        #expect(change([end + HEVCBuilder.slice(clean)], isBeginning: true) == .none)
        // A recording that begins in the middle.
        #expect(change([HEVCBuilder.slice(trail, order: 1), HEVCBuilder.slice(clean)], isBeginning: true) == .none)
        // Ends in places where they may not be.
        #expect(change([sets + end + HEVCBuilder.slice(idr)]) == .unproven)
        #expect(change([end + HEVCBuilder.slice(trail, order: 1)]) == .unproven)
        #expect(change([end, HEVCBuilder.slice(idr)]) == .unproven)
        #expect(change([HEVCBuilder.slice(trail, order: 1) + end + HEVCBuilder.slice(idr)]) == .unproven)
        // A decode from a later restart.
        var parser = HEVCBuilder().parser()
        parser.expectEarlier()
        var other = parser
        let (found, none) = (parser.parse(flagged.span), other.parse(HEVCBuilder.slice(clean, order: 3).span))
        #expect(found.decoderChange == .discards && none.decoderChange == .none)
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
