internal import ScrubDecoding

extension FrameReader {
    /// Decodes several frames like ``frames(numbered:deliver:)``, and maps each one on the thread that decoded it, so
    /// that the mapping also runs in parallel.
    ///
    /// - Parameters:
    ///   - map: maps an answer to a result.
    ///   - deliver: receives the results as they arrive.
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

    /// Decodes all frames of a range, each group of pictures once, and delivers them in order.
    ///
    /// Memory: the results of frames that are decoded before their turn and the plans of one group, regardless of the
    /// length of the range. There are about a hundred results per processor if groups are decoded in parallel, and
    /// otherwise a few.
    ///
    /// - Parameters:
    ///   - isSideBySide: whether to decode groups in parallel, for results that are small once they are mapped.
    ///   - map: maps an answer to a result, on the thread that decoded it.
    ///   - deliver: receives the results, in frame order.
    /// - Precondition: all frames exist.
    package mutating func series<Result: Sendable>(
        _ range: ClosedRange<Int>, isSideBySide: Bool,
        map: @escaping @Sendable (FrameAnswer) throws(ScrubError) -> Result,
        deliver: (Result) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        precondition(
            range.lowerBound >= 0 && range.upperBound < asset.frames.count,
            "there are no frames \(range): use a range within frames.indices, 0..<\(asset.frames.count)")
        // A split group would be decoded from its start twice.
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
