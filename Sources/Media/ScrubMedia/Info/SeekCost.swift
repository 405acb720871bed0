internal import ScrubFileIO
internal import ScrubDecoding
internal import ScrubIndex

extension VideoAsset {
    /// The cost of decoding exact frames of a video.
    public struct SeekCost: Sendable, Hashable {
        /// The set of frames on which the figures are based.
        public enum Basis: String, Sendable, Hashable {
            /// All frames.
            case all
            /// The frames of selected groups of pictures throughout the video. ``VideoAsset/SeekCost/mean`` is an
            /// estimate, and other frames may cost more than ``VideoAsset/SeekCost/max``.
            case sample
            /// All frames, as if every picture since the keyframe had to be decoded. No picture header was read. If the
            /// container's keyframes are genuine, no frame costs more than this.
            case distance
        }

        /// The set of frames on which the figures are based.
        public let basis: Basis
        /// The average number of coded pictures that must be decoded for one of the counted frames.
        public let mean: Double
        /// The maximum number of coded pictures that must be decoded for one of the counted frames.
        public let max: Int
        /// The frame number of the most expensive counted frame.
        public let worstFrame: Int
        /// The average number of coded pictures that can be skipped between the restart and the frame; 0 if ``basis``
        /// is ``Basis-swift.enum/distance``.
        public let meanSkippedCount: Double
        /// The number of restarts from which counted frames are decoded.
        public let restartCount: Int
        /// The number of counted frames.
        public let frameCount: Int

        init(_ cost: CostSummary) {
            let count = Double(Swift.max(1, cost.frameCount))
            basis =
                switch cost.basis {
                case .all: .all
                case .sample: .sample
                case .distance: .distance
                }
            (mean, meanSkippedCount) = (Double(cost.fed) / count, Double(cost.skipped) / count)
            (max, worstFrame) = (cost.most, cost.worstFrame)
            (restartCount, frameCount) = (cost.restartCount, cost.frameCount)
        }

        /// Human-readable advice on making exact frames cheaper to decode; `nil` if there is none, for example because
        /// they are already cheap.
        public var advice: String? {
            guard mean > 16, frameCount > 0 else { return nil }
            let distance = Double(frameCount) / Double(Swift.max(1, restartCount))
            if meanSkippedCount < 0.05 * mean, basis != .distance {
                return
                    "almost no pictures can be skipped between restarts, which are \(Int(distance.rounded())) frames "
                    + "apart: more restarts, or encoding with hierarchical B pictures, would make frames cheaper "
                    + "to decode"
            }
            if distance > 60 {
                return
                    "restarts are \(Int(distance.rounded())) frames apart: with one every 30 frames, an exact "
                    + "frame would need about \(Int((mean * 30 / distance).rounded(.up))) pictures"
            }
            return nil
        }
    }
}

extension VideoAsset {
    /// Returns the cost of exact frames, over all frames.
    ///
    /// Reads the headers of all pictures once, which takes time in proportion to the length of the video. If pictures
    /// can be skipped, the time also depends on the length of the groups. The result is saved with the index and is
    /// available from then on.
    ///
    /// Works on the calling thread, and stops between two frames if the work on it is cancelled.
    ///
    /// - Parameter progress: receives the counted ``WorkProgress/Unit/frames``.
    /// - Throws: `inputOutput` if reading fails; ``ScrubError/cancelled``.
    package func seekCost(progress: (WorkProgress) -> Void = { _ in }) throws(ScrubError) -> VideoAsset.SeekCost {
        let failures = file.failureCount
        let cost = try countedCost(progress)
        try file.checkReads(since: failures)
        return VideoAsset.SeekCost(cost)
    }

    /// Returns the cost of exact frames, as far as it can be determined quickly. The result covers all frames if that
    /// figure is saved or the video is short; otherwise, it covers a sample.
    /// ``VideoAsset/SeekCost/basis-swift.property`` indicates which.
    ///
    /// Reads the headers of at most about two thousand pictures and saves them with the index.
    ///
    /// - Throws: the errors of ``seekCost(progress:)``.
    package func estimatedSeekCost() throws(ScrubError) -> VideoAsset.SeekCost {
        let failures = file.failureCount
        let cost = try estimatedCost()
        try file.checkReads(since: failures)
        return VideoAsset.SeekCost(cost)
    }

    func countedCost(_ progress: (WorkProgress) -> Void = { _ in }) throws(ScrubError) -> CostSummary {
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

    /// The saved cost, unless more restarts have been examined since.
    private var savedCost: CostSummary? {
        guard let key, let cost = store?.loadCost(key, of: index), cost.proofCount == proofs.all.count else {
            return nil
        }
        return cost
    }

    private func saved(_ cost: CostSummary) -> CostSummary {
        // A failure to write the cache costs only time. The cost is not saved if headers could not be read.
        if let key, file.failureCount == 0 { try? store?.save(cost, key) }
        return cost
    }
}
