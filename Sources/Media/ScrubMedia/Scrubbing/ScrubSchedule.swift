/// The next step of a scrubbing session, between any two packets. Pure.
struct ScrubSchedule: Sendable {
    /// A frame that is asked for. The newest one wins.
    struct Request: Sendable, Hashable {
        /// Counts the requests of a session from 1.
        var serial: Int
        var frame: Int
        /// Whether the finger still moves.
        var isMoving: Bool
        /// The time of the request, in the clock's nanoseconds.
        var time: Int64
    }

    /// The state when a decision is made.
    struct Situation {
        /// The newest request; `nil` before the first, and after it was withdrawn.
        var request: Request?
        /// Whether the newest request has its exact picture, or one that is enough while the finger moves.
        var isAnswered = false
        /// Since when the finger asks for the same frame.
        var stillSince: Int64 = .min / 2
        /// Since when the finger stays on a frame whose preview is shown; `nil` if it has its exact picture, or none.
        var previewedSince: Int64?
        /// Whether the exact picture of the newest request is there without decoding.
        var isKept = false
        /// The frame whose decoding is under way.
        var underway: Int?
        /// Whether that is left for the newest request while the finger moves.
        var isWorthLeaving = true
        /// Whether some picture came out of the work under way.
        var hasDelivered = false
        /// Whether a pass over the group brings the newest request's frame, with those around it.
        var hasPass = false
        /// Whether the work under way waits for bytes that are not there.
        var isHeldUp = false
        /// Whether the newest request found no memory, and none came back since.
        var isStarved = false
        /// The shown picture; `nil` before the first one.
        var screen: Screen?
        var now: Int64 = 0

        /// Whether a finger that stays on a previewed frame wants its exact picture.
        var isStill: Bool { previewedSince.map { now - $0 >= ScrubSchedule.stillness } ?? false }
        /// Whether a finger stays on its frame for so long that a pass over the group may be too late for it.
        var staysForPass: Bool { now - stillSince >= ScrubSchedule.passPatience }
    }

    enum Step: Hashable, Sendable {
        /// Hand out the exact picture that is there.
        case answer
        /// Begin to decode the newest request's frame.
        case begin
        /// Decode one packet more of the work under way.
        case decode
        /// Leave the work under way: no request waits for it.
        case leave
        /// Decode one packet more of the pass that brings the newest request's frame.
        case pass
        /// No request waits: prepare for the next ones.
        case prepare
        /// Nothing can be done before memory comes back.
        case wait
    }

    /// Nanoseconds without a new picture after which a frame under way is gone on with although the finger is
    /// elsewhere, until some picture comes out.
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
        // A finger that is faster than the decoder would cancel everything: something has to come out. When something
        // did and was no help, the finger is elsewhere, and what comes first there is nearer.
        let isStarving = situation.screen.map { situation.now - $0.time >= patience } ?? true
        // What waits for bytes brings nothing sooner because it is gone on with.
        return isStarving && !situation.hasDelivered && !situation.isHeldUp ? .decode : .leave
    }

    /// Nanoseconds after which a finger that stays on a frame wants its exact picture, although it is not lifted: more
    /// than two of its moves at 60 a second.
    static let stillness: Int64 = 40_000_000
    /// Nanoseconds for which a finger that stays on a frame waits for a pass in any case. A slow one comes to its next
    /// frame within that, and would have the pass begun again for each.
    static let passPatience: Int64 = 100_000_000

    /// The state of the screen when a picture comes out on the way.
    struct Screen {
        /// The frame that is shown.
        var frame: Int
        /// The frame that was asked for when it came on screen.
        var target: Int
        /// The time at which it came on screen.
        var time: Int64
    }

    /// Whether a picture that came out on the way is worth showing for a request.
    ///
    /// One that is nearer to the target than the shown one always is, except for flicker. One that is farther away is
    /// only while the finger moves and nothing new was shown for so long that it would seem stuck. Even then it is not
    /// farther away than the finger has come since: so far behind the screen was already.
    func shows(_ frame: Int, for request: Request, on screen: Screen?, now: Int64) -> Bool {
        guard let screen else { return true }
        guard frame != screen.frame else { return false }
        let distance = abs(frame - request.frame)
        if distance < abs(screen.frame - request.frame) { return now - screen.time >= ScrubSchedule.flicker }
        return request.isMoving && now - screen.time >= patience && distance <= abs(request.frame - screen.target)
    }

    /// Nanoseconds that a display of 60 Hz shows a picture for; more pictures than that are not seen.
    private static let flicker: Int64 = 12_000_000
}
