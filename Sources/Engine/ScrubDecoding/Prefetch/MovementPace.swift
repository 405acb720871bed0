/// The distance that a movement covers while the decoder does some work. Pure.
///
/// It is measured in frames and in the cost of packets rather than in time, because only the ratio of the two speeds
/// matters and tests do not need a clock. Only periods without idle time count. A finger jitters, so only its progress
/// counts.
struct MovementPace {
    /// Sums over the last requests, with signed frames. Older requests have decreasing weight.
    private var (frames, work) = (0.0, 0.0)
    /// The work since the last request.
    private var done = 0
    private var requests = 0
    private var wasIdle = true

    mutating func work(_ cost: Int) { done += cost }

    mutating func rest() { wasIdle = true }

    /// Records a movement.
    ///
    /// - Parameter step: the number of frames, negative if it goes backward.
    mutating func move(by step: Int) {
        defer { (done, wasIdle) = (0, false) }
        requests += 1
        guard !wasIdle, requests > MovementPace.beginning else { return }
        frames = frames * MovementPace.memory + Double(step)
        work = work * MovementPace.memory + Double(done)
    }

    /// Returns the number of frames by which the movement goes backward during some work; 0 if unknown or forward.
    func retreat(during cost: Int) -> Int {
        guard work > 0, frames < 0 else { return 0 }
        return Int(min(-frames / work * Double(cost), MovementPace.reach))
    }

    /// The number of initial requests to ignore, because a decoder takes time to start.
    private static let beginning = 4
    /// The weight of a request relative to the one after it.
    private static let memory = 0.9
    /// The maximum number of frames for which a movement is predicted.
    private static let reach = 256.0
}
