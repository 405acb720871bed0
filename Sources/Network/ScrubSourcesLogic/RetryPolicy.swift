/// The rules for retrying a failed request: whether, and after what pause.
///
/// The caller counts the attempts without progress, and resets the count with each byte that arrives; a deadline also
/// applies.
package struct RetryPolicy: Hashable, Sendable {
    /// The number of retries without progress.
    package var limit = 3
    /// The maximum first pause in nanoseconds; each later maximum is twice the previous one.
    package var firstPause: Int64 = 100_000_000
    /// The longest pause that a server may request, in seconds. For a longer one, the request is not retried.
    package var longestRetryAfter: Int64 = 10

    package init() {}

    /// The reason why a request delivered no bytes, or not all.
    package enum Cause: Hashable, Sendable {
        /// The connection was lost; `isFresh` if it was made for this request.
        case connectionLost(beforeFirstByte: Bool, isFresh: Bool)
        /// No bytes, or too few, arrived in time.
        case timedOut
        /// The response ended cleanly before all bytes arrived.
        case endedEarly
        /// The connection was refused. It is worth retrying only if the server responded before.
        case refused(hasAnsweredBefore: Bool)
        /// A status other than success.
        case status(Int, retryAfter: Int64?)
    }

    /// Returns the pause before the next attempt, in nanoseconds; `nil` to give up.
    ///
    /// It uses full jitter: any pause up to the maximum, so that many clients that failed together do not retry
    /// together. A server's requested time is respected, with some additional jitter.
    ///
    /// - Parameters:
    ///   - tries: the number of consecutive attempts without progress, including this one: 1 after the first.
    package func pause(
        after cause: Cause, tries: Int, using random: inout some RandomNumberGenerator
    ) -> Int64? {
        var atLeast: Int64 = 0
        switch cause {
        case .connectionLost(beforeFirstByte: true, isFresh: false) where tries <= 1:
            // A server closes idle connections; the request may have crossed with that.
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

    /// Returns whether a status may be temporary.
    package static func isPassing(_ status: Int) -> Bool { [408, 429, 500, 502, 503, 504].contains(status) }
}
