internal import ScrubDecoding

extension FrameReader {
    /// Decodes several frames as ``frames(numbered:deliver:)``, and makes something of each on the thread that decoded
    /// it, so that this too is done side by side.
    ///
    /// - Parameters:
    ///   - map: makes something of an answer.
    ///   - deliver: takes the results, as they come.
    /// - Precondition: all frames exist.
    package mutating func frames<Result: Sendable>(
        numbered numbers: [Int], map: @escaping @Sendable (FrameAnswer) throws(ScrubError) -> Result,
        deliver: (Int, Result) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        for number in numbers { asset.frames.require(number) }
        let asset = asset
        try engine.frames(
            numbers, map: { (number, answer) throws(ScrubError) in try map(FrameAnswer(number, answer, asset)) },
            deliver: deliver)
    }

    /// Decodes all frames of a range, each group of pictures once, and hands them out in order.
    ///
    /// Memory: the results of frames that are decoded before their turn, and the plans of one group; never more for a
    /// longer range. The results are some hundred for each processor if groups are decoded side by side, a few
    /// otherwise.
    ///
    /// - Parameters:
    ///   - isSideBySide: whether groups are decoded side by side: for results that are small once they are mapped.
    ///   - map: makes something of an answer, on the thread that decoded it.
    ///   - deliver: takes the results, in the order of the frames.
    /// - Precondition: all frames exist.
    package mutating func series<Result: Sendable>(
        _ range: ClosedRange<Int>, isSideBySide: Bool,
        map: @escaping @Sendable (FrameAnswer) throws(ScrubError) -> Result,
        deliver: (Result) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        precondition(
            range.lowerBound >= 0 && range.upperBound < asset.frames.count,
            "there are no frames \(range): name a range within frames.indices, 0..<\(asset.frames.count)")
        // A group that is cut would be begun twice.
        let leastCount = isSideBySide ? 256 * Processors.count : 1
        var next = range.lowerBound
        while next <= range.upperBound {
            var end = next
            var restart = engine.planner.plan(forFrame: end).restart
            while end < range.upperBound {
                let following = engine.planner.plan(forFrame: end + 1).restart
                if following != restart, end - next + 1 >= leastCount { break }
                (end, restart) = (end + 1, following)
            }
            var early: [Int: Result] = [:]
            try frames(numbered: Array(next...end), map: map) { (number, made) throws(ScrubError) in
                early[number] = made
                while let made = early.removeValue(forKey: next) {
                    next += 1
                    try deliver(made)
                }
            }
        }
    }
}
