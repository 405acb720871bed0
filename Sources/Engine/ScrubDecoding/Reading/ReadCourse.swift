/// Which way a finger goes over a film whose bytes are remote, and how fast. Pure.
///
/// Other than ``AccessPattern`` it follows steps of any length: where bytes take long, knowing them a moment earlier is
/// worth a guess that is wrong now and then.
struct ReadCourse {
    private var last: Int?
    /// 1 forward, -1 backward, 0 at rest.
    private(set) var direction = 0
    /// Steps in a row that way.
    private(set) var length = 0
    /// Frames of the last step.
    private(set) var step = 0

    /// Steps in a row, whichever way.
    private(set) var steps = 0

    /// Whether the course is likely to go on.
    var isSteady: Bool { length >= 3 }

    /// Records a request. The same frame again is a rest.
    mutating func note(_ frame: Int) {
        let way = last.map { (frame - $0).signum() } ?? 0
        length = way == 0 ? 0 : way == direction ? length + 1 : 1
        (direction, step) = (way, last.map { abs(frame - $0) } ?? 0)
        steps = way == 0 ? 0 : steps + 1
        last = frame
    }

    /// Whether groups of so many pictures are passed in a few steps, by a finger that has been on its way for a while;
    /// it may have turned.
    func isFast(past count: Int) -> Bool { (isSteady || steps >= 6) && passes(count) }

    /// Whether a group of so many pictures is passed in a few steps.
    func passes(_ count: Int) -> Bool { 4 * max(1, step) >= count }
}
