import Testing

@testable import ScrubDecoding

@Suite struct DecoderDemandTests {
    private final class Fake {}

    /// Requests that jump about give up one place after the other, and come back to none.
    @Test func jumpsWantOneDecoder() {
        var demand = DecoderCountPolicy()
        let decoder = Fake()
        for group in 0..<100 {
            demand.miss(group * 250 + 120, from: group * 250, limit: 4)
            demand.giveUp(restart: (group - 1) * 250, position: (group - 1) * 250 + 120)
            demand.take(decoder)
        }
        #expect(demand.count == 1)
    }

    /// Parts of a film that are gone through in turn want a decoder each, up to the limit.
    @Test(arguments: 2...5) func partsInTurnWantOneEach(_ parts: Int) {
        var demand = DecoderCountPolicy()
        var places = [Int: Int]()
        var open: [Int] = []
        for step in 0..<60 {
            let part = step % parts
            let (restart, target) = (part * 1000, part * 1000 + 100 + step / parts)
            if !open.contains(part) {
                demand.miss(target, from: restart, limit: 4)
                if open.count >= demand.count {
                    let gone = open.removeFirst()
                    demand.giveUp(restart: gone * 1000, position: places[gone] ?? 0)
                }
                open.append(part)
            }
            places[part] = target
        }
        #expect(demand.count == min(parts, 4))
    }

    /// A place behind the picture, one in another group and one far before it say nothing, nor does one alone.
    @Test func onlyPlacesCloseBeforeThePictureCount() {
        for (restart, position) in [(0, 90), (0, 20), (1000, 1070)] {
            var demand = DecoderCountPolicy()
            for _ in 0..<2 {
                demand.giveUp(restart: restart, position: position)
                demand.miss(80, from: 0, limit: 4)
            }
            #expect(demand.count == 1)
        }
        let decoder = Fake()
        for (between, limit, count) in [(1, 2, 2), (4, 2, 2), (5, 2, 1), (1, 1, 1)] {
            var demand = DecoderCountPolicy()
            for position in [60, 70] {
                demand.giveUp(restart: 0, position: position)
                demand.miss(position + 10, from: 0, limit: limit)
                for _ in 0..<between { demand.take(decoder) }
            }
            #expect(demand.count == count, "\(between) \(limit)")
        }
    }

    /// A decoder that others are taken instead of for long is not come back to.
    @Test func unusedDecodersAreUseless() {
        var demand = DecoderCountPolicy()
        let (one, other) = (Fake(), Fake())
        demand.take(one)
        for _ in 0..<24 { demand.take(other) }
        #expect(!demand.isUseless(one) && !demand.isUseless(other))
        demand.take(other)
        #expect(demand.isUseless(one) && !demand.isUseless(other))
        for _ in 0..<2 {
            demand.giveUp(restart: 0, position: 60)
            demand.miss(80, from: 0, limit: 2)
        }
        #expect(demand.count == 2)
        demand.close(one)
        #expect(demand.count == 1)
        demand.close(other)
        #expect(demand.count == 1)
    }
}
