/// A session's latest requests and shown pictures, shared between callers and the decoding thread.
///
/// Pictures are sent to the outlet in the order of the decisions: a later one never answers an earlier request.
///
/// Thread safety: safe from any thread. The outlet is called under the lock and must not call back.
final class ScrubSessionState<Image: Sendable>: Sendable {
    /// A picture to be sent.
    struct Showing: Sendable {
        var request: ScrubSchedule.Request
        var frame: Int
        var image: Image?
        /// Counts the picture as held; `nil` if it is not handed out.
        var loan: HeldPicture?
        var stage: ScrubSession.Update.Stage
        /// Whether the picture is smaller than the video's own size.
        var isReduced: Bool
        var verdict: Verdict
        var isCacheHit: Bool
        var decoded: Int
        var time: Int64
        /// Whether the frame differs from the one shown before.
        var isNew: Bool
        /// Nanoseconds since the shown frame last changed while the finger moved; `nil` for the first picture and after
        /// a rest.
        var gap: Int64?
        /// The reason why the request failed.
        var error: ScrubError?
    }

    /// A picture that may be shown.
    private struct Candidate {
        enum Size {
            case full
            /// A reduced picture that is good enough while the finger moves.
            case preview
            /// A picture from a strip, used only until a better one is available.
            case small
        }

        var frame: Int
        var image: Image?
        /// The verdict on the picture as that of its own frame.
        var verdict: Verdict = .exact
        var size = Size.full
        var isCacheHit = true
        var decoded = 0

        init(_ frame: Int, _ image: Image?, size: Size) { (self.frame, self.image, self.size) = (frame, image, size) }

        /// Creates a candidate from a decoded picture, or from the fact that there is none.
        init(_ frame: Int, _ answer: SourceAnswer<Image>, isCacheHit: Bool, isReduced: Bool = false) {
            size = isReduced && answer.image != nil ? .preview : .full
            (self.frame, image, verdict) = (frame, answer.image, answer.verdict)
            (self.isCacheHit, decoded) = (isCacheHit, answer.decoded)
        }

        func stage(for frame: Int) -> ScrubSession.Update.Stage {
            guard self.frame == frame else { return .approximate }
            switch size {
            case .full: return .exact
            case .preview: return .preview
            case .small: return .approximate
            }
        }

        func verdict(for frame: Int) -> Verdict {
            guard self.frame == frame else { return .approximate("the nearest available frame is \(self.frame)") }
            return size == .full || verdict != .exact ? verdict : .approximate("frame \(frame) at a reduced size")
        }
    }

    private struct State {
        /// The newest request; `nil` before the first one, and after it was withdrawn.
        var request: ScrubSchedule.Request?
        /// The number of the newest request so far.
        var serial = 0
        /// The number of the request that has its exact picture.
        var answered = 0
        /// The number of the request that has a preview of its frame, which is enough while the finger moves.
        var satisfied = 0
        /// The number of the request that found no memory.
        var starved = 0
        /// The number of the request for which that was reported.
        var reportedStarved = 0
        var shown: Candidate?
        /// The target at the time when the shown frame appeared on screen.
        var shownTarget = 0
        var lastChange: Int64 = .min / 2
        /// The time until which the requested frame was shown.
        var contentUntil: Int64 = .min / 2
        /// The error of the newest request, if it failed. Who starts to listen then is told too.
        var failure: ScrubError?
        /// The time since which the finger has moved without a rest.
        var movingSince: Int64?
        /// The time since which the finger has requested the same frame.
        var stillSince: Int64 = .min / 2

        var screen: ScrubSchedule.Screen? {
            shown.map { ScrubSchedule.Screen(frame: $0.frame, target: shownTarget, time: lastChange) }
        }
    }

    let schedule: ScrubSchedule
    let kept: any KeptPictures<Image>
    /// Whether there are only reduced pictures. In that case, one also answers a finger at rest.
    private let showsOnlyReducedPictures: Bool
    private let lend: @Sendable (Image) -> Lending?
    private let outlet: @Sendable (Showing) -> Void
    private let state = Locked(State())

    /// How a picture is handed out.
    struct Lending: Sendable {
        /// Counts the picture as held; `nil` if it is not handed out.
        var loan: HeldPicture?
    }

    /// Creates a board.
    ///
    /// - Parameters:
    ///   - showsOnlyReducedPictures: whether the source's pictures are always reduced.
    ///   - lend: returns how a picture is handed out; `nil` if there is no memory for it.
    init(
        _ schedule: ScrubSchedule, kept: any KeptPictures<Image>, showsOnlyReducedPictures: Bool = false,
        lend: @escaping @Sendable (Image) -> Lending? = { _ in Lending(loan: nil) },
        outlet: @escaping @Sendable (Showing) -> Void
    ) {
        (self.schedule, self.kept, self.lend, self.outlet) = (schedule, kept, lend, outlet)
        self.showsOnlyReducedPictures = showsOnlyReducedPictures
    }

    /// Accepts a request and answers it at once with the best available picture.
    ///
    /// - Parameter serial: the request's number, if the caller numbers its requests; otherwise, requests are counted.
    /// - Returns: the request's number.
    /// - Precondition: the number is greater than all earlier ones.
    @discardableResult
    func ask(_ frame: Int, as serial: Int? = nil, isMoving: Bool, now: Int64) -> Int {
        let full = kept.full(frame)
        // Only look for a better picture than the shown one.
        let shown = state.withLock { $0.shown.flatMap { $0.image == nil ? nil : $0 } }
        let shownPreview = shown.flatMap { $0.frame == frame && $0.size == .preview ? $0.image : nil }
        let isShown = shown.map { $0.frame == frame && $0.size == .full } ?? false
        let preview = full == nil && !isShown ? shownPreview ?? kept.preview(frame) : nil
        let distance = shown.map { abs($0.frame - frame) } ?? .max
        let nearest = full == nil && preview == nil ? kept.nearest(to: frame, within: distance) : nil
        return state.withLock { state in
            let serial = serial ?? state.serial + 1
            precondition(serial > state.serial, "a request's number must be greater than all earlier ones")
            state.serial = serial
            let request = ScrubSchedule.Request(serial: state.serial, frame: frame, isMoving: isMoving, time: now)
            if isMoving, state.movingSince == nil { state.movingSince = now }
            if state.request?.frame != frame { state.stillSince = now }
            if let shown = state.shown?.frame {
                if shown == state.request?.frame { state.contentUntil = now }
                // There is no new frame to show: the finger has not moved.
                if shown == frame { state.lastChange = now }
            }
            (state.request, state.failure) = (request, nil)
            if let full {
                show(Candidate(frame, full, isCacheHit: true), now, &state)
            } else if let own = state.shown, own.frame == frame, own.size == .full, own.image != nil {
                // It is on screen, but has been evicted from the cache.
                show(own, now, &state)
            } else if let preview {
                show(Candidate(frame, preview, size: .preview), now, &state)
            } else if let shown = state.shown, shown.image != nil,
                nearest.map({ abs(shown.frame - frame) <= abs($0.frame - frame) }) ?? true
            {
                // The shown picture may be the nearest one. It is reported again, with its own time.
                show(shown, now, &state)
            } else if let nearest {
                var candidate = Candidate(nearest.frame, nearest.image, size: nearest.isFull ? .full : .small)
                // If its own frame is requested next, it is reported again.
                candidate.verdict = nearest.verdict
                show(candidate, now, &state)
            }
            return serial
        }
    }

    /// The part of the current situation that is known here: the newest request with its progress, and the screen.
    var situation: ScrubSchedule.Situation {
        state.withLock { state in
            var situation = ScrubSchedule.Situation(screen: state.screen)
            guard let request = state.request else { return situation }
            (situation.request, situation.stillSince) = (request, state.stillSince)
            situation.isAnswered = request.serial == state.answered
            if !situation.isAnswered, request.isMoving, request.serial == state.satisfied {
                (situation.isAnswered, situation.previewedSince) = (true, state.stillSince)
            }
            situation.isStarved = request.serial == state.starved
            return situation
        }
    }

    /// Records that there was no memory for decoding the newest request's frame. The shown picture stays.
    func starve(now: Int64) { state.withLock { tellStarved(now, &$0) } }

    /// Records that memory was released, so that the newest request is retried.
    func endStarvation() { state.withLock { $0.starved = 0 } }

    /// Records that a frame is unavailable. If the newest request is for it, that request is not retried, and the
    /// outlet gets the reason.
    ///
    /// - Returns: the request, which must be notified; `nil` if the newest one is for another frame, or was withdrawn.
    func giveUp(ofFrame frame: Int, because error: ScrubError, now: Int64) -> ScrubSchedule.Request? {
        state.withLock { state in
            guard let request = state.request, request.frame == frame else { return nil }
            (state.answered, state.failure) = (request.serial, error)
            outlet(failed(request, error, now, state))
            return request
        }
    }

    private func failed(
        _ request: ScrubSchedule.Request, _ error: ScrubError, _ now: Int64, _ state: State
    ) -> Showing {
        Showing(
            request: request, frame: state.shown?.frame ?? request.frame, image: nil, loan: nil, stage: .failed,
            isReduced: false, verdict: .undecodable(error.causeWording), isCacheHit: false, decoded: 0, time: now,
            isNew: false, gap: nil, error: error)
    }

    /// Withdraws the newest request. Work in progress for it is abandoned, and nothing is prepared.
    ///
    /// - Parameter serial: the request's required number; `nil` for the newest one.
    /// - Returns: the number of the withdrawn request; `nil` if there was none.
    @discardableResult
    func withdraw(_ serial: Int? = nil) -> Int? {
        state.withLock { state in
            guard let request = state.request, serial == nil || serial == request.serial else { return nil }
            (state.request, state.failure) = (nil, nil)
            state.movingSince = nil
            return request.serial
        }
    }

    /// Records that the finger rests. The newest request stays, and its missing picture no longer counts as movement.
    func rest() {
        state.withLock { state in
            state.request?.isMoving = false
            state.movingSince = nil
        }
    }

    /// Hands out the exact picture of the newest request if it is available.
    func answerFromKept(now: Int64) {
        state.withLock { state in
            guard let request = state.request, request.serial != state.answered else { return }
            guard let full = kept.full(request.frame) else { return }
            show(Candidate(request.frame, full, isCacheHit: true), now, &state)
        }
    }

    /// Handles an answer. It is shown as the answer if it is still the requested one, and otherwise if it helps.
    ///
    /// - Parameter isOnTheWay: whether it was output along the way to a frame that is not complete. It then only helps;
    ///   it becomes an answer from the cache once that work is abandoned.
    func answer(_ frame: Int, _ answer: SourceAnswer<Image>, isOnTheWay: Bool = false, now: Int64) {
        state.withLock { state in
            guard let request = state.request, request.serial != state.answered else { return }
            if isOnTheWay || request.frame != frame {
                guard request.frame != frame, answer.image != nil,
                    schedule.shows(frame, for: request, on: state.screen, now: now)
                else { return }
            }
            let isCacheHit = answer.decoded == 0 && !isOnTheWay
            show(Candidate(frame, answer, isCacheHit: isCacheHit, isReduced: showsOnlyReducedPictures), now, &state)
        }
    }

    /// Adds a listener, which starts with the current screen. No picture is handed out in the meantime.
    ///
    /// - Parameters:
    ///   - enter: registers the listener.
    ///   - tell: receives the current picture. It is not called before a picture is shown, or if there is no memory to
    ///     hand it out again.
    func join(now: Int64, enter: () -> Void, tell: (Showing) -> Void) {
        state.withLock { state in
            enter()
            if let request = state.request, let error = state.failure {
                return tell(failed(request, error, now, state))
            }
            guard let request = state.request, let shown = state.shown,
                let lending = shown.image.map({ lend($0) }) ?? Lending(loan: nil)
            else { return }
            tell(
                Showing(
                    request: request, frame: shown.frame, image: shown.image, loan: lending.loan,
                    stage: shown.stage(for: request.frame), isReduced: shown.size != .full,
                    verdict: shown.verdict(for: request.frame), isCacheHit: true, decoded: 0, time: now, isNew: false,
                    gap: nil))
        }
    }

    private func show(_ candidate: Candidate, _ now: Int64, _ state: inout State) {
        guard let request = state.request else { return }
        var loan: HeldPicture?
        if let image = candidate.image {
            guard let lending = lend(image) else { return tellStarved(now, &state) }
            loan = lending.loan
        }
        let stage = candidate.stage(for: request.frame)
        let isNew = state.shown?.frame != candidate.frame
        var gap: Int64?
        if isNew {
            if request.isMoving, let since = state.movingSince, state.shown != nil {
                gap = now - max(state.lastChange, since, state.contentUntil)
            }
            (state.lastChange, state.shownTarget) = (now, request.frame)
        }
        // When reported again, the picture is available without decoding.
        var shown = candidate
        (shown.isCacheHit, shown.decoded) = (true, 0)
        state.shown = shown
        // If memory is short again, that is reported.
        state.reportedStarved = 0
        if stage == .exact || stage == .preview && showsOnlyReducedPictures { state.answered = request.serial }
        if stage == .preview { state.satisfied = request.serial }
        outlet(
            Showing(
                request: request, frame: candidate.frame, image: candidate.image, loan: loan, stage: stage,
                isReduced: candidate.size != .full, verdict: candidate.verdict(for: request.frame),
                isCacheHit: candidate.isCacheHit,
                decoded: candidate.decoded, time: now, isNew: isNew, gap: gap))
    }

    /// Reports that there is no memory for a request's picture, once until another picture is shown for it.
    private func tellStarved(_ now: Int64, _ state: inout State) {
        guard let request = state.request, state.starved != request.serial else { return }
        let wasTold = state.reportedStarved == request.serial
        (state.starved, state.reportedStarved) = (request.serial, request.serial)
        guard !wasTold else { return }
        outlet(
            Showing(
                request: request, frame: state.shown?.frame ?? request.frame, image: nil, loan: nil,
                stage: .awaitingMemory, isReduced: false,
                verdict: .approximate("pictures held by callers leave no memory for this one"), isCacheHit: false,
                decoded: 0, time: now, isNew: false, gap: nil))
    }
}
