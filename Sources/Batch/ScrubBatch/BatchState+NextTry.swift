extension BatchState {
    /// The time of the next attempt for a failed film.
    package enum NextTry: Hashable, Sendable {
        /// Not until the user requests it, or the film, the options or the program change.
        case never
        /// By the next run.
        case nextRun
        /// By a run this many seconds from now, or later.
        case after(seconds: Int64)
    }
}

extension BatchState.Row {
    /// Returns the time of the next attempt, for a film that failed or is waiting.
    ///
    /// - Parameter now: seconds since 1970.
    package func nextTry(now: Int64) -> BatchState.NextTry {
        guard status == .waiting else {
            // Another FFmpeg release failed, but this one may succeed.
            return program == nil || program == BatchRecord.program ? .never : .nextRun
        }
        let (left, overflow) = notBefore.subtractingReportingOverflow(now)
        // A delay longer than the maximum means that the clock was wrong.
        return !overflow && (1...86_400).contains(left) ? .after(seconds: left) : .nextRun
    }
}
