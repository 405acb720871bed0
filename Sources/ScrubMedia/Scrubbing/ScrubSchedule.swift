/// What a scrubbing session does next, between any two packets. Pure.
struct ScrubSchedule: Sendable {
    /// A frame that is asked for. The newest one wins.
    struct Request: Sendable, Hashable {
        /// Counts the requests of a session from 1.
        var serial: Int
        var frame: Int
        /// Whether the finger still moves.
        var isMoving: Bool
        /// When it was asked for, in the clock's nanoseconds.
        var time: Int64
    }

    /// What is known when a decision is made.
    struct Situation {
        /// The newest request; nothing before the first.
        var request: Request?
        /// Whether the newest request has its exact picture.
        var isAnswered: Bool
        /// Whether the exact picture of the newest request is there without decoding.
        var isKept: Bool
        /// The frame whose decoding is under way.
        var underway: Int?
        /// When a new picture was shown for the last time.
        var lastChange: Int64
        var now: Int64
    }

    enum Step: Hashable, Sendable {
        /// Hand out the exact picture that is there.
        case answer
        /// Begin to decode the newest request's frame.
        case begin
        /// Decode one packet more of what is under way.
        case decode
        /// Leave what is under way: nobody waits for it.
        case leave
        /// Nobody waits: prepare what may come.
        case prepare
    }

    /// Nanoseconds without a new picture after which a frame under way is finished although the finger has gone on.
    var patience: Int64

    func next(_ situation: Situation) -> Step {
        guard let request = situation.request, !situation.isAnswered else {
            return situation.underway == nil ? .prepare : .leave
        }
        if situation.isKept { return situation.underway == nil ? .answer : .leave }
        guard let underway = situation.underway else { return .begin }
        if underway == request.frame { return .decode }
        // A finger that is faster than the decoder would cancel everything: something has to come out.
        let isStarving = request.isMoving && situation.now - situation.lastChange >= patience
        return isStarving ? .decode : .leave
    }

    /// Whether a picture that came out on the way is worth showing for a request.
    ///
    /// - Parameters:
    ///   - frame: the picture's frame.
    ///   - shown: the frame that is shown now.
    func shows(_ frame: Int, for request: Request, shown: Int?, lastChange: Int64, now: Int64) -> Bool {
        guard let shown else { return true }
        guard frame != shown else { return false }
        if abs(frame - request.frame) < abs(shown - request.frame) { return now - lastChange >= ScrubSchedule.flicker }
        // Further away than what is shown, but a finger that moves must see that it does.
        return request.isMoving && now - lastChange >= patience
    }

    /// Nanoseconds that a display of 60 Hz shows a picture for; more pictures than that are not seen.
    private static let flicker: Int64 = 12_000_000
}
