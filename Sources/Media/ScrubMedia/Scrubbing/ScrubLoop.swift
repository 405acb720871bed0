/// The decoding side of a session: decides with the schedule, works with the source, shows on the board. One turn is
/// about one packet, so that newer requests are seen between any two.
///
/// Use from one thread. The clock comes from outside, so that tests need not wait.
struct ScrubLoop<Source: PictureSource> {
    var source: Source
    private let board: ScrubBoard<Source.Image>
    private let clock: @Sendable () -> Int64
    private let cancelled: @Sendable (Int, Int) -> Void
    private let takeMemoryNews: @Sendable () -> Bool
    private var underway: Int?
    /// The last request that was reported to the source.
    private var noted = (serial: 0, frame: -1)
    /// Whether the present work is left for that request.
    private var isWorthLeaving = true
    /// Whether some picture came out of the present work.
    private var hasDelivered = false
    /// The frame whose work failed last.
    private var failedFrame: Int?
    /// After a turn with nothing to do, the nanoseconds after which there is something, without another request: a
    /// finger that stays on a previewed frame gets its exact picture. `nil` for no limit.
    private(set) var restLimit: Int64?
    /// Whether the last turn ended because there is no decoder for what is to be done.
    private(set) var awaitsDecoder = false

    /// - Parameters:
    ///   - cancelled: called with a frame that was left, with the coded pictures that were decoded for it.
    ///   - takeMemoryNews: whether memory came back, or is wanted back, since this was asked last.
    init(
        _ source: Source, board: ScrubBoard<Source.Image>, clock: @escaping @Sendable () -> Int64,
        cancelled: @escaping @Sendable (Int, Int) -> Void, takeMemoryNews: @escaping @Sendable () -> Bool = { false }
    ) {
        (self.source, self.board, self.clock) = (source, board, clock)
        (self.cancelled, self.takeMemoryNews) = (cancelled, takeMemoryNews)
    }

    /// Does one thing.
    ///
    /// - Returns: false when there is nothing to do until the next request.
    /// - Throws: an error of reading; the request stays unanswered until ``giveUp()``.
    mutating func turn() throws(ScrubError) -> Bool {
        if takeMemoryNews() {
            source.noteMemoryNews()
            board.endStarvation()
        }
        var situation = board.situation
        let request = situation.request
        // Once it was withdrawn, the same frame is another request.
        if request == nil { noted.frame = -1 }
        if let request, request.serial != noted.serial {
            // A finger that stays where it is for a moment goes on with its movement.
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

    /// After a turn that threw: nothing more is tried for a request for the frame that failed. A newer one for another
    /// frame is tried for itself.
    ///
    /// - Returns: the request, which has to be told.
    func giveUp() -> ScrubSchedule.Request? { failedFrame.flatMap { board.giveUp(ofFrame: $0) } }

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
