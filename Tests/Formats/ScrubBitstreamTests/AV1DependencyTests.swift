import Testing

@testable import ScrubBitstream

struct AV1DependencyTests {
    private let builder = AV1Builder()

    private func inter(
        _ references: [Int]?, refreshes: Int = 0, isShown: Bool = true, hint: Int = 3, hints: [Int]? = nil
    ) -> [UInt8] {
        builder.frame(
            .init(
                isShown: isShown, refreshes: refreshes, orderHint: hint, repeatedHints: hints,
                references: references))
    }

    private var key: [UInt8] { builder.sequence + builder.frame(.init(kind: 0)) }

    /// A parser that has read a shown key frame.
    private func started() -> DependencyParser {
        var parser = DependencyParser(codec: .av1, extradata: builder.sequence)
        _ = parser.whole(key)
        return parser
    }

    @Test func slotsNameTheirFrames() {
        var parser = DependencyParser(codec: .av1, extradata: builder.sequence)
        let first = parser.whole(key)
        #expect(first.isProven && first.units.map(\.references) == [[]])
        #expect(!first.units[0].isSticky && first.units[0].isReference && first.units[0].isShown)
        // Unit 1 takes slot 2, unit 2 slots 3 and 4, unit 3 none.
        let packet =
            inter([0, 1, 2, 3, 4, 5, 6], refreshes: 4, isShown: false)
            + inter([2, 2, 2, 2, 2, 2, 2], refreshes: 0x18, isShown: false) + inter([3, 4, 2, 7, 3, 3, 3])
        let second = parser.whole(packet)
        #expect(second.isProven && second.units.map(\.references) == [[0], [1], [0, 1, 2]])
        #expect(second.units.map(\.isShown) == [false, false, true])
        #expect(second.units.map(\.isReference) == [true, true, false])
        #expect(second.units.first?.bytes.lowerBound == 0 && second.units.last?.bytes.upperBound == packet.count)
        // All eight slots.
        #expect(parser.whole(inter(nil)).units.map(\.references) == [[0, 1, 2]])
    }

    @Test func frameIDsAndNoOrderHints() {
        let builder = AV1Builder(orderHintBits: 0, frameIDDifferenceBits: 5)
        var parser = DependencyParser(codec: .av1, extradata: [])
        let first = parser.whole(builder.sequence + builder.frame(.init(kind: 0)))
        // Without extradata the sequence header is a new one.
        #expect(first.isProven && first.units[0].isSticky)
        _ = parser.whole(builder.frame(.init(refreshes: 0x42)))
        let last = parser.whole(builder.frame(.init(references: [7, 7, 7, 7, 7, 7, 6])))
        #expect(last.units.map(\.references) == [[0, 1]])
    }

    @Test func shownKeyFramesReloadAllSlots() {
        var parser = started()
        _ = parser.whole(builder.frame(.init(kind: 0, isShown: false, refreshes: 2)))
        let shown = parser.whole(AV1Builder.existing(1))
        #expect(shown.units.map(\.references) == [[1]] && shown.units[0].isReference && shown.units[0].isShown)
        #expect(parser.whole(inter([0, 1, 2, 3, 4, 5, 6])).units.map(\.references) == [[2]])
    }

    @Test func otherShownFramesChangeNothing() {
        var parser = started()
        _ = parser.whole(inter([0, 0, 0, 0, 0, 0, 0], refreshes: 2, isShown: false))
        let shown = parser.whole(AV1Builder.existing(1))
        #expect(shown.units.map(\.references) == [[1]] && !shown.units[0].isReference)
        #expect(parser.whole(inter([0, 1, 2, 3, 4, 5, 6])).units.map(\.references) == [[0, 1]])
    }

    @Test func intraOnlyFramesAndRepeatedHints() {
        var parser = started()
        let intra = parser.whole(builder.frame(.init(kind: 2, refreshes: 1, orderHint: 5)))
        #expect(intra.isProven && intra.units.map(\.references) == [[]])
        let good = parser.whole(inter([0, 1, 1, 1, 1, 1, 1], hints: [5, 3, 3, 3, 3, 3, 3, 3]))
        #expect(good.isProven && good.units.map(\.references) == [[0, 1]])
        // Slot 1 should hold another frame: it was lost.
        let lost = parser.whole(inter([0, 1, 1, 1, 1, 1, 1], hints: [5, 4, 3, 3, 3, 3, 3, 3]))
        #expect(!lost.isProven && lost.units[0].needsAllReferences && lost.units[0].isReference)
    }

    @Test func splitFramesAreOneUnit() {
        var parser = started()
        let frame = builder.splitFrame(.init(refreshes: 1))
        let packet = [0x12, 0] + frame + AV1Builder.unit(5, [9, 9]) + AV1Builder.existing(0)
        let split = parser.whole(packet)
        #expect(split.isProven && split.units.map(\.references) == [[0], [1]])
        #expect(split.units.map(\.bytes) == [2..<2 + frame.count, packet.count - 3..<packet.count])
        // A header without tiles, tiles without a header, a list of tiles.
        for part in [AV1Builder.unit(3, Array(frame[2...7])), AV1Builder.unit(4, [1]), AV1Builder.unit(8, [1])] {
            var copy = parser
            #expect(!copy.whole(part).isProven)
            #expect(!copy.whole(inter([0, 1, 2, 3, 4, 5, 6])).isProven || part[0] == 0x1A)
        }
    }

    @Test func sequenceChangesAreForKeyFramesOnly() {
        let other = AV1Builder(level: 5).sequence
        var parser = started()
        let repeated = parser.whole(builder.sequence + inter([0, 0, 0, 0, 0, 0, 0]))
        #expect(repeated.isProven && !repeated.units[0].isSticky)
        var copy = parser
        #expect(!copy.whole(other + inter([0, 0, 0, 0, 0, 0, 0])).isProven)
        let restart = parser.whole(other + builder.frame(.init(kind: 0)))
        #expect(restart.isProven && restart.units[0].isSticky)
        #expect(parser.whole(inter([0, 0, 0, 0, 0, 0, 0])).isProven)
    }

    @Test func unprovableDependencies() {
        var unstarted = DependencyParser(codec: .av1, extradata: builder.sequence)
        #expect(!unstarted.whole(inter([0, 0, 0, 0, 0, 0, 0])).isProven)
        var empty = DependencyParser(codec: .av1, extradata: [])
        #expect(!empty.whole(builder.frame(.init(kind: 0))).isProven)
        let layered = AV1Builder(operatingPoint: 0x301).sequence
        var layers = DependencyParser(codec: .av1, extradata: layered)
        #expect(!layers.whole(layered + builder.frame(.init(kind: 0))).isProven)
        var parser = started()
        #expect(!parser.whole([]).isProven)
        // A lost frame could have taken any slot.
        #expect(!parser.whole(Array(inter([0, 0, 0, 0, 0, 0, 0]).prefix(4))).isProven)
        #expect(!parser.whole(inter([0, 0, 0, 0, 0, 0, 0])).isProven)
        #expect(parser.whole(key).isProven)
        #expect(parser.parse(key.span, isWhole: false) == .needsMoreBytes)
    }
}

extension DependencyParser {
    /// Reads a whole packet.
    mutating func whole(_ packet: [UInt8]) -> PacketDependencies {
        guard case .dependencies(let found) = parse(packet.span, isWhole: true) else {
            return .unknown(0..<packet.count)
        }
        return found
    }
}
