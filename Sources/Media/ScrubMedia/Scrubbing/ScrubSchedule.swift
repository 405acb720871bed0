/// The logic that chooses the next step of a scrubbing session, between any two packets. Pure.
struct ScrubSchedule: Sendable {
    /// A requested frame. The newest request wins.
    struct Request: Sendable, Hashable {
        /// The request's number in its session, counted from 1.
        var serial: Int
        var frame: Int
        /// Whether the finger is still moving.
        var isMoving: Bool
        /// The time of the request, in the clock's nanoseconds.
        var time: Int64
    }

    /// The state at the time of a decision.
    struct Situation {
        /// The newest request; `nil` before the first one, and after it was withdrawn.
        var request: Request?
        /// Whether the newest request has its exact picture, or one that is enough while the finger moves.
        var isAnswered = false
        /// The time since which the finger has requested the same frame.
        var stillSince: Int64 = .min / 2
        /// The time since which the finger has stayed on a frame whose preview is shown; `nil` if the exact picture is
        /// shown, or none.
        var previewedSince: Int64?
        /// Whether the exact picture of the newest request is available without decoding.
        var isKept = false
        /// The frame that is being decoded.
        var underway: Int?
        /// Whether to abandon that work for the newest request while the finger moves.
        var isWorthLeaving = true
        /// Whether the work in progress has output a picture.
        var hasDelivered = false
        /// Whether a pass over the group delivers the newest request's frame, with those around it.
        var hasPass = false
        /// Whether the work in progress waits for missing bytes.
        var isHeldUp = false
        /// Whether the newest request found no memory, and none was released since.
        var isStarved = false
        /// The shown picture; `nil` before the first one.
        var screen: Screen?
        var now: Int64 = 0

        /// Whether a finger has stayed on a previewed frame long enough to get its exact picture.
        var isStill: Bool { previewedSince.map { now - $0 >= ScrubSchedule.stillness } ?? false }
        /// Whether a finger has stayed on its frame so long that a pass over the group may be too late for it.
        var staysForPass: Bool { now - stillSince >= ScrubSchedule.passPatience }
    }

    enum Step: Hashable, Sendable {
        /// Hand out the exact picture, which is available.
        case answer
        /// Begin to decode the newest request's frame.
        case begin
        /// Decode another packet of the work in progress.
        case decode
        /// Abandon the work in progress, because it is no longer requested.
        case leave
        /// Decode another packet of the pass that delivers the newest request's frame.
        case pass
        /// No request is pending: prepare for the next ones.
        case prepare
        /// Wait until memory is released.
        case wait
    }

    /// Nanoseconds without a new picture after which a frame in progress is continued although the finger has moved on,
    /// until a picture is output.
    var patience: Int64

    func next(_ situation: Situation) -> Step {
        let staysUnderWay =
            situation.underway != nil && !situation.isWorthLeaving && situation.request?.isMoving == true
        guard let request = situation.request, !situation.isAnswered || situation.isStill else {
            return situation.underway == nil ? .prepare : staysUnderWay ? .decode : .leave
        }
        if situation.isStarved { return situation.underway == nil ? .wait : .leave }
        if staysUnderWay { return situation.isKept ? .answer : .decode }
        if situation.isKept { return situation.underway == nil ? .answer : .leave }
        if situation.hasPass { return situation.underway == nil ? .pass : .leave }
        guard let underway = situation.underway else { return .begin }
        if underway == request.frame { return .decode }
        guard request.isMoving else { return .leave }
        // A finger faster than the decoder would cancel everything, so something must be output. If an output picture
        // did not help, the finger is elsewhere, and the first picture there is nearer.
        let isStarving = situation.screen.map { situation.now - $0.time >= patience } ?? true
        // Work that waits for bytes does not produce pictures sooner by being continued.
        return isStarving && !situation.hasDelivered && !situation.isHeldUp ? .decode : .leave
    }

    /// Nanoseconds after which a finger that stays on a frame gets its exact picture, even if it is not lifted: more
    /// than two of its moves at 60 per second.
    static let stillness: Int64 = 40_000_000
    /// Nanoseconds that a finger staying on a frame always waits for a pass. A slow finger reaches its next frame
    /// within that time, and would otherwise restart the pass for each frame.
    static let passPatience: Int64 = 100_000_000

    /// The state of the screen when a picture is output along the way.
    struct Screen {
        /// The shown frame.
        var frame: Int
        /// The frame that was requested when the shown frame appeared.
        var target: Int
        /// The time at which the frame appeared on screen.
        var time: Int64
    }

    /// Returns whether a picture that was output along the way is worth showing for a request.
    ///
    /// A picture nearer to the target than the shown one always is, except for flicker. A farther one is shown only
    /// while the finger moves and no new picture was shown for so long that the screen would seem stuck. Even then, it
    /// must not be farther away than the finger has moved since, because the screen was already that far behind.
    func shows(_ frame: Int, for request: Request, on screen: Screen?, now: Int64) -> Bool {
        guard let screen else { return true }
        guard frame != screen.frame else { return false }
        let distance = abs(frame - request.frame)
        if distance < abs(screen.frame - request.frame) { return now - screen.time >= ScrubSchedule.flicker }
        return request.isMoving && now - screen.time >= patience && distance <= abs(request.frame - screen.target)
    }

    /// Nanoseconds that a 60 Hz display shows a picture; more frequent pictures are not seen.
    private static let flicker: Int64 = 12_000_000
}
