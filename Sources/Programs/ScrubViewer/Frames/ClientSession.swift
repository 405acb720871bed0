#if Viewer
internal import ScrubBase
internal import ScrubMedia

/// One client's session for one video: a request goes in and one picture comes back, and at most one frame is decoded
/// at any one time.
///
/// A request's number is the session's, so a result identifies the request that it answers.
///
/// Thread safety: safe from any thread.
final class ClientSession: Sendable {
    /// The outcome of a request.
    enum Outcome: Sendable {
        case shown(ScrubSession.Update)
        /// Nothing yet, and the time is up.
        case nothing
        /// A newer request came.
        case superseded
        /// The client no longer waits.
        case gone
        case failed(ScrubError)
    }

    /// A request that is waiting for its picture.
    private struct Ask {
        let frame: Int
        let isMoving: Bool
        /// Whether something else is shown if the time is up and nothing came.
        let hasStandIn: Bool
        /// Whether the time is up, so that the next picture is accepted, whatever it is.
        var takesAnything = false
        /// The nearest picture so far that the client has not received, or received last.
        var best: ScrubSession.Update?
        let reply: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        /// The request that was last made to the session.
        var number = 0
        /// The caller that waits for it; `nil` once it has been answered.
        var ask: Ask?
        /// Whether the session is decoding for it, perhaps after a near picture was delivered.
        var isDecoding = false
        /// Whether it is from a moving finger.
        var isMoving = false
        /// The frame that the client last received.
        var given: Int?
    }

    /// The client's name in requests.
    let client: String
    let medium: ViewedMedium
    private let session: ScrubSession
    private let counts: DecodeCounts
    private let state = Locked(State())

    /// Starts a session; blocks for milliseconds.
    ///
    /// - Throws: `unavailable` if the budget is too small for the video's decoder.
    init(
        _ client: String, _ medium: ViewedMedium, _ budget: ScrubBudget, _ counts: DecodeCounts
    ) throws(ScrubError) {
        (self.client, self.medium, self.counts) = (client, medium, counts)
        session = try ScrubSession(medium.asset, options: ClientSession.options, budget: budget)
        session.observe { [weak self] in self?.take($0) }
        session.observeFailures { [weak self] request, _, error in self?.fail(request, error) }
    }

    /// Few decoders each, because there are many sessions; pictures across the whole film come from the strip.
    private static var options: ScrubSession.Options {
        var options = ScrubSession.Options()
        options.decoderLimit = 1
        options.threadCount = min(4, Processors.count)
        options.keyPictureCount = 0
        return options
    }

    /// Requests a frame.
    ///
    /// - Parameters:
    ///   - isMoving: whether a near picture is enough if it comes soon.
    ///   - hasStandIn: whether there is something else to show if no picture comes by then; otherwise, it waits for the
    ///     first picture.
    ///   - patience: the maximum time.
    /// - Returns: the outcome, once there is one; at once if the request is superseded or its task cancelled.
    func ask(
        _ frame: Int, _ wish: RequestToken, isMoving: Bool, hasStandIn: Bool, patience: Duration
    ) async -> Outcome {
        let number = wish.number
        let timer = Locked<Task<Void, Never>?>(nil)
        defer {
            wish.whenOvertaken(nil)
            timer.withLock { $0 }?.cancel()
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { reply in
                wish.whenOvertaken { [weak self] in self?.overtake(number) }
                let isPut = wish.ifNewest {
                    state.withLock { state in
                        if state.isDecoding { counts.end(client, isFinished: false) }
                        counts.begin(client)
                        (state.number, state.isDecoding, state.isMoving) = (number, true, isMoving)
                        state.ask = Ask(frame: frame, isMoving: isMoving, hasStandIn: hasStandIn, reply: reply)
                    }
                    session.scrub(toFrame: frame, isMoving: isMoving, request: number)
                }
                guard isPut else { return reply.resume(returning: .superseded) }
                // Cancelled before there was anything to cancel, or before the session had the request, even if a near
                // picture was delivered at once.
                if Task.isCancelled { end(.gone) { $0.number == number } }
                guard isMoving else { return }
                timer.withLock {
                    $0 = Task { [weak self] in
                        guard (try? await Task.sleep(for: patience)) != nil else { return }
                        self?.expire(number)
                    }
                }
            }
        } onCancel: {
            withdraw(number)
        }
    }

    /// The number of its previews, and their bytes in memory.
    var previews: (frames: Int, bytes: Int) {
        (session.previews?.frameCount ?? 0, session.previews?.byteCount ?? 0)
    }

    /// The number of coded pictures decoded for it.
    var decodedPictureCount: Int { session.counters.decodedPictureCount }

    /// The number of decodings that were abandoned before their frame was ready. A newer request for a later frame of
    /// the same group continues the decoding in progress, and abandons none.
    var decodesLeft: Int { session.counters.cancelledDecodeCount }

    /// Records the frame that the client received, from any source.
    func gave(_ frame: Int) { state.withLock { $0.given = frame } }

    /// The frame that the client last received.
    var given: Int? { state.withLock { $0.given } }

    /// Ends the work in progress.
    func leave() { end(.superseded) { _ in true } }

    /// Ends the preparation for future requests, unless one is in progress.
    func hush() { end(.superseded) { $0.ask == nil && !$0.isDecoding } }

    /// Withdraws a request for which the client is no longer waiting.
    private func withdraw(_ number: Int) { end(.gone) { $0.number == number && $0.ask != nil } }

    /// Ends the request that was made last.
    private func end(_ outcome: Outcome, if isMeant: (State) -> Bool) {
        let ended = state.withLock { state -> (number: Int, ask: Ask?)? in
            guard isMeant(state) else { return nil }
            defer { (state.ask, state.isDecoding) = (nil, false) }
            if state.isDecoding { counts.end(client, isFinished: false) }
            return (state.number, state.ask)
        }
        guard let ended else { return }
        // Does not affect a newer request that was made in the meantime.
        session.cancel(request: ended.number)
        ended.ask?.reply.resume(returning: outcome)
    }

    /// Records that a newer request came. Decoding for the older one continues, because the newer frame may be on the
    /// way.
    private func overtake(_ number: Int) {
        answer { $0.number == number ? .superseded : nil }
    }

    /// Ends the time of a request that accepts a near frame.
    private func expire(_ number: Int) {
        answer { state in
            guard let ask = state.ask, state.number == number else { return nil }
            if let best = ask.best { return .shown(best) }
            if ask.hasStandIn { return .nothing }
            state.ask?.takesAnything = true
            return nil
        }
    }

    private func take(_ update: ScrubSession.Update) {
        answer { state in
            // A failure is reported by `fail`.
            guard update.stage != .failed, update.request == state.number else { return nil }
            // For a moving finger, a preview is enough, and nothing is decoded for it.
            let isAll = update.stage == .exact || update.stage == .preview && state.isMoving
            if isAll, state.isDecoding {
                state.isDecoding = false
                counts.end(client, isFinished: true)
            }
            guard let ask = state.ask else { return nil }
            if isAll { return .shown(update) }
            guard ask.isMoving, update.picture != nil else { return nil }
            let isNearer = state.given.map { given in
                abs(update.frame.number - ask.frame) < abs(given - ask.frame)
            }
            if isNearer ?? true || ask.takesAnything { return .shown(update) }
            state.ask?.best = update
            return nil
        }
    }

    private func fail(_ request: Int, _ error: ScrubError) {
        answer { state in
            guard request == state.number else { return nil }
            if state.isDecoding { counts.end(client, isFinished: false) }
            state.isDecoding = false
            return .failed(error)
        }
    }

    /// Answers the waiting request, if there is one and there is something to report.
    private func answer(_ outcome: (inout State) -> Outcome?) {
        let reply = state.withLock { state -> (CheckedContinuation<Outcome, Never>, Outcome)? in
            guard let said = outcome(&state), let ask = state.ask else { return nil }
            state.ask = nil
            if case .shown(let update) = said { state.given = update.frame.number }
            return (ask.reply, said)
        }
        if let reply { reply.0.resume(returning: reply.1) }
    }
}
#endif
