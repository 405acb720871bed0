/// The decoding side of a session: it decides with the schedule, works with the source, and shows pictures on the
/// board. One turn is about one packet, so that newer requests are noticed between turns.
///
/// Use from one thread. The clock is passed in, so that tests need not wait.
struct ScrubLoop<Source: PictureSource> {
    var source: Source
    private let board: ScrubSessionState<Source.Image>
    private let clock: @Sendable () -> Int64
    private let cancelled: @Sendable (Int, Int) -> Void
    private let takeMemoryNews: @Sendable () -> Bool
    private var underway: Int?
    /// The last request reported to the source.
    private var noted = (serial: 0, frame: -1)
    /// Whether to abandon the current work for that request.
    private var isWorthLeaving = true
    /// Whether the current work has output a picture.
    private var hasDelivered = false
    /// The most recent frame whose work failed.
    private var failedFrame: Int?
    /// After a turn without work, the nanoseconds until there is work without another request: a finger that stays on a
    /// previewed frame gets its exact picture. `nil` for no limit.
    private(set) var restLimit: Int64?
    /// Whether the last turn ended because there is no decoder for the work.
    private(set) var awaitsDecoder = false

    /// Creates a loop.
    ///
    /// - Parameters:
    ///   - cancelled: called with an abandoned frame and the number of coded pictures decoded for it.
    ///   - takeMemoryNews: returns whether memory was released, or is needed by others, since the last call.
    init(
        _ source: Source, board: ScrubSessionState<Source.Image>, clock: @escaping @Sendable () -> Int64,
        cancelled: @escaping @Sendable (Int, Int) -> Void, takeMemoryNews: @escaping @Sendable () -> Bool = { false }
    ) {
        (self.source, self.board, self.clock) = (source, board, clock)
        (self.cancelled, self.takeMemoryNews) = (cancelled, takeMemoryNews)
    }

    /// Does one unit of work.
    ///
    /// - Returns: false if there is no work until the next request.
    /// - Throws: a read error; the request stays unanswered until ``giveUp(_:now:)``.
    mutating func turn() throws(ScrubError) -> Bool {
        if takeMemoryNews() {
            source.noteMemoryNews()
            board.endStarvation()
        }
        var situation = board.situation
        let request = situation.request
        // After a withdrawal, the same frame is another request.
        if request == nil { noted.frame = -1 }
        if let request, request.serial != noted.serial {
            // A finger that pauses briefly continues its movement.
            if request.frame != noted.frame || !request.isMoving { source.note(request.frame) }
            noted = (request.serial, request.frame)
            isWorthLeaving = underway == nil || source.isWorthLeaving(for: request.frame)
        }
        (situation.now, restLimit, awaitsDecoder) = (clock(), nil, false)
        (situation.underway, situation.isWorthLeaving) = (underway, isWorthLeaving)
        (situation.hasDelivered, situation.isHeldUp) = (hasDelivered, source.isHeldUp)
        if let request {
            let wantsExact = !situation.isAnswered || situation.isStill
            situation.isKept = wantsExact && request.frame != underway && board.kept.full(request.frame) != nil
            situation.hasPass =
                request.isMoving && !situation.isAnswered
                && source.hasPass(for: request.frame, isStill: situation.staysForPass)
        }
        switch board.schedule.next(situation) {
        case .answer: board.answerFromKept(now: clock())
        case .begin:
            guard let request, takeDecoder() else { return false }
            do throws(ScrubError) { try source.begin(request.frame) } catch {
                failedFrame = request.frame
                throw error
            }
            (underway, hasDelivered) = (request.frame, false)
        case .decode:
            guard takeDecoder() else { return false }
            try decode()
        case .pass:
            guard takeDecoder() else { return false }
            let (board, clock) = (board, clock)
            source.stepPass { frame, image, decoded in
                board.answer(frame, SourceAnswer(image: image, verdict: .exact, decoded: decoded), now: clock())
            }
        case .leave:
            if let underway { cancelled(underway, source.decoded) }
            source.leave()
            underway = nil
        case .prepare:
            let since = situation.previewedSince
            if let request, source.prepare(isMoving: request.isMoving, isPreviewed: since != nil) { return true }
            source.restDecoder()
            restLimit = since.map { $0 + ScrubSchedule.stillness - situation.now }
            return false
        case .wait:
            source.restDecoder()
            return false
        }
        return true
    }

    private mutating func takeDecoder() -> Bool {
        awaitsDecoder = !source.takeDecoder()
        return !awaitsDecoder
    }

    /// Gives up a request after a turn that threw, if it is for the frame that failed. A newer request for another
    /// frame is tried normally.
    ///
    /// - Parameter error: the error of the turn.
    /// - Returns: the request, which must be notified.
    func giveUp(_ error: ScrubError, now: Int64) -> ScrubSchedule.Request? {
        failedFrame.flatMap { board.giveUp(ofFrame: $0, because: error, now: now) }
    }

    private mutating func decode() throws(ScrubError) {
        guard let frame = underway else { return }
        do throws(ScrubError) {
            let (board, clock, decoded) = (board, clock, source.decoded)
            var hasDelivered = false
            let step = try source.step { frame, image in
                hasDelivered = true
                let answer = SourceAnswer(image: image, verdict: .exact, decoded: decoded)
                board.answer(frame, answer, isOnTheWay: true, now: clock())
            }
            if hasDelivered { self.hasDelivered = true }
            switch step {
            case .more: return
            case .answer(let answer):
                underway = nil
                board.answer(frame, answer, now: clock())
            case .starved:
                underway = nil
                board.starve(now: clock())
            }
        } catch {
            (underway, failedFrame) = (nil, frame)
            throw error
        }
    }
}
