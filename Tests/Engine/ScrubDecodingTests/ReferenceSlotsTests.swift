import ScrubBitstream
@testable import ScrubDecoding
@testable import ScrubIndex
import ScrubTestSupport
import Testing

@Suite struct ReferenceSlotsTests {
    /// A made-up AV1 group: a key frame, then units that name slots and take some.
    private struct Stream {
        var table = DependencyTable(firstPicture: 100)
        /// The slots that each unit reads, and their contents in the whole stream.
        var reads: [[(slot: Int, unit: Int)]] = []
        var takes: [UInt8] = []

        init(packetCount: Int, _ random: inout SplitMix) {
            var slots = [Int](repeating: 0, count: 8)
            for packet in 0..<packetCount {
                var dependencies = PacketDependencies()
                var end = 0
                let count = packet == 0 ? 1 : Int.random(in: 1...3, using: &random)
                for place in 0..<count {
                    var unit = CodedUnit(bytes: end..<end + 10)
                    end += 10
                    let number = reads.count
                    var named: Set<Int> = []
                    if number > 0 {
                        // Mostly a few slots that others build on, as encoders use them.
                        for _ in 0..<Int.random(in: 1...3, using: &random) {
                            named.insert(Int.random(in: 0..<(random.isOne(in: 4) ? 8 : 4), using: &random))
                        }
                    }
                    reads.append(named.sorted().map { ($0, slots[$0]) })
                    unit.references = Set(named.map { slots[$0] }).sorted()
                    unit.isKey = number == 0
                    unit.isShown = place == count - 1
                    unit.slots =
                        number == 0 ? 0xff : random.isOne(in: 3) ? 0 : 1 << UInt8(Int.random(in: 0..<8, using: &random))
                    unit.isReference = unit.slots != 0
                    takes.append(unit.slots)
                    for slot in 0..<8 where unit.slots >> UInt8(slot) & 1 == 1 { slots[slot] = number }
                    dependencies.units.append(unit)
                }
                let isTaken = table.append(dependencies, codec: .av1, canRepeat: true)
                precondition(isTaken, "a packet that makes sense is described")
            }
        }
    }

    /// A decoder that knows whether its packets find the references that they found in the whole stream.
    private struct Model {
        var held = [Int?](repeating: nil, count: 8)

        /// - Returns: the units that were fed, or `nil` when one of them found something else.
        mutating func take(_ feeds: [Feed], _ stream: Stream) -> Set<Int>? {
            var fed: Set<Int> = []
            for feed in feeds {
                for (bit, unit) in stream.table.units(of: feed.picture).enumerated()
                where feed.units >> UInt64(bit) & 1 == 1 {
                    guard stream.reads[unit].allSatisfy({ held[$0.slot] == $0.unit }) else { return nil }
                    for slot in 0..<8 where stream.takes[unit] >> UInt8(slot) & 1 == 1 { held[slot] = unit }
                    fed.insert(unit)
                }
            }
            return fed
        }
    }

    /// However a decoder is sent about in its group, each frame finds in its slots the frames that it found in the
    /// whole stream. Nothing is fed that the way from the restart would not feed.
    @Test(arguments: 0..<60) func everyFrameFindsItsReferences(_ seed: Int) throws {
        var random = SplitMix(UInt64(seed))
        let stream = Stream(packetCount: Int.random(in: 2...60, using: &random), &random)
        let table = stream.table
        var (slots, model) = (ReferenceSlots(), Model())
        for request in 0..<40 {
            let targets = (0..<(random.isOne(in: 5) ? 3 : 1)).map { _ in
                Int.random(in: 100..<table.endPicture, using: &random)
            }
            let cold = try #require(ReferenceClosure.feeds(for: targets, from: 100, in: table))
            let warm = slots.feeds(for: targets, from: 100, in: table)
            if request == 0 { #expect(warm == nil, "a decoder that was fed nothing holds nothing") }
            if warm == nil { (slots, model) = (ReferenceSlots(), Model()) }
            let feeds = warm ?? cold
            let taken = model.take(feeds, stream)
            let fed = try #require(taken, "request \(request)")
            for target in targets { #expect(fed.contains(table.units(of: target).upperBound - 1)) }
            var whole = Model()
            let wholeTaken = whole.take(cold, stream)
            let all = try #require(wholeTaken)
            #expect(fed.isSubset(of: all))
            for feed in feeds { slots.take(feed, in: table) }
            let contents = slots.contents.map { content in
                content.map { table.units(of: $0.picture).lowerBound + $0.bit }
            }
            #expect(contents == model.held)
        }
    }

    /// A plan's own target may come after all that is wanted of its group: a movement back asks for earlier frames.
    @Test(arguments: 0..<60) func targetsMayLieBeforeThePlan(_ seed: Int) throws {
        var random = SplitMix(UInt64(seed))
        let stream = Stream(packetCount: Int.random(in: 2...60, using: &random), &random)
        let table = stream.table
        let last = table.endPicture - 1
        let plan = DecodePlan(target: last, restart: 100, start: .restart(.instantaneous), last: last)
        for target in 100...last {
            let feeds = FeedPlan(plan, targets: [target], last: last, table: table)
            #expect(feeds.feeds.map(\.picture).max() == target)
            var model = Model()
            let taken = model.take(feeds.feeds, stream)
            let fed = try #require(taken)
            #expect(fed.contains(table.units(of: target).upperBound - 1))
        }
    }

    /// The questions above are about something: decoders go on, also back, and most of the group is left out.
    @Test func decodersGoOnBothWays() {
        var (forward, backward, restarts) = (0, 0, 0)
        for seed in 0..<40 {
            var random = SplitMix(UInt64(seed))
            let stream = Stream(packetCount: 60, &random)
            var slots = ReferenceSlots()
            var last = 0
            for _ in 0..<40 {
                let target = Int.random(in: 100..<160, using: &random)
                let warm = slots.feeds(for: [target], from: 100, in: stream.table)
                switch warm {
                case nil: restarts += 1
                case _ where target > last: forward += 1
                default: backward += 1
                }
                if warm == nil { slots = ReferenceSlots() }
                for feed in warm ?? ReferenceClosure.feeds(for: [target], from: 100, in: stream.table) ?? [] {
                    slots.take(feed, in: stream.table)
                }
                last = target
            }
        }
        #expect(forward > 100 && backward > 40 && restarts > 100, "\(forward) \(backward) \(restarts)")
    }

    /// A packet that nothing is known of leaves nothing known, and a change of the whole decoder has no way back.
    @Test func theUnknownMeansANewBeginning() throws {
        var random = SplitMix(7)
        let stream = Stream(packetCount: 30, &random)
        var slots = ReferenceSlots()
        for picture in 100..<110 { slots.take(Feed(picture: picture), in: stream.table) }
        #expect(slots.feeds(for: [110], from: 100, in: stream.table) != nil)
        slots.take(Feed(picture: 110), in: nil)
        #expect(slots.contents == [ReferenceSlots.Content?](repeating: nil, count: 8))
        #expect(slots.feeds(for: [111], from: 100, in: stream.table) == nil)

        var table = DependencyTable(firstPicture: 0)
        for number in 0..<4 {
            var unit = CodedUnit(bytes: 0..<10)
            unit.isKey = number == 0
            unit.slots = number == 0 ? 0xff : 0
            unit.references = number == 0 ? [] : [0]
            unit.isSticky = number == 2
            var dependencies = PacketDependencies()
            dependencies.units = [unit]
            let isTaken = table.append(dependencies, codec: .av1, canRepeat: false)
            #expect(isTaken)
        }
        var started = ReferenceSlots()
        started.take(Feed(picture: 0), in: table)
        #expect(started.feeds(for: [1], from: 0, in: table)?.map(\.picture) == [1])
        #expect(started.feeds(for: [3], from: 0, in: table) == nil)
    }
}
