internal import ScrubBase

extension GrowingVideo {
    /// Returns the extensions as they come, from the known frames to the recording's end.
    ///
    /// The first one has all frames that are known, if there are any, and each later one those that are new; the last
    /// one is finished. The recording is finished when its writer has completed it (Matroska's head that is filled in
    /// at the end, an MP4's table of fragments). It is also finished a second after the writer closed the file, or when
    /// no byte has come for a long time. Nothing blocks: a thread of the library's own reads. Several may follow one
    /// recording.
    ///
    /// - Parameters:
    ///   - interval: the time between two looks at the file.
    ///   - patience: the time in which nothing may come; `nil` for any time.
    /// - Throws: to the consumer the errors of ``extend()``. If the consumer's task is cancelled the series ends.
    /// - Precondition: the interval is above 0, and the patience is 0 or more.
    public func extensions(
        interval: Duration = .milliseconds(200), patience: Duration? = .seconds(30)
    ) -> AsyncThrowingStream<Extension, any Error> {
        precondition(interval > .zero, "an interval of \(interval): give one above 0")
        precondition(patience.map { $0 >= .zero } ?? true, "a patience of \(patience ?? .zero): give 0 or more")
        return extensions(interval: interval, patience: patience, clock: ContinuousClock())
    }

    package func extensions<C: Clock>(
        interval: Duration, patience: Duration?, clock: C
    ) -> AsyncThrowingStream<Extension, any Error> where C.Duration == Duration {
        let follower = Locked(GrowthFollower(patience: patience, waited: idleTime))
        return AsyncThrowingStream { [self] in
            while true {
                try Task.checkCancellation()
                guard !follower.withLock({ $0.isOver }) else { return nil }
                let state = (bytes: byteCount, isClosed: isClosed)
                let isOver = follower.withLock { $0.isSilent(state.bytes, isClosed: state.isClosed) }
                let step = try await BlockingThreads.shared.run { try self.extend(isComplete: isOver) }
                if let news = follower.withLock({ $0.news(step) }) { return news }
                let now = clock.now
                try await clock.sleep(until: now.advanced(by: interval), tolerance: nil)
                follower.withLock { $0.wait(now.duration(to: clock.now)) }
            }
        }
    }

    /// Follows the recording on this thread, as ``extensions(interval:patience:)`` does, until its end.
    ///
    /// - Parameters:
    ///   - sleep: waits for so long.
    ///   - body: takes the news, and `nil` after each look that found nothing; says whether to go on.
    package func follow(
        interval: Duration, patience: Duration?, sleep: (Duration) -> Void,
        _ body: (Extension?) throws(ScrubError) -> Bool
    ) throws(ScrubError) {
        var follower = GrowthFollower(patience: patience, waited: idleTime)
        let clock = ContinuousClock()
        while !follower.isOver {
            let isOver = follower.isSilent(byteCount, isClosed: isClosed)
            let news = follower.news(try extend(isComplete: isOver))
            guard try body(news) else { return }
            guard news == nil else { continue }
            let now = clock.now
            sleep(interval)
            follower.wait(now.duration(to: clock.now))
        }
    }
}

/// The part of a recording that one consumer has seen.
private struct GrowthFollower: Sendable {
    /// Whether the end was seen.
    private(set) var isOver = false
    private let patience: Duration?
    /// The time in which nothing has come.
    private var waited: Duration
    private var known = 0
    private var byteCount: Int64 = -1

    /// Time that a file is left alone after its writer has closed it: another may go on with it.
    private static let closedPatience = Duration.seconds(1)

    /// - Parameter waited: the time in which nothing had come before.
    init(patience: Duration?, waited: Duration) { (self.patience, self.waited) = (patience, waited) }

    /// Records that time went by.
    mutating func wait(_ time: Duration) { waited += time }

    /// Whether nothing more is to be expected.
    mutating func isSilent(_ bytes: Int64, isClosed: Bool) -> Bool {
        if byteCount >= 0, bytes != byteCount { waited = .zero }
        byteCount = bytes
        if isClosed, waited >= min(Self.closedPatience, patience ?? Self.closedPatience) { return true }
        return patience.map { waited >= $0 } ?? false
    }

    /// Returns the part of a step that is new to the consumer; `nil` for nothing.
    mutating func news(_ step: GrowingVideo.Extension) -> GrowingVideo.Extension? {
        isOver = step.isFinished
        let count = step.asset?.frames.count ?? 0
        let first = step.isRevised ? 0 : min(known, count)
        known = count
        guard first < count || step.isFinished || step.isRevised else { return nil }
        return GrowingVideo.Extension(
            asset: step.asset, frames: first..<count, isFinished: step.isFinished, isRevised: step.isRevised)
    }
}
