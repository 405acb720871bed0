import Testing

@testable import ScrubDecoding

@Suite struct MovementPaceTests {
    /// Moves by a step each, with some work between any two.
    private func pace(_ steps: [Int], work: Int) -> MovementPace {
        var pace = MovementPace()
        for step in steps {
            pace.move(by: step)
            pace.work(work)
        }
        return pace
    }

    /// Five frames for each ten of work.
    @Test func aSteadyMovementIsForeseen() {
        #expect(pace(Array(repeating: -5, count: 20), work: 10).retreat(during: 100) == 50)
        #expect(pace(Array(repeating: -5, count: 20), work: 10).retreat(during: 0) == 0)
    }

    @Test func itIsNotForeseenBeforeItIsKnown() {
        #expect(MovementPace().retreat(during: 100) == 0)
        #expect(pace([-5, -5, -5], work: 10).retreat(during: 100) == 0)
    }

    @Test func aForwardMovementIsNotARetreat() {
        #expect(pace(Array(repeating: 5, count: 20), work: 10).retreat(during: 100) == 0)
    }

    /// A finger's jitter does not count, only its progress.
    @Test func jitterCancelsOut() {
        let jittering = pace((0..<200).map { $0 % 2 == 0 ? -7 : 3 }, work: 10).retreat(during: 1000)
        #expect(abs(jittering - 200) < 40, "\(jittering)")
    }

    /// Without anything to decode the movement says nothing about the decoder.
    @Test func idlenessDoesNotCount() {
        var pace = MovementPace()
        for _ in 0..<20 {
            pace.move(by: -5)
            pace.rest()
        }
        #expect(pace.retreat(during: 100) == 0)
    }

    /// However large the numbers, the prediction stays near.
    @Test func itIsBounded() {
        #expect(pace(Array(repeating: .min / 64, count: 20), work: 1).retreat(during: .max) <= 256)
        #expect(pace(Array(repeating: -1, count: 20), work: .max / 64).retreat(during: 1) == 0)
    }
}
