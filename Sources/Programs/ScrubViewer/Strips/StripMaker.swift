#if Viewer
internal import ScrubBase
internal import ScrubMedia

/// Makes strips on request, one at a time, and keeps the most recent ones.
///
/// Thread safety: safe from any task.
final class StripMaker: Sendable {
    private struct State {
        var strips: [(content: String, strip: FilmStrip)] = []
        var isClosed = false
    }

    private let state = Locked(State())
    private let makers = BlockingThreads(limit: 1)
    private let planners = BlockingThreads(limit: 2)
    /// Whether a request waits for a frame.
    private let isBusy: @Sendable () -> Bool
    /// Called when a strip is complete.
    private let made: @Sendable (ViewedMedium) -> Void

    /// The maximum number of kept strips.
    private static let limit = 8

    init(isBusy: @escaping @Sendable () -> Bool, made: @escaping @Sendable (ViewedMedium) -> Void) {
        (self.isBusy, self.made) = (isBusy, made)
    }

    /// Returns a medium's strip if there is one, however complete.
    func known(_ medium: ViewedMedium) -> FilmStrip? {
        state.withLock { $0.strips.first { $0.content == medium.content }?.strip }
    }

    /// Returns a medium's strip, starting it if necessary.
    func strip(_ medium: ViewedMedium) async throws -> FilmStrip {
        if let known = known(medium) { return known }
        let planned = try await planners.run { try FilmStrip(medium) }
        let (strip, isNew) = state.withLock { state -> (FilmStrip, Bool) in
            if let known = state.strips.first(where: { $0.content == medium.content }) {
                return (known.strip, false)
            }
            // It will not be requested again.
            guard !medium.isRetired else {
                planned.end(FilmStrip.unwanted)
                return (planned, false)
            }
            state.strips.append((medium.content, planned))
            if state.strips.count > StripMaker.limit {
                state.strips.remove(at: state.strips.firstIndex { $0.strip.hasEnded } ?? 0)
            }
            return (planned, true)
        }
        if isNew { Task { await make(strip) } }
        return strip
    }

    private func make(_ strip: FilmStrip) async {
        let isGone: @Sendable () -> Bool = { [self] in
            state.withLock { state in
                state.isClosed || strip.medium.isRetired || !state.strips.contains { $0.strip === strip }
            }
        }
        do {
            try await makers.run { [isBusy] in
                let cancellation = Cancellation(within: nil, or: isGone)
                cancellation.perform {
                    strip.make {
                        // Frames are more urgent than a strip, but the strip must be finished.
                        var turns = 0
                        while isBusy(), turns < 20, !cancellation.isCancelled {
                            ThreadPause.milliseconds(5)
                            turns += 1
                        }
                    }
                }
            }
        } catch {
            // There is no thread: waiting callers are told, and the next request plans it again.
            strip.end(error as? ScrubError ?? FilmStrip.unwanted)
            // Not the strip of the same film that a later request may have started.
            state.withLock { $0.strips.removeAll { $0.strip === strip } }
        }
        if strip.failure == nil, !isGone() { made(strip.medium) }
    }

    /// Releases the strip of a medium whose file has been replaced.
    func forget(_ medium: ViewedMedium) { state.withLock { $0.strips.removeAll { $0.content == medium.content } } }

    /// Ends the work in progress.
    func close() { state.withLock { $0.isClosed = true } }
}
#endif
