import ScrubBitstream
@testable import ScrubIndex
import ScrubTestSupport

/// A made-up stretch of a stream: its units as a parser would give them, and the table of them.
struct RandomTable {
    /// The form in which a format tells its references.
    enum Kind: CaseIterable, Sendable {
        /// All references before a picture may be needed (H.264, MPEG, VP8).
        case coarse
        /// Each picture names its own, and derives its order count from anchors (HEVC).
        case ordered
        /// Several units in a packet, some of which only show (AV1).
        case packed
        /// Everything at once.
        case mixed
    }

    private(set) var table: DependencyTable
    /// All units in decode order.
    private(set) var units: [CodedUnit] = []
    /// For each unit the packet that it is in.
    private(set) var packets: [Int] = []

    init(_ kind: Kind, packetCount: Int, _ random: inout SplitMix) {
        table = DependencyTable(firstPicture: Int.random(in: 0...1000, using: &random))
        let orders = RandomTable.orders(packetCount, bits: Int.random(in: 4...6, using: &random), &random)
        let codec: VideoCodec = kind == .coarse ? .h264 : kind == .ordered ? .hevc : .av1
        for packet in 0..<packetCount {
            let isPacked = kind == .packed || kind == .mixed
            let count = isPacked && random.isOne(in: 2) ? Int.random(in: 2...5, using: &random) : 1
            var dependencies = PacketDependencies()
            var end = 0
            for _ in 0..<count {
                // Bytes that belong to no unit lie between: headers, metadata.
                let start = end + Int.random(in: 0...3, using: &random)
                end = start + Int.random(in: 1...40, using: &random)
                var unit = RandomTable.unit(kind, number: units.count, start..<end, &random)
                if kind == .ordered {
                    (unit.orderCount, unit.isOrderAnchor) = orders.list[packet]
                    unit.orderBits = orders.bits
                }
                dependencies.units.append(unit)
                units.append(unit)
                packets.append(table.firstPicture + packet)
            }
            let isTaken = table.append(dependencies, codec: codec, canRepeat: false)
            precondition(isTaken, "a packet that makes sense is described")
        }
    }

    private static func unit(
        _ kind: Kind, number: Int, _ bytes: Range<Int>, _ random: inout SplitMix
    ) -> CodedUnit {
        var unit = CodedUnit(bytes: bytes)
        unit.isReference = !random.isOne(in: 3)
        unit.isSticky = random.isOne(in: 40)
        unit.needsAllReferences = kind == .coarse || (kind == .mixed && random.isOne(in: 30))
        if kind == .packed || kind == .mixed { unit.isShown = random.isOne(in: 2) }
        guard number > 0, !unit.needsAllReferences else { return unit }
        // Mostly what is near, so that the closure stays smaller than everything.
        let count = Int.random(in: 0...3, using: &random)
        let reach = random.isOne(in: 8) ? number : min(number, 9)
        unit.references = Set((0..<count).map { _ in number - Int.random(in: 1...reach, using: &random) }).sorted()
        return unit
    }

    /// Order counts that a decoder which is given everything derives rightly, with the anchors among them.
    private static func orders(
        _ count: Int, bits: Int, _ random: inout SplitMix
    ) -> (list: [(Int?, Bool)], bits: Int) {
        let half = 1 << (bits - 1)
        // A decoder begins with the low bits alone (H.265 8.3.1), so the first has no others.
        var anchor = Int.random(in: 0..<2 * half, using: &random)
        var list: [(Int?, Bool)] = [(anchor, true)]
        while list.count < count {
            let order = anchor + Int.random(in: (-half / 2)...half, using: &random)
            let isAnchor = random.isOne(in: 2)
            list.append((order, isAnchor))
            if isAnchor { anchor = order }
        }
        return (list, bits)
    }

    /// Returns the needs of some units, found the slow way: rules are applied until nothing changes.
    ///
    /// - Returns: `nil` when a reference lies before the restart.
    func needs(of seeds: Set<Int>, from start: Int, through end: Int) -> Set<Int>? {
        var needed = seeds
        for unit in start..<end where units[unit].isSticky { needed.insert(unit) }
        while true {
            var more = needed
            for unit in needed {
                more.formUnion(units[unit].references)
                // Damage in earlier units of its packet would spoil it.
                more.formUnion((start..<unit).filter { packets[$0] == packets[unit] })
                guard units[unit].needsAllReferences else { continue }
                for other in start..<unit where units[other].isReference { more.insert(other) }
            }
            guard more.allSatisfy({ $0 >= start }) else { return nil }
            if more == needed { return needed }
            needed = more
        }
    }

    /// The units that a request begins with: all of the restart's, and the targets' that show.
    func seeds(_ targets: [Int], from restart: Int) -> Set<Int> {
        var seeds = Set(units.indices.filter { packets[$0] == restart })
        for target in targets {
            let own = units.indices.filter { packets[$0] == target }
            let shown = own.filter { units[$0].isShown }
            seeds.formUnion(shown.isEmpty ? own : shown)
        }
        return seeds
    }
}
