import ScrubBatchLogic
import Testing

struct RetryPolicyTests {
    @Test func statuses() {
        for status: Int32 in [64, 65] { #expect(FilmRetryPolicy.kind(ofExitStatus: status) == .permanent) }
        for status: Int32 in [-9, 1, 2, 66, 69, 70, 71, 74, 75, 77, 124, 134, 137, 139, 255, .max, .min] {
            #expect(FilmRetryPolicy.kind(ofExitStatus: status) == .temporary)
        }
    }

    @Test func threeMoreTries() {
        let policy = FilmRetryPolicy()
        #expect(
            (1...4).map { policy.next(after: .temporary, failures: $0) } == [
                .retry(after: 60), .retry(after: 3600), .retry(after: 86_400), .quarantined,
            ])
        #expect(policy.next(after: .permanent, failures: 1) == .quarantined)
        for failures in [Int.min, -1, 0, 5, .max] {
            #expect(policy.next(after: .temporary, failures: failures) == .quarantined)
        }
    }

    @Test func due() {
        let policy = FilmRetryPolicy()
        func isDue(_ failedAt: Int64, _ now: Int64, _ failures: Int = 1, _ kind: FilmRetryPolicy.Kind = .temporary)
            -> Bool
        {
            policy.isDue(after: kind, failures: failures, failedAt: failedAt, now: now)
        }
        #expect(!isDue(1000, 1000) && !isDue(1000, 1059) && isDue(1000, 1060) && isDue(0, .max))
        #expect(!isDue(1000, 4599, 2) && isDue(1000, 4600, 2) && !isDue(0, 86_399, 3) && isDue(0, 86_400, 3))
        #expect(!isDue(0, .max, 4) && !isDue(0, .max, 1, .permanent))
        // A failure in the future, by a clock that was wrong.
        #expect(isDue(1_000_000, 999_999) && isDue(.max, .min) && isDue(.min, .max))
    }
}
