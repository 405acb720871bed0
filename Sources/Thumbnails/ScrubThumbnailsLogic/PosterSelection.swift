package import ScrubBase

/// The best posters of a video, none of which look alike.
///
/// The first is the candidate with the highest ``PosterScores/score``, or a given one. Each further one is the
/// candidate with the highest 0.6 · score - 0.4 · likeness (maximal marginal relevance: Carbonell and Goldstein, SIGIR
/// 1998). Likeness is the maximum, over the posters already chosen, of
///
///     1/2 · max(0, 1 - distance / 0.25) + 1/2 · max(0, 1 - |time difference| / (span / count))
///
/// A distance of 0.25 is the practical maximum between pictures, and `count` evenly spread posters are `span / count`
/// apart. Near duplicates of a chosen poster (``PosterSignature/nearDuplicate``) are never selected: it returns fewer
/// posters rather than two of the same shot. Blank pictures are selected only if there are no others.
///
/// The result depends only on the set of candidates, not on their order; of equal ones, the one with the lower frame
/// number wins.
///
/// Thread safety: a value type.
package struct PosterSelection: Hashable, Sendable {
    /// The posters in order of choice, the best first; at most the requested number.
    package let posters: [PosterCandidate]
    /// The reason why the posters differ from the request, because there are fewer or they are blank; `nil` if they do
    /// not.
    package let note: Wording?

    /// Whether the video has only blank pictures, so that the poster is blank.
    package var isBlank: Bool { posters.first?.scores.isBlank ?? false }

    /// Selects the posters of a video.
    ///
    /// - Parameters:
    ///   - count: the requested number; below 1 gives none.
    ///   - candidates: frames of the video in any order. If several have the same frame number, the best one is used.
    ///   - span: the seconds over which the posters should spread, usually the video's duration; `nil` for the time
    ///     from the first candidate to the last.
    ///   - first: the frame of the candidate that comes first; `nil` for the one with the highest score.
    package init(_ count: Int, of candidates: [PosterCandidate], span: Rational? = nil, first: Int? = nil) {
        let frames = PosterSelection.ordered(candidates)
        let pictures = frames.filter { !$0.scores.isBlank }
        guard count > 0, !frames.isEmpty else {
            (posters, note) = ([], count > 0 ? "there are no candidates" : nil)
            return
        }
        guard !pictures.isEmpty else {
            let best = frames.reduce(frames[0]) { $0.scores.weighted >= $1.scores.weighted ? $0 : $1 }
            posters = [best]
            let reason = best.scores.blank?.reason ?? ""
            note = "all \(frames.count) candidates are blank; in the best one, frame \(best.frame), \(reason)"
            return
        }
        let seconds = span?.doubleValue ?? PosterSelection.extent(pictures)
        posters = PosterSelection.chosen(count, of: pictures, gap: seconds / Double(count), first: first)
        note =
            if posters.count == count {
                nil
            } else if posters.count < pictures.count {
                "\(posters.count) of \(count) posters: the other candidates are blank or look like a chosen poster"
            } else {
                "\(posters.count) of \(count) posters: all other candidates are blank (\(term: .candidateCount))"
            }
    }

    /// Returns the candidates by frame number, each once.
    private static func ordered(_ candidates: [PosterCandidate]) -> [PosterCandidate] {
        let sorted = candidates.sorted { a, b in
            if a.frame != b.frame { return a.frame < b.frame }
            if a.scores.score != b.scores.score { return a.scores.score > b.scores.score }
            if a.time != b.time { return a.time < b.time }
            return a.signature.cells.lexicographicallyPrecedes(b.signature.cells)
        }
        var frames: [PosterCandidate] = []
        for candidate in sorted where candidate.frame != frames.last?.frame { frames.append(candidate) }
        return frames
    }

    private static func extent(_ candidates: [PosterCandidate]) -> Double {
        let times = candidates.map(\.time.doubleValue)
        return (times.max() ?? 0) - (times.min() ?? 0)
    }

    private static func chosen(
        _ count: Int, of pictures: [PosterCandidate], gap: Double, first: Int?
    ) -> [PosterCandidate] {
        // Each with its maximum likeness to the chosen ones so far, which only increases.
        var rest = pictures.map { (candidate: $0, likeness: 0.0) }
        var chosen: [PosterCandidate] = []
        while chosen.count < count, !rest.isEmpty {
            var (best, bestValue) = (0, -Double.infinity)
            for (i, entry) in rest.enumerated() {
                let value = 0.6 * entry.candidate.scores.score - 0.4 * entry.likeness
                // Strictly above: of equal ones, the earliest frame stays.
                if value > bestValue { (best, bestValue) = (i, value) }
            }
            if chosen.isEmpty, let first, let place = rest.firstIndex(where: { $0.candidate.frame == first }) {
                best = place
            }
            let winner = rest.remove(at: best).candidate
            chosen.append(winner)
            rest = rest.compactMap { entry in
                let distance = entry.candidate.signature.distance(to: winner.signature)
                guard distance >= PosterSignature.nearDuplicate else { return nil }
                let apart = abs(entry.candidate.time.doubleValue - winner.time.doubleValue)
                let closeness = gap > 0 ? max(0, 1 - apart / gap) : 0
                let likeness = (max(0, 1 - distance / 0.25) + closeness) / 2
                return (entry.candidate, max(entry.likeness, likeness))
            }
        }
        return chosen
    }
}
