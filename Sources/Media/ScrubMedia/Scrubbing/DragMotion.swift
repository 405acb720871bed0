/// The movement of a finger over a video, as far as it affects passes over groups. Pure.
struct DragMotion {
    /// The frame under the finger.
    private(set) var frame = 0
    /// The farthest frame in its current direction.
    private var front = 0
    private var direction = 0
    /// The number of moves to another frame since it rested or jumped; `nil` before the first frame.
    private var moves: Int?
    /// The range of frames in which it has moved since then, and the number of turns.
    private var reach = 0...0
    private var turns = 0

    /// The number of moves after which a finger counts as moving. The first one may be an unsteady tap.
    private static let leastMoves = 2
    /// The number of frames by which a finger jitters against its direction.
    private static let jitter = 12
    /// The largest step that is not a jump.
    private static let farthestStep = 256
    /// The number of turns after which a finger counts as moving back and forth. A drag that returns turns once or
    /// twice.
    private static let leastTurns = 3
    /// The maximum range of frames for moving back and forth around a position.
    private static let place = 192
    /// The number of frames in the finger's direction that are made before those beyond.
    private static let nearest = 96

    /// Records the requested frame.
    mutating func note(_ number: Int) {
        defer { frame = number }
        let (step, overflow) = number.subtractingReportingOverflow(frame)
        guard let moves, !overflow, step != 0, step.magnitude <= UInt(DragMotion.farthestStep) else {
            (self.moves, turns, direction, front) = (0, 0, 0, number)
            reach = number...number
            return
        }
        self.moves = moves + 1
        reach = min(reach.lowerBound, number)...max(reach.upperBound, number)
        if direction == 0 { direction = step.signum() }
        if (number - front) * direction >= 0 {
            front = number
        } else if abs(number - front) > DragMotion.jitter {
            (front, direction) = (number, -direction)
            turns += 1
        }
    }

    /// Whether the finger is moving.
    var isMovement: Bool { moves.map { $0 >= DragMotion.leastMoves } ?? false }

    /// The finger's direction: 1 forward, -1 backward, 0 if it moves back and forth around a place, or if it is unknown
    /// yet.
    var way: Int { isPlace ? 0 : direction }

    private var isPlace: Bool { turns >= DragMotion.leastTurns && reach.count <= DragMotion.place }

    /// Returns whether the finger may still reach a frame without turning.
    func isAhead(_ number: Int) -> Bool {
        switch way {
        case 1: number >= frame - DragMotion.jitter
        case -1: number <= frame + DragMotion.jitter
        default: true
        }
    }

    /// Returns whether the finger reaches a frame soon.
    func isNear(_ number: Int) -> Bool {
        if isPlace {
            let margin = 2 * DragMotion.jitter
            return number >= reach.lowerBound - margin && number <= reach.upperBound + margin
        }
        let distance = direction < 0 ? frame - number : number - frame
        return (-DragMotion.jitter...DragMotion.nearest).contains(distance)
    }
}
