/// The way frames are being asked for: jumping about, moving forward, moving back. Pure.
///
/// The next request is guessed from the last ones. A step after a step the same way is a gesture. A return to a group
/// of pictures that was just visited makes its decoder worth keeping.
package struct AccessPattern: Sendable {
    /// The interpretation of a request in the light of those before it.
    package struct Hint: Sendable, Equatable {
        package enum Motion: Sendable, Equatable { case jump, forward, backward }
        var motion: Motion
        /// Requests in a row with this motion, this one included.
        var length: Int
        /// Frames between this request and the one before it.
        var step: Int
        /// Whether this request goes against the motion, as a finger does that jitters on its way.
        var isAgainst = false
        /// Whether the movement is likely to go on, and so is worth preparing for. Two jumps now and then end near each
        /// other by chance; small steps or three the same way don't.
        var isSteady: Bool { motion != .jump && (step <= AccessPattern.smallStep || isLasting) }
        /// Whether the motion is a movement, and not the jitter of a finger.
        var isLasting: Bool { length >= AccessPattern.lastingLength }
        /// Whether the same group was asked for recently.
        var isRevisit: Bool
        /// Whether requests jump about: two in a row were no small steps, and since then there was no second small step
        /// the same way.
        var isScattered = true

        static let first = Hint(motion: .jump, length: 0, step: 0, isRevisit: false)
    }

    /// Frames that a finger moves between two events at most: a step further is a jump.
    private static let reach = 64
    /// Frames between two events of a slow finger.
    private static let smallStep = 16
    /// Groups that are remembered.
    private static let memory = 8
    /// Frames that any finger jitters against its way.
    private static let leastJitter = 4
    /// Requests of one motion that make a movement.
    private static let lastingLength = 3

    /// Whether small steps against a movement are a finger's jitter, and not a turn.
    private let toleratesJitter: Bool
    private var last: (frame: Int, restart: Int)?
    /// The farthest frame of the present motion.
    private var front = 0
    /// The mean step, in sixteenths of a frame.
    private var pace = 0
    private var recent: [Int] = []
    /// Requests in a row that were no small steps.
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

    /// Whether a step against the present motion is a finger's jitter: not far behind the farthest frame.
    private func isJitter(_ frame: Int, _ motion: Hint.Motion) -> Bool {
        guard toleratesJitter, motion != .jump, hint.motion != .jump, motion != hint.motion, hint.isLasting else {
            return false
        }
        return abs(frame - front) <= max(AccessPattern.leastJitter, 2 * pace / 16)
    }
}
