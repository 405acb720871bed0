/// The direction and speed of a finger over a video whose bytes are remote. Pure.
///
/// Unlike ``AccessPattern``, it follows steps of any length: if bytes take long to arrive, predicting them slightly
/// earlier is worth an occasional wrong guess.
struct ReadMotion {
    private var last: Int?
    /// 1 forward, -1 backward, 0 at rest.
    private(set) var direction = 0
    /// The number of consecutive steps in that direction.
    private(set) var length = 0
    /// The number of frames in the last step.
    private(set) var step = 0

    /// The number of consecutive steps in any direction.
    private(set) var steps = 0

    /// Whether the movement is likely to continue.
    var isSteady: Bool { length >= 3 }

    /// Records a request. Requesting the same frame again counts as a rest.
    mutating func note(_ frame: Int) {
        let way = last.map { (frame - $0).signum() } ?? 0
        length = way == 0 ? 0 : way == direction ? length + 1 : 1
        (direction, step) = (way, last.map { abs(frame - $0) } ?? 0)
        steps = way == 0 ? 0 : steps + 1
        last = frame
    }

    /// Returns whether groups of this many pictures are passed in a few steps, by a finger that has been moving for a
    /// while; it may have turned.
    func isFast(past count: Int) -> Bool { (isSteady || steps >= 6) && passes(count) }

    /// Returns whether a group of this many pictures is passed in a few steps.
    func passes(_ count: Int) -> Bool { 4 * max(1, step) >= count }
}
