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
        /// Whether the movement is likely to go on, and so is worth preparing for. Two jumps now and then end near each
        /// other by chance; small steps or three the same way don't.
        var isSteady: Bool { motion != .jump && (step <= AccessPattern.smallStep || length >= 3) }
        /// Whether the same group was asked for recently.
        var isRevisit: Bool

        /// Before any request.
        static let first = Hint(motion: .jump, length: 0, step: 0, isRevisit: false)
    }

    /// Frames that a finger moves between two events at most: a step further is a jump.
    private static let reach = 64
    /// Frames between two events of a slow finger.
    private static let smallStep = 16
    /// Groups that are remembered.
    private static let memory = 8

    private var last: (frame: Int, restart: Int)?
    private var recent: [Int] = []
    private var hint = Hint.first

    /// Notes a request.
    mutating func note(frame: Int, restart: Int) -> Hint {
        var motion = Hint.Motion.jump
        if let last, last.frame != frame, abs(frame - last.frame) <= AccessPattern.reach {
            motion = frame > last.frame ? .forward : .backward
        }
        hint = Hint(
            motion: motion, length: motion == hint.motion ? hint.length + 1 : 1,
            step: last.map { abs(frame - $0.frame) } ?? 0, isRevisit: recent.contains(restart))
        last = (frame, restart)
        recent.removeAll { $0 == restart }
        recent.append(restart)
        if recent.count > AccessPattern.memory { recent.removeFirst() }
        return hint
    }
}
