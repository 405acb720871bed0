/// The rule for the next try of a file that failed.
///
/// A failure that the file's own bytes explain would come again. It stays until the file, the options or the program's
/// version are others (which is another key, and not decided here). All others get three more tries, after a minute, an
/// hour and a day; then the file is quarantined until the user asks for it.
package struct FilmRetryPolicy: Hashable, Sendable {
    /// Seconds before each further try; as many tries as there are numbers.
    package var delays: [Int64] = [60, 3600, 86_400]

    package init() {}

    /// Whether a failure would come again.
    package enum Kind: String, Hashable, Sendable {
        /// The same bytes give the same answer.
        case permanent
        /// The disk, the network, memory or a crash: it may be another one next time.
        case temporary
    }

    /// Returns the kind of failure of a status (`sysexits.h`).
    ///
    /// 64 (wrong usage) and 65 (the file's data) are permanent. 66 (missing or unreadable) is temporary, because a
    /// share may be away. So is 69, which a full disk has too. So are 70, 71, 74, 75, ends by a signal (128 and above,
    /// or negative) and every unknown status.
    package static func kind(ofExitStatus status: Int32) -> Kind {
        switch status {
        case 64, 65: .permanent
        default: .temporary
        }
    }

    /// The next state of a file.
    package enum Next: Hashable, Sendable {
        /// It is tried again so many seconds after its last failure.
        case retry(after: Int64)
        /// It is not tried again automatically.
        case quarantined
    }

    /// Returns the next state of a file after failures in a row.
    ///
    /// - Parameter failures: the number of failures, this one included: 1 after the first.
    package func next(after kind: Kind, failures: Int) -> Next {
        guard kind == .temporary, failures >= 1, failures <= delays.count else { return .quarantined }
        return .retry(after: delays[failures - 1])
    }

    /// Whether a file's next try is due.
    ///
    /// A failure that seems to lie in the future was written with a wrong clock, and delays nothing.
    ///
    /// - Parameters:
    ///   - failedAt: the time of the last failure, in seconds of any clock.
    ///   - now: the time by the same clock.
    package func isDue(after kind: Kind, failures: Int, failedAt: Int64, now: Int64) -> Bool {
        guard case .retry(let delay) = next(after: kind, failures: failures) else { return false }
        let (elapsed, isTooLarge) = now.subtractingReportingOverflow(failedAt)
        return isTooLarge || elapsed < 0 || elapsed >= delay
    }
}
