/// The pattern of frame requests: jumping around, moving forward, moving backward. Pure.
///
/// It predicts the next request from the most recent ones. Consecutive steps in one direction are a gesture. A return
/// to a recently visited group makes its decoder worth keeping.
package struct AccessPattern: Sendable {
    /// The interpretation of a request in the context of earlier ones.
    package struct Hint: Sendable, Equatable {
        package enum Motion: Sendable, Equatable { case jump, forward, backward }
        var motion: Motion
        /// The number of consecutive requests with this motion, including this one.
        var length: Int
        /// The number of frames between this request and the previous one.
        var step: Int
        /// Whether this request goes against the motion, as with a finger that jitters.
        var isAgainst = false
        /// Whether the movement is likely to continue, and is therefore worth preparing for. Two jumps occasionally end
        /// near each other by chance, but small steps, or three steps in one direction, are not chance.
        var isSteady: Bool { motion != .jump && (step <= AccessPattern.smallStep || isLasting) }
        /// Whether the motion is a movement rather than the jitter of a finger.
        var isLasting: Bool { length >= AccessPattern.lastingLength }
        /// Whether the same group was recently requested.
        var isRevisit: Bool
        /// Whether requests jump around: two consecutive steps were not small, and there have not been two small steps
        /// in one direction since.
        var isScattered = true

        static let first = Hint(motion: .jump, length: 0, step: 0, isRevisit: false)
    }

    /// The maximum number of frames that a finger moves between two events; a farther step is a jump.
    private static let reach = 64
    /// The number of frames between two events of a slow finger.
    private static let smallStep = 16
    /// The number of groups to remember.
    private static let memory = 8
    /// The number of frames by which any finger jitters against its direction.
    private static let leastJitter = 4
    /// The number of requests with the same motion that constitute a movement.
    private static let lastingLength = 3

    /// Whether small steps against a movement are jitter rather than a turn.
    private let toleratesJitter: Bool
    private var last: (frame: Int, restart: Int)?
    /// The farthest frame of the current motion.
    private var front = 0
    /// The mean step, in sixteenths of a frame.
    private var pace = 0
    private var recent: [Int] = []
    /// The number of consecutive requests that were not small steps.
    private var farCount = 0
    private var hint = Hint.first

    init(toleratesJitter: Bool = false) { self.toleratesJitter = toleratesJitter }

    mutating func note(frame: Int, restart: Int) -> Hint {
        var motion = Hint.Motion.jump
        if let last, last.frame != frame, abs(frame - last.frame) <= AccessPattern.reach {
            motion = frame > last.frame ? .forward : .backward
        }
        let step = last.map { abs(frame - $0.frame) } ?? 0
        let isAgainst = isJitter(frame, motion)
        if isAgainst { motion = hint.motion }
        let goesOn = motion == hint.motion
        pace = goesOn && motion != .jump ? pace - pace / 8 + 2 * step : 16 * step
        front = !goesOn ? frame : motion == .forward ? max(front, frame) : min(front, frame)
        let length = goesOn ? hint.length + 1 : 1
        let isNear = step <= AccessPattern.smallStep && (motion != .jump || frame == last?.frame)
        farCount = isNear ? 0 : farCount + 1
        let isScattered = farCount >= 2 || (hint.isScattered && !(isNear && motion != .jump && length >= 2))
        hint = Hint(
            motion: motion, length: length, step: step, isAgainst: isAgainst, isRevisit: recent.contains(restart),
            isScattered: isScattered)
        last = (frame, restart)
        recent.removeAll { $0 == restart }
        recent.append(restart)
        if recent.count > AccessPattern.memory { recent.removeFirst() }
        return hint
    }

    /// Returns whether a step against the current motion is jitter: not far behind the farthest frame.
    private func isJitter(_ frame: Int, _ motion: Hint.Motion) -> Bool {
        guard toleratesJitter, motion != .jump, hint.motion != .jump, motion != hint.motion, hint.isLasting else {
            return false
        }
        return abs(frame - front) <= max(AccessPattern.leastJitter, 2 * pace / 16)
    }
}
