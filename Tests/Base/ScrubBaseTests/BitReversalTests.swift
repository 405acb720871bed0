import ScrubBase
import Testing

@Suite struct BitReversalTests {
    @Test(arguments: [0, 1, 2, 3, 7, 8, 48, 100, 1000]) func everyNumberComesOnce(_ count: Int) {
        #expect(BitReversal.order(count).sorted() == Array(0..<count))
    }

    @Test func aFewAreSpread() {
        #expect(BitReversal.order(8) == [0, 4, 2, 6, 1, 5, 3, 7])
        // The first 16 of 100: no two neighbours are further apart than an eighth of all.
        let few = BitReversal.order(100).prefix(16).sorted()
        #expect(zip(few, few.dropFirst()).allSatisfy { $1 - $0 <= 13 }, "\(few)")
    }
}
