#if Viewer
internal import ScrubBase
internal import ScrubMedia

/// One client's session over one video: a wish goes in and one picture comes back, and at most one frame is decoded at
/// a time.
///
/// A wish's number is its request's in the session, so a result names the wish that it answers.
///
/// Thread safety: safe from any thread.
final class ClientSession: Sendable {
    /// The outcome of a wish.
    enum Outcome: Sendable {
        case shown(ScrubSession.Update)
        /// Nothing yet, and the time is over.
        case nothing
        /// A newer one came.
        case superseded
        /// The client no longer waits.
        case gone
        case failed(ScrubError)
    }

    /// A wish that waits for its picture.
    private struct Ask {
        let frame: Int
        let isMoving: Bool
        /// Whether something else is shown when the time is over and nothing came.
        let hasStandIn: Bool
        /// Whether the time is over, and whatever comes is taken.
        var takesAnything = false
        /// The nearest so far that the client has not got yet, or got last.
        var best: ScrubSession.Update?
        let reply: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        /// The wish that was put to the session last.
        var number = 0
        /// The caller that waits for it; `nil` once that is answered.
        var ask: Ask?
        /// Whether the session decodes for it, perhaps after something near was given.
        var isDecoding = false
        /// Whether it is a moving finger's.
        var isMoving = false
        /// The frame that the client was given last.
        var given: Int?
    }

    /// The client's name in requests.
    let client: String
    let medium: ViewedMedium
    private let session: ScrubSession
    private let counts: DecodeCounts
    private let state = Locked(State())

    /// Begins a session; blocks for milliseconds.
    ///
    /// - Throws: `unavailable` when the budget is too small for the video's decoder.
    init(
        _ client: String, _ medium: ViewedMedium, _ budget: ScrubBudget, _ counts: DecodeCounts
    ) throws(ScrubError) {
        (self.client, self.medium, self.counts) = (client, medium, counts)
        session = try ScrubSession(medium.asset, options: ClientSession.options, budget: budget)
        session.observe { [weak self] in self?.take($0) }
        session.observeFailures { [weak self] request, _, error in self?.fail(request, error) }
    }

    /// Few decoders for each, for they are many; pictures over the whole film come from the strip.
    private static var options: ScrubSession.Options {
        var options = ScrubSession.Options()
        options.decoderLimit = 1
        options.threadCount = min(4, Processors.count)
        options.keyPictureCount = 0
        return options
    }

    /// Asks for a frame.
    ///
    /// - Parameters:
    ///   - isMoving: whether something near will do, soon.
    ///   - hasStandIn: whether there is something else to show when nothing came by then; else the first picture is
    ///     waited for.
    ///   - patience: the longest time.
    /// - Returns: the outcome, once there is something; at once when the wish is overtaken, or its task cancelled.
    func ask(
        _ frame: Int, _ wish: WishToken, isMoving: Bool, hasStandIn: Bool, patience: Duration
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
                    session.scrub(to: frame, isMoving: isMoving, request: number)
                }
                guard isPut else { return reply.resume(returning: .superseded) }
                // Cancelled before there was anything to cancel, or before the session had it: also when something near
                // was given at once.
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

    /// The previews that it has, and their bytes in memory.
    var previews: (frames: Int, bytes: Int) {
        (session.previews?.frameCount ?? 0, session.previews?.byteCount ?? 0)
    }

    /// Coded pictures that were decoded for it.
    var decodedPictures: Int { session.counters.decodedPictures }

    /// The number of decodings that were left before their frame came. A newer request that lies ahead in the same
    /// group goes on with the one under way, and leaves none.
    var decodesLeft: Int { session.counters.cancelled }

    /// Records the frame that the client was given, from any source.
    func gave(_ frame: Int) { state.withLock { $0.given = frame } }

    /// The frame that the client was given last.
    var given: Int? { state.withLock { $0.given } }

    /// Ends the work under way.
    func leave() { end(.superseded) { _ in true } }

    /// Ends the preparation for requests that may come, unless one is under way.
    func hush() { end(.superseded) { $0.ask == nil && !$0.isDecoding } }

    /// Withdraws a wish for which the client no longer waits.
    private func withdraw(_ number: Int) { end(.gone) { $0.number == number && $0.ask != nil } }

    /// Ends the wish that was put last.
    private func end(_ outcome: Outcome, if isMeant: (State) -> Bool) {
        let ended = state.withLock { state -> (number: Int, ask: Ask?)? in
            guard isMeant(state) else { return nil }
            defer { (state.ask, state.isDecoding) = (nil, false) }
            if state.isDecoding { counts.end(client, isFinished: false) }
            return (state.number, state.ask)
        }
        guard let ended else { return }
        // Does nothing to a newer one that was put meanwhile.
        session.cancel(request: ended.number)
        ended.ask?.reply.resume(returning: outcome)
    }

    /// Notes that a newer wish came. The decoding for the older one goes on: the newer may lie on the way.
    private func overtake(_ number: Int) {
        answer { $0.number == number ? .superseded : nil }
    }

    /// Ends the time of a wish that takes a near frame.
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
            guard update.request == state.number else { return nil }
            // A finger that moves has enough with a preview, and nothing is decoded for it.
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

    /// Answers the wish that waits, if there is one and something to say.
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
