import Testing

@testable import ScrubBitstream

struct HEVCDependencyTests {
    private typealias Entry = (delta: Int, isUsed: Bool)

    private func picture(_ order: Int, _ references: [Entry], type: Int = HEVCBuilder.trail) -> [UInt8] {
        HEVCBuilder.slice(type, order: order & 15, kind: 1, references: references)
    }

    private func parser() -> DependencyParser {
        DependencyParser(codec: .hevc, extradata: HEVCBuilder().sets)
    }

    @Test func usedPicturesAreReferences() {
        var parser = parser()
        let first = parser.whole(HEVCBuilder.slice(HEVCBuilder.idr))
        #expect(first.isProven && first.units[0].references == [] && first.units[0].orderCount == 0)
        #expect(first.units[0].orderBits == 4 && first.units[0].isOrderAnchor && !first.units[0].isSticky)
        let anchor = parser.whole(picture(4, [(-4, true)]))
        #expect(anchor.units.map(\.references) == [[0]])
        // Picture 0 only stays; picture 4 is used.
        let middle = parser.whole(
            picture(2, [(-2, false), (2, true)], type: HEVCBuilder.trailNonReference))
        #expect(middle.isProven && middle.units[0].references == [1])
        #expect(!middle.units[0].isReference && !middle.units[0].isOrderAnchor)
        let last = parser.whole(picture(5, [(-1, true), (-3, false), (-5, true)]))
        #expect(last.isProven && last.units[0].references == [0, 1])
        // Picture 0 is in no set any more after this one.
        #expect(parser.whole(picture(6, [(-1, true)])).units[0].references == [3])
        let lost = parser.whole(picture(7, [(-1, true), (-7, true)]))
        #expect(!lost.isProven && lost.units[0].needsAllReferences && lost.units[0].references == [])
    }

    @Test func orderCountsGoOn() {
        var parser = parser()
        _ = parser.whole(HEVCBuilder.slice(HEVCBuilder.idr))
        for order in stride(from: 5, through: 40, by: 5) {
            let found = parser.whole(picture(order, [(-5, true)]))
            #expect(found.isProven && found.units[0].orderCount == order)
            #expect(found.units[0].references == [order / 5 - 1])
        }
        let restart = parser.whole(HEVCBuilder.slice(HEVCBuilder.idr))
        #expect(restart.units[0].references == [] && restart.units[0].orderCount == 0)
        #expect(!parser.whole(picture(1, [(-1, true), (-2, true)])).isProven)
    }

    /// A decoder that holds a picture drops another one with its order count, until counts begin again.
    @Test func orderCountsOfTheirOwn() {
        var parser = parser()
        #expect(parser.whole(HEVCBuilder.slice(HEVCBuilder.idr)).isProven)
        #expect(parser.whole(picture(1, [(-1, true)])).isProven)
        let again = parser.whole(picture(1, [(-1, true)]))
        #expect(!again.isProven && again.units[0].orderCount == 1)
        #expect(parser.whole(HEVCBuilder.slice(HEVCBuilder.idr)).isProven)
        #expect(parser.whole(picture(1, [(-1, true)])).isProven)
    }

    @Test func leadingPicturesOfTheFirstRestart() {
        var parser = parser()
        let clean = parser.whole(picture(8, [(-3, false)], type: HEVCBuilder.clean))
        #expect(clean.isProven && clean.units[0].references == [])
        let lost = parser.whole(picture(7, [(-2, true), (1, true)], type: HEVCBuilder.rasl))
        #expect(!lost.isProven && !lost.units[0].isShown && !lost.units[0].isOrderAnchor)
        let decodable = parser.whole(picture(6, [(2, true)], type: HEVCBuilder.radl))
        #expect(decodable.isProven && decodable.units[0].references == [0] && decodable.units[0].isShown)
        // The same pictures behind a second restart are decodable.
        let second = parser.whole(picture(12, [(-4, false)], type: HEVCBuilder.clean))
        #expect(second.isProven && second.units[0].references == [])
        let kept = parser.whole(picture(10, [(-2, true), (2, true)], type: HEVCBuilder.rasl))
        #expect(kept.isProven && kept.units[0].references == [0, 3] && kept.units[0].isShown)
    }

    @Test func stickyPackets() {
        var parser = DependencyParser(codec: .hevc, extradata: [])
        let sets = HEVCBuilder().sets
        #expect(parser.whole(sets + HEVCBuilder.slice(HEVCBuilder.idr)).units[0].isSticky)
        let repeated = parser.whole(sets + picture(1, [(-1, true)]))
        #expect(repeated.isProven && !repeated.units[0].isSticky)
        let end = parser.whole(picture(2, [(-1, true)]) + [0, 0, 1] + HEVCBuilder.header(36))
        #expect(end.units[0].isSticky && end.units[0].isReference)
        let restart = parser.whole(picture(5, [(-3, false)], type: HEVCBuilder.clean))
        #expect(restart.isProven && restart.units[0].orderCount == 5)
        #expect(!parser.whole(picture(4, [(1, true)], type: HEVCBuilder.rasl)).isProven)
    }

    @Test func headsSuffice() {
        var parser = parser()
        let message: [UInt8] = [0, 0, 1] + HEVCBuilder.header(39) + [UInt8](repeating: 5, count: 30)
        let packet = message + HEVCBuilder.slice(HEVCBuilder.idr) + [UInt8](repeating: 7, count: 50)
        let before = parser
        for count in 0..<message.count + 5 {
            #expect(parser.parse(Array(packet[..<count]).span, isWhole: false) == .needsMoreBytes)
        }
        var other = before
        guard case .dependencies(let head) = parser.parse(Array(packet.dropLast(50)).span, isWhole: false) else {
            Issue.record("the head holds the slice's header")
            return
        }
        #expect(head.isProven && head.units[0].orderCount == 0)
        #expect(other.whole(packet).units[0].references == head.units[0].references)
        #expect(parser.whole(picture(1, [(-1, true)])) == other.whole(picture(1, [(-1, true)])))
    }

    @Test func otherLayersAreNotProven() {
        var parser = parser()
        let packet = HEVCBuilder.slice(HEVCBuilder.idr) + HEVCBuilder.slice(1, kind: 1, layer: 1)
        #expect(!parser.whole(packet).isProven)
        // Two pictures in a packet, and none.
        #expect(!parser.whole(picture(1, [(-1, true)]) + picture(2, [(-1, true)])).isProven)
        #expect(!parser.whole(picture(3, [(-1, true)])).isProven)
        #expect(!parser.whole([0, 0, 1] + HEVCBuilder.header(35)).isProven)
    }
}
