internal import ScrubFileIO
internal import ScrubDecoding
internal import ScrubIndex

extension VideoAsset {
    /// The cost of exact answers in a video.
    public struct SeekCost: Sendable, Hashable {
        /// The frames over which the figures were counted.
        public enum Basis: String, Sendable, Hashable {
            /// All frames.
            case all
            /// The frames of some groups of pictures all over the video: ``VideoAsset/SeekCost/mean`` is an estimate,
            /// and other frames may cost more than ``VideoAsset/SeekCost/max``.
            case sample
            /// All frames, as if every picture since their keyframe had to be decoded: no picture's header was read. As
            /// far as the container's keyframes are real, no frame costs more.
            case distance
        }

        /// The frames over which the figures were counted.
        public let basis: Basis
        /// Coded pictures to decode for a frame, on average over the frames counted.
        public let mean: Double
        /// The most for any frame counted.
        public let max: Int
        /// The frame that needs the most.
        public let worstFrame: Int
        /// Coded pictures between the restart and the frame that are left out, on average; 0 where ``basis`` is
        /// ``Basis-swift.enum/distance``.
        public let meanSpared: Double
        /// Restarts that any frame counted is decoded from.
        public let restartCount: Int
        /// Frames that were counted.
        public let frameCount: Int

        init(_ cost: CostSummary) {
            let count = Double(Swift.max(1, cost.frameCount))
            basis =
                switch cost.basis {
                case .all: .all
                case .sample: .sample
                case .distance: .distance
                }
            (mean, meanSpared) = (Double(cost.fed) / count, Double(cost.skipped) / count)
            (max, worstFrame) = (cost.most, cost.worstFrame)
            (restartCount, frameCount) = (cost.restartCount, cost.frameCount)
        }

        /// A way to make exact frames cheaper, for people; `nil` if they are cheap.
        public var advice: String? {
            guard mean > 16, frameCount > 0 else { return nil }
            let distance = Double(frameCount) / Double(Swift.max(1, restartCount))
            if meanSpared < 0.05 * mean, basis != .distance {
                return "nothing can be left out between restarts, which are \(Int(distance.rounded())) frames apart: "
                    + "more of them, or an encoding with hierarchical B pictures, would make frames cheaper"
            }
            if distance > 60 {
                return
                    "restarts are \(Int(distance.rounded())) frames apart: encoded with one every 30 frames, an exact "
                    + "frame would take about \(Int((mean * 30 / distance).rounded(.up))) pictures"
            }
            return nil
        }
    }
}

extension VideoAsset {
    /// Returns the cost of exact answers, over all frames.
    ///
    /// Reads the headers of all pictures once, which takes time in proportion to the video. If pictures can be left
    /// out, it also takes time in proportion to the length of its groups. The sum is saved with the index, and known
    /// from then on.
    ///
    /// Ends with its task, between two frames.
    ///
    /// - Parameter progress: told how far it is, from 0 to 1, on the thread that counts.
    /// - Throws: ``ScrubError`` with `inputOutput` when reading fails; `CancellationError` when the task was cancelled.
    public func seekCost(progress: (@Sendable (Double) -> Void)? = nil) async throws -> VideoAsset.SeekCost {
        try await BlockingWork.run(.long) { try self.seekCost(progress: progress) }
    }

    /// As ``seekCost(progress:)``, on the calling thread.
    package func seekCost(progress: ((Double) -> Void)? = nil) throws(ScrubError) -> VideoAsset.SeekCost {
        let failures = file.failureCount
        let cost = try countedCost(progress)
        try file.checkReads(since: failures)
        return VideoAsset.SeekCost(cost)
    }

    /// Returns the cost of exact answers, as far as it can be told at once. It is over all frames if that is known from
    /// before or the video is short, else over a sample. ``VideoAsset/SeekCost/basis-swift.property`` says which.
    ///
    /// Reads the headers of at most some two thousand pictures; they are saved with the index.
    ///
    /// - Throws: as ``seekCost(progress:)``.
    public func estimatedSeekCost() async throws -> VideoAsset.SeekCost {
        try await BlockingWork.run(.brief) { try self.estimatedSeekCost() }
    }

    /// As the asynchronous one, on the calling thread.
    package func estimatedSeekCost() throws(ScrubError) -> VideoAsset.SeekCost {
        let failures = file.failureCount
        let cost = try estimatedCost()
        try file.checkReads(since: failures)
        return VideoAsset.SeekCost(cost)
    }

    func countedCost(_ progress: ((Double) -> Void)? = nil) throws(ScrubError) -> CostSummary {
        if let known = savedCost, known.basis == .all { return known }
        recallDependencies()
        return saved(try CostSurvey(seekPlanner()).all(progress: progress))
    }

    func estimatedCost() throws(ScrubError) -> CostSummary {
        if let known = savedCost { return known }
        let survey = CostSurvey(seekPlanner())
        if survey.isDirect || index.pictures.count <= CostSurvey.fewPictures { return saved(try survey.all()) }
        return saved(survey.sample() ?? survey.distances())
    }

    /// The saved cost, unless more is known of restarts since.
    private var savedCost: CostSummary? {
        guard let key, let cost = store?.loadCost(key, of: index), cost.proofCount == proofs.all.count else {
            return nil
        }
        return cost
    }

    private func saved(_ cost: CostSummary) -> CostSummary {
        // A cache that can't be written costs time and nothing else. Of headers that could not be read nothing is
        // known.
        if let key, file.failureCount == 0 { try? store?.save(cost, key) }
        return cost
    }
}
