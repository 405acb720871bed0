/// What a session was asked last and what it showed last, shared between whoever asks and the decoding thread.
///
/// Pictures go to the outlet in the order in which they are decided on: a later one never answers an earlier request.
///
/// Thread safety: safe from any thread. The outlet is called under the lock: it must not call back.
final class ScrubBoard<Image: Sendable>: Sendable {
    /// A picture on its way out.
    struct Showing: Sendable {
        var request: ScrubSchedule.Request
        var frame: Int
        var image: Image?
        var isExact: Bool
        var verdict: Verdict
        var isCacheHit: Bool
        var decoded: Int
        var time: Int64
        /// Whether another frame is shown than before.
        var isNew: Bool
        /// Nanoseconds since the shown frame changed before, while the finger moved; nothing for the first picture and
        /// after a rest.
        var gap: Int64?
    }

    private struct State {
        var request: ScrubSchedule.Request?
        var answered = 0
        /// With the verdict on the picture as that of its own frame.
        var shown: (frame: Int, image: Image?, verdict: Verdict)?
        var lastChange: Int64 = .min / 2
        /// Since when the finger moves without a rest.
        var movingSince: Int64?
    }

    private let schedule: ScrubSchedule
    private let kept: any KeptPictures<Image>
    private let outlet: @Sendable (Showing) -> Void
    private let state = Locked(State())

    init(
        _ schedule: ScrubSchedule, kept: any KeptPictures<Image>, outlet: @escaping @Sendable (Showing) -> Void
    ) {
        (self.schedule, self.kept, self.outlet) = (schedule, kept, outlet)
    }

    /// Takes a request and answers it at once with the best that is there.
    func ask(_ frame: Int, isMoving: Bool, now: Int64) {
        let exact = kept.exact(frame)
        let nearest = exact == nil ? kept.nearest(to: frame) : nil
        state.withLock { state in
            let request = ScrubSchedule.Request(
                serial: (state.request?.serial ?? 0) + 1, frame: frame, isMoving: isMoving, time: now)
            if isMoving, state.movingSince == nil { state.movingSince = now }
            state.request = request
            // Nothing new is to be shown: the finger is where it was.
            if state.shown?.frame == frame { state.lastChange = now }
            if let exact {
                show(frame, SourceAnswer(image: exact, verdict: .exact, decoded: 0), now, &state)
                return
            }
            // What is shown already may be the nearest there is; it is said again, with its own time.
            if let shown = state.shown, shown.image != nil,
                nearest.map({ abs(shown.frame - frame) <= abs($0.frame - frame) }) ?? true
            {
                show(
                    shown.frame, SourceAnswer(image: shown.image, verdict: shown.verdict, decoded: 0), now, &state)
                return
            }
            if let nearest {
                show(nearest.frame, SourceAnswer(image: nearest.image, verdict: .exact, decoded: 0), now, &state)
            }
        }
    }

    /// The newest request, whether it has its exact picture, and when the shown frame changed last.
    var situation: (request: ScrubSchedule.Request?, isAnswered: Bool, lastChange: Int64) {
        state.withLock { ($0.request, $0.request?.serial == $0.answered, $0.lastChange) }
    }

    /// The newest request cannot be answered; nothing more is tried for it.
    func giveUp() { state.withLock { $0.answered = $0.request?.serial ?? 0 } }

    /// The finger rests: the newest request stays, and what is still missing of it is no movement any more.
    func rest() {
        state.withLock { state in
            state.request?.isMoving = false
            state.movingSince = nil
        }
    }

    /// Hands out the exact picture of the newest request if it is there.
    func answerFromKept(now: Int64) {
        state.withLock { state in
            guard let request = state.request, request.serial != state.answered else { return }
            guard let image = kept.exact(request.frame) else { return }
            show(request.frame, SourceAnswer(image: image, verdict: .exact, decoded: 0), now, &state)
        }
    }

    /// Shows a picture that came out on the way, if that helps the newest request.
    func offer(_ frame: Int, _ image: Image, decoded: Int, now: Int64) {
        state.withLock { state in
            guard let request = state.request, request.serial != state.answered, request.frame != frame,
                schedule.shows(
                    frame, for: request, shown: state.shown?.frame, lastChange: state.lastChange, now: now)
            else { return }
            show(frame, SourceAnswer(image: image, verdict: .exact, decoded: decoded), isCacheHit: false, now, &state)
        }
    }

    /// Takes an exact answer. It is shown as such if it is still what is asked for.
    func answer(_ frame: Int, _ answer: SourceAnswer<Image>, now: Int64) {
        state.withLock { state in
            guard let request = state.request, request.serial != state.answered else { return }
            if request.frame != frame {
                guard answer.image != nil,
                    schedule.shows(
                        frame, for: request, shown: state.shown?.frame, lastChange: state.lastChange, now: now)
                else { return }
            }
            show(frame, answer, isCacheHit: answer.decoded == 0, now, &state)
        }
    }

    private func show(
        _ frame: Int, _ answer: SourceAnswer<Image>, isCacheHit: Bool = true, _ now: Int64, _ state: inout State
    ) {
        guard let request = state.request else { return }
        let isExact = frame == request.frame
        let isNew = state.shown?.frame != frame
        var gap: Int64?
        if isNew {
            if request.isMoving, let since = state.movingSince, state.shown != nil {
                gap = now - max(state.lastChange, since)
            }
            state.lastChange = now
        }
        state.shown = (frame, answer.image, answer.verdict)
        if isExact { state.answered = request.serial }
        outlet(
            Showing(
                request: request, frame: frame, image: answer.image, isExact: isExact,
                verdict: isExact ? answer.verdict : .approximate("frame \(frame) is the nearest that is there"),
                isCacheHit: isCacheHit, decoded: answer.decoded, time: now, isNew: isNew, gap: gap))
    }
}
