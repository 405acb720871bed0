#if Viewer
internal import ScrubBase
internal import ScrubMedia

/// One client's way to one video: the newest request wins, and at most one frame is decoded for it at a time.
///
/// Thread safety: safe from any thread.
final class ClientLane: Sendable {
    /// What became of a request.
    enum Outcome: Sendable {
        case shown(ScrubUpdate)
        /// Nothing yet, and the time is over.
        case nothing
        /// A newer one came.
        case superseded
        /// The client does not wait any more.
        case gone
        case failed(ScrubError)
    }

    private struct Ask {
        let serial: Int
        let frame: Int
        let isMoving: Bool
        /// Whether something else is shown when the time is over and nothing came.
        let hasStandIn: Bool
        /// Whether the time is over, and whatever comes is taken.
        var takesAnything = false
        /// The nearest so far that the client has not got yet, or got last.
        var best: ScrubUpdate?
        let reply: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        var ask: Ask?
        /// The place among all requests of the newest that came to this lane.
        var order = Int.min
        /// Counts requests as the session does.
        var serial = 0
        /// The frame that the client was given last.
        var given: Int?
        /// Whether the session decodes for the newest request.
        var isDecoding = false
    }

    /// What requests call the client.
    let client: String
    let medium: ViewedMedium
    private let session: ScrubSession
    private let counts: DecodeCounts
    private let state = Locked(State())
    /// Held while a request is put to the session, so that both count alike.
    private let asking = Locked(())

    /// Takes a session that nothing was asked of yet.
    init(_ client: String, _ medium: ViewedMedium, _ session: ScrubSession, _ counts: DecodeCounts) {
        (self.client, self.medium, self.session, self.counts) = (client, medium, session, counts)
        session.observe { [weak self] in self?.take($0) }
        session.observeFailures { [weak self] in self?.fail($0, $1) }
    }

    /// Asks for a frame.
    ///
    /// - Parameters:
    ///   - order: the request's place among all; one that a newer one has overtaken is superseded.
    ///   - isMoving: whether something near will do, soon.
    ///   - hasStandIn: whether there is something else to show when nothing came by then; else the first picture is
    ///     waited for.
    ///   - patience: how soon.
    /// - Returns: when there is something; at once when its task is cancelled.
    func ask(_ frame: Int, _ order: Int, isMoving: Bool, hasStandIn: Bool, patience: Duration) async -> Outcome {
        let serial = Locked(0)
        let timer = Locked<Task<Void, Never>?>(nil)
        defer { timer.withLock { $0 }?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { reply in
                let (isNewest, older) = asking.withLock { _ in
                    let (isNewest, older) = state.withLock { state -> (Bool, Ask?) in
                        guard order > state.order else { return (false, nil) }
                        state.order = order
                        state.serial += 1
                        let number = state.serial
                        serial.withLock { $0 = number }
                        if state.isDecoding { counts.end(client, isFinished: false) }
                        state.isDecoding = true
                        counts.begin(client)
                        defer {
                            state.ask = Ask(
                                serial: number, frame: frame, isMoving: isMoving, hasStandIn: hasStandIn, reply: reply)
                        }
                        return (true, state.ask)
                    }
                    if isNewest { session.scrub(to: frame, isMoving: isMoving) }
                    return (isNewest, older)
                }
                older?.reply.resume(returning: .superseded)
                guard isNewest else { return reply.resume(returning: .superseded) }
                let number = serial.withLock { $0 }
                // Cancelled before there was anything to cancel.
                if Task.isCancelled { withdraw(number) }
                guard isMoving else { return }
                timer.withLock {
                    $0 = Task { [weak self] in
                        guard (try? await Task.sleep(for: patience)) != nil else { return }
                        self?.expire(number)
                    }
                }
            }
        } onCancel: {
            withdraw(serial.withLock { $0 })
        }
    }

    /// Coded pictures that were decoded for it.
    var decodedPictures: Int { session.counters.decodedPictures }

    /// Decodings that were left before their frame came: a newer request that lies ahead in the same group goes on with
    /// the one under way, and leaves none.
    var decodesLeft: Int { session.counters.cancelled }

    /// Whether nothing is decoded for it.
    var isIdle: Bool { state.withLock { !$0.isDecoding } }

    /// Records what the client was given, wherever it came from.
    func gave(_ frame: Int) { state.withLock { $0.given = frame } }

    /// The frame that the client was given last.
    var given: Int? { state.withLock { $0.given } }

    /// Ends what is under way: something newer was answered elsewhere.
    func leave(before order: Int = .max) {
        end(.superseded) { state in
            guard order > state.order else { return false }
            if order != .max { state.order = order }
            return true
        }
    }

    /// Ends what is prepared for requests that may come, unless one is under way.
    func hush() { end(.superseded) { $0.ask == nil && !$0.isDecoding } }

    /// The client does not wait for a request any more.
    private func withdraw(_ serial: Int) { end(.gone) { $0.ask?.serial == serial } }

    private func end(_ outcome: Outcome, if isMeant: (inout State) -> Bool) {
        let ask = asking.withLock { _ -> Ask? in
            let (ask, isMeant) = state.withLock { state -> (Ask?, Bool) in
                guard isMeant(&state) else { return (nil, false) }
                defer { (state.ask, state.isDecoding) = (nil, false) }
                if state.isDecoding { counts.end(client, isFinished: false) }
                return (state.ask, true)
            }
            // Before anything newer is asked of it.
            if isMeant { session.cancel() }
            return ask
        }
        ask?.reply.resume(returning: outcome)
    }

    /// The time of a request that takes what is near is over.
    private func expire(_ serial: Int) {
        answer { state in
            guard let ask = state.ask, ask.serial == serial else { return nil }
            if let best = ask.best { return .shown(best) }
            if ask.hasStandIn { return .nothing }
            state.ask?.takesAnything = true
            return nil
        }
    }

    private func take(_ update: ScrubUpdate) {
        answer { state in
            if update.stage == .exact, update.request == state.serial, state.isDecoding {
                state.isDecoding = false
                counts.end(client, isFinished: true)
            }
            guard let ask = state.ask, update.request == ask.serial else { return nil }
            if update.stage == .exact { return .shown(update) }
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
            guard request == state.serial else { return nil }
            if state.isDecoding { counts.end(client, isFinished: false) }
            state.isDecoding = false
            return state.ask == nil ? nil : .failed(error)
        }
    }

    /// Answers the request under way if there is something to say.
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
