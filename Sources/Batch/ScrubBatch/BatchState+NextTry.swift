extension BatchState {
    /// The time of the next try of a film that failed.
    package enum NextTry: Hashable, Sendable {
        /// Not until the user asks for it, or the film, the options or the program change.
        case never
        /// By whichever run comes next.
        case nextRun
        /// By a run that comes so many seconds from now, or later.
        case after(seconds: Int64)
    }
}

extension BatchState.Row {
    /// Returns the time of the next try, of a film that failed or waits.
    ///
    /// - Parameter now: seconds since 1970.
    package func nextTry(now: Int64) -> BatchState.NextTry {
        guard status == .waiting else {
            // What another release of FFmpeg could not do this one may.
            return program == nil || program == BatchRecord.program ? .never : .nextRun
        }
        let (left, overflow) = notBefore.subtractingReportingOverflow(now)
        // More than the longest delay is a clock that was wrong.
        return !overflow && (1...86_400).contains(left) ? .after(seconds: left) : .nextRun
    }
}
