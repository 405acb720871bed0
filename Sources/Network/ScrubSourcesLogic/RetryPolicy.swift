/// The rules for repeating a request that failed: whether, and after how long.
///
/// The caller keeps the count of tries that brought nothing, and begins again at each byte that comes; a deadline
/// applies as well.
package struct RetryPolicy: Hashable, Sendable {
    /// Tries after the first one that bring nothing.
    package var limit = 3
    /// The first pause is up to so many nanoseconds, each later one up to twice the one before.
    package var firstPause: Int64 = 100_000_000
    /// The longest pause that a server may ask for, in seconds; one that wants more is not asked again.
    package var longestRetryAfter: Int64 = 10

    package init() {}

    /// Why a request brought nothing, or not all.
    package enum Cause: Hashable, Sendable {
        /// The connection ended; `isFresh` when it was made for this request.
        case connectionLost(beforeFirstByte: Bool, isFresh: Bool)
        /// Nothing, or too little, came in time.
        case timedOut
        /// A clean end before all bytes were there.
        case endedEarly
        /// Nothing listens. Worth another try only if something did before.
        case refused(hasAnsweredBefore: Bool)
        /// A status other than success.
        case status(Int, retryAfter: Int64?)
    }

    /// Returns the pause before the next try, in nanoseconds; `nil` to give up.
    ///
    /// Full jitter: any pause up to the longest, so that many clients that failed together do not come back together. A
    /// server's own time is kept, with some jitter on top.
    ///
    /// - Parameters:
    ///   - tries: the number of tries in a row that brought nothing, this one included: 1 after the first.
    package func pause(
        after cause: Cause, tries: Int, using random: inout some RandomNumberGenerator
    ) -> Int64? {
        var atLeast: Int64 = 0
        switch cause {
        case .connectionLost(beforeFirstByte: true, isFresh: false) where tries <= 1:
            // A server closes connections that were idle; the request may have crossed with that.
            return 0
        case .connectionLost, .timedOut, .endedEarly: break
        case .refused(let hasAnsweredBefore): guard hasAnsweredBefore else { return nil }
        case .status(let status, let retryAfter):
            guard RetryPolicy.isPassing(status) else { return nil }
            if let retryAfter {
                guard (0...longestRetryAfter).contains(retryAfter) else { return nil }
                atLeast = retryAfter * 1_000_000_000
            }
        }
        guard (1...limit).contains(tries) else { return nil }
        let most = firstPause << Int64(min(tries - 1, 16))
        return atLeast + Int64.random(in: 0...max(0, most), using: &random)
    }

    /// Whether a status may be another one a moment later.
    package static func isPassing(_ status: Int) -> Bool { [408, 429, 500, 502, 503, 504].contains(status) }
}
