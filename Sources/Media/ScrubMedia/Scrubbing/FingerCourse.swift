/// The course of a finger over a film, as far as passes over groups depend on it. Pure.
struct FingerCourse {
    /// The frame under the finger.
    private(set) var frame = 0
    /// The farthest frame that it came to on its present way.
    private var front = 0
    private var direction = 0
    /// Moves to another frame since it rested or jumped; `nil` before the first frame.
    private var moves: Int?
    /// The frames between which it moved since then, and how often it turned.
    private var reach = 0...0
    private var turns = 0

    /// Moves after which a finger is on its way: the first one may be a tap that was not still.
    private static let leastMoves = 2
    /// Frames against its way that a finger jitters.
    private static let jitter = 12
    /// A step farther is a jump.
    private static let farthestStep = 256
    /// Turns after which a finger goes to and fro: a drag that comes back turns once or twice.
    private static let leastTurns = 3
    /// The most frames between which it goes to and fro about a place.
    private static let place = 192
    /// Frames where it goes that are made before those beyond.
    private static let nearest = 96

    /// Records the requested frame.
    mutating func note(_ number: Int) {
        defer { frame = number }
        let (step, overflow) = number.subtractingReportingOverflow(frame)
        guard let moves, !overflow, step != 0, step.magnitude <= UInt(FingerCourse.farthestStep) else {
            (self.moves, turns, direction, front) = (0, 0, 0, number)
            reach = number...number
            return
        }
        self.moves = moves + 1
        reach = min(reach.lowerBound, number)...max(reach.upperBound, number)
        if direction == 0 { direction = step.signum() }
        if (number - front) * direction >= 0 {
            front = number
        } else if abs(number - front) > FingerCourse.jitter {
            (front, direction) = (number, -direction)
            turns += 1
        }
    }

    /// Whether the finger is on its way.
    var isMovement: Bool { moves.map { $0 >= FingerCourse.leastMoves } ?? false }

    /// The way that it goes: 1 forward, -1 back, 0 where it goes to and fro about a place, or before it is known.
    var way: Int { isPlace ? 0 : direction }

    private var isPlace: Bool { turns >= FingerCourse.leastTurns && reach.count <= FingerCourse.place }

    /// Whether the finger may still come to a frame without turning.
    func isAhead(_ number: Int) -> Bool {
        switch way {
        case 1: number >= frame - FingerCourse.jitter
        case -1: number <= frame + FingerCourse.jitter
        default: true
        }
    }

    /// Whether the finger comes to a frame soon.
    func isNear(_ number: Int) -> Bool {
        if isPlace {
            let margin = 2 * FingerCourse.jitter
            return number >= reach.lowerBound - margin && number <= reach.upperBound + margin
        }
        let distance = direction < 0 ? frame - number : number - frame
        return (-FingerCourse.jitter...FingerCourse.nearest).contains(distance)
    }
}
