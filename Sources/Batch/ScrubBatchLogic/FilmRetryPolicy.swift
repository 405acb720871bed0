/// The rule for retrying a failed file.
///
/// A failure that the file's own bytes explain would recur. It stays until the file, the options or the program's
/// version change (which gives another key, and is not decided here). All other failures get three more attempts, after
/// a minute, an hour and a day; then the file is quarantined until the user requests it.
package struct FilmRetryPolicy: Hashable, Sendable {
    /// The seconds before each further attempt; there are as many attempts as numbers.
    package var delays: [Int64] = [60, 3600, 86_400]

    package init() {}

    /// Whether a failure would recur.
    package enum Kind: String, Hashable, Sendable {
        /// The same bytes give the same answer.
        case permanent
        /// The disk, the network, memory or a crash: the next attempt may differ.
        case temporary
    }

    /// Returns the kind of failure for a status (`sysexits.h`).
    ///
    /// 64 (wrong usage) and 65 (the file's data) are permanent. 66 (missing or unreadable) is temporary, because a
    /// share may be unavailable. So is 69, which a full disk also returns. So are 70, 71, 74, 75, termination by a
    /// signal (128 and above,
    /// or negative) and every unknown status.
    package static func kind(ofExitStatus status: Int32) -> Kind {
        switch status {
        case 64, 65: .permanent
        default: .temporary
        }
    }

    /// The next state of a file.
    package enum Next: Hashable, Sendable {
        /// It is retried this many seconds after its last failure.
        case retry(after: Int64)
        /// It is not retried automatically.
        case quarantined
    }

    /// Returns the next state of a file after consecutive failures.
    ///
    /// - Parameter failures: the number of failures, including this one: 1 after the first.
    package func next(after kind: Kind, failures: Int) -> Next {
        guard kind == .temporary, failures >= 1, failures <= delays.count else { return .quarantined }
        return .retry(after: delays[failures - 1])
    }

    /// Whether a file's next attempt is due.
    ///
    /// A failure with a future time was written under a wrong clock, and does not cause a delay.
    ///
    /// - Parameters:
    ///   - failedAt: the time of the last failure, in seconds of any clock.
    ///   - now: the current time by the same clock.
    package func isDue(after kind: Kind, failures: Int, failedAt: Int64, now: Int64) -> Bool {
        guard case .retry(let delay) = next(after: kind, failures: failures) else { return false }
        let (elapsed, isTooLarge) = now.subtractingReportingOverflow(failedAt)
        return isTooLarge || elapsed < 0 || elapsed >= delay
    }
}
