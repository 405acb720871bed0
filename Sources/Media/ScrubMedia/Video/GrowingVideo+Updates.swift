internal import ScrubBase

extension GrowingVideo {
    /// Returns the recording's updates as they arrive, from the frames known so far to the end of the recording.
    ///
    /// The first update contains all known frames, if there are any. Each later update contains only the new frames,
    /// and the last one is marked as finished. A recording counts as finished once its writer has rewritten the
    /// Matroska header, or has written the `mfra` table at the end of a fragmented MP4 file. It also counts as finished
    /// one second after the writer closes the file, or if no bytes arrive for `patience`. The caller's thread is never
    /// blocked, because reading takes place on one of the library's threads. Several readers may follow the same
    /// recording.
    ///
    /// - Parameters:
    ///   - interval: the time between checks of the file.
    ///   - patience: the time without new bytes after which the recording counts as finished; `nil` for no limit.
    /// - Returns: the sequence of updates. Its iterators throw the errors of ``extend()``, and `CancellationError` if
    ///   their task is cancelled.
    /// - Precondition: `interval` is above 0, and `patience` is 0 or more.
    public func updates(
        interval: Duration = .milliseconds(200), patience: Duration? = .seconds(30)
    ) -> GrowingVideo.Updates {
        precondition(interval > .zero, "interval is \(interval): use a value above 0")
        precondition(patience.map { $0 >= .zero } ?? true, "patience is \(patience ?? .zero): use 0 or more")
        return updates(interval: interval, patience: patience, clock: ContinuousClock())
    }

    package func updates<C: Clock>(
        interval: Duration, patience: Duration?, clock: C
    ) -> GrowingVideo.Updates where C.Duration == Duration {
        GrowingVideo.Updates { [self] in
            let follower = Locked(GrowthFollower(patience: patience, waited: idleTime))
            return {
                while true {
                    try Task.checkCancellation()
                    guard !follower.withLock({ $0.isOver }) else { return nil }
                    let state = (bytes: self.byteCount, isClosed: self.isClosed)
                    let isOver = follower.withLock { $0.isSilent(state.bytes, isClosed: state.isClosed) }
                    let step = try await self.step(isComplete: isOver)
                    if let news = follower.withLock({ $0.news(step) }) { return news }
                    let now = clock.now
                    try await clock.sleep(until: now.advanced(by: interval), tolerance: nil)
                    follower.withLock { $0.wait(now.duration(to: clock.now)) }
                }
            }
        }
    }

    /// Follows the recording on this thread, like ``updates(interval:patience:)``, until its end.
    ///
    /// - Parameters:
    ///   - sleep: waits for the given time.
    ///   - body: receives each update, and `nil` after each check that found nothing; returns whether to continue.
    package func follow(
        interval: Duration, patience: Duration?, sleep: (Duration) -> Void,
        _ body: (Update?) throws(ScrubError) -> Bool
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

/// The part of a recording that one reader has seen.
private struct GrowthFollower: Sendable {
    /// Whether the end was seen.
    private(set) var isOver = false
    private let patience: Duration?
    /// The time without new bytes.
    private var waited: Duration
    private var known = 0
    /// The revision that the reader has seen.
    private var revision: Int?
    private var byteCount: Int64 = -1

    /// The time to wait after the writer has closed a file, because another may continue it.
    private static let closedPatience = Duration.seconds(1)

    /// Creates a follower.
    ///
    /// - Parameter waited: the time without new bytes before.
    init(patience: Duration?, waited: Duration) { (self.patience, self.waited) = (patience, waited) }

    /// Adds to the time without new bytes.
    mutating func wait(_ time: Duration) { waited += time }

    /// Returns whether no more bytes are expected.
    mutating func isSilent(_ bytes: Int64, isClosed: Bool) -> Bool {
        if byteCount >= 0, bytes != byteCount { waited = .zero }
        byteCount = bytes
        if isClosed, waited >= min(Self.closedPatience, patience ?? Self.closedPatience) { return true }
        return patience.map { waited >= $0 } ?? false
    }

    /// Returns the part of an update that is new to the reader; `nil` if there is none.
    mutating func news(_ step: GrowingVideo.Update) -> GrowingVideo.Update? {
        isOver = step.isFinished
        let count = step.asset?.frames.count ?? 0
        // Another reader of the recording may have been given the update that says so.
        let isRevised = revision.map { $0 != step.revision } ?? step.isRevised
        let first = isRevised ? 0 : min(known, count)
        (known, revision) = (count, step.revision)
        guard first < count || step.isFinished || isRevised else { return nil }
        return GrowingVideo.Update(
            asset: step.asset, frames: first..<count, isFinished: step.isFinished, isRevised: isRevised,
            revision: step.revision)
    }
}
