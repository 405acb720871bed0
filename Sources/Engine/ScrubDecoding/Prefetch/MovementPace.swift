/// The distance that a movement covers while the decoder does some work. Pure.
///
/// Counted in frames and in the cost of packets, not in time: only the relation of both speeds matters, and tests need
/// no clock. Only stretches count in which there was always something to decode. A finger jitters: only its progress
/// counts.
struct MovementPace {
    /// Sums over the last requests, the frames with their sign; older ones count less and less.
    private var (frames, work) = (0.0, 0.0)
    /// Work since the last request.
    private var done = 0
    private var requests = 0
    private var wasIdle = true

    mutating func work(_ cost: Int) { done += cost }

    mutating func rest() { wasIdle = true }

    /// - Parameter step: frames, negative if it goes back.
    mutating func move(by step: Int) {
        defer { (done, wasIdle) = (0, false) }
        requests += 1
        guard !wasIdle, requests > MovementPace.beginning else { return }
        frames = frames * MovementPace.memory + Double(step)
        work = work * MovementPace.memory + Double(done)
    }

    /// Returns frames that the movement goes back while some work is done; 0 as long as nothing is known, or where it
    /// goes forward.
    func retreat(during cost: Int) -> Int {
        guard work > 0, frames < 0 else { return 0 }
        return Int(min(-frames / work * Double(cost), MovementPace.reach))
    }

    /// Requests that say nothing: a decoder takes its time to begin.
    private static let beginning = 4
    /// The weight of a request beside the one after it.
    private static let memory = 0.9
    /// Frames that a movement is foreseen for at most.
    private static let reach = 256.0
}
