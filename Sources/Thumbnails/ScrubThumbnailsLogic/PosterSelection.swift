package import ScrubBase

/// The best posters of a film that don't look alike.
///
/// The first is the candidate with the highest ``PosterScores/score``, or the one that is given. Each further one is
/// the candidate with the highest 0.6 · score - 0.4 · likeness (maximal marginal relevance: Carbonell and Goldstein,
/// SIGIR 1998). Likeness is the greatest, over the posters already chosen, of
///
///     1/2 · max(0, 1 - distance / 0.25) + 1/2 · max(0, 1 - |time difference| / (span / count))
///
/// Pictures 0.25 apart are as different as pictures get, and `count` posters spread evenly are `span / count` apart.
/// Near duplicates of a chosen one (``PosterSignature/nearDuplicate``) are never taken: rather fewer posters than two
/// of one shot. Blank pictures are never taken unless there is nothing else.
///
/// The result depends on the set of candidates only, not on their order; of equals the one with the lower frame number
/// wins.
///
/// Thread safety: a value.
package struct PosterSelection: Hashable, Sendable {
    /// The posters in the order of choice, the best first; no more than were asked for.
    package let posters: [PosterCandidate]
    /// The reason why the posters differ from the request: fewer, or blank. `nil` when they are.
    package let note: Wording?

    /// Whether the film has blank pictures only and the poster is one of them.
    package var isBlank: Bool { posters.first?.scores.isBlank ?? false }

    /// The posters of a film.
    ///
    /// - Parameters:
    ///   - count: The wanted number; below 1 gives none.
    ///   - candidates: Frames of the film in any order. Of several with one frame number, which are one picture, the
    ///     best stays.
    ///   - span: Seconds over which the posters should spread, usually the film's duration; when it is `nil`, the
    ///     time from the first candidate to the last.
    ///   - first: The frame of the candidate that comes first; `nil` for the one with the highest score.
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
            note = "all \(frames.count) candidates are blank; of frame \(best.frame), the least so, \(reason)"
            return
        }
        let seconds = span?.approximation ?? PosterSelection.extent(pictures)
        posters = PosterSelection.chosen(count, of: pictures, gap: seconds / Double(count), first: first)
        note =
            if posters.count == count {
                nil
            } else if posters.count < pictures.count {
                "\(posters.count) of \(count) posters: the other candidates are blank or look like a chosen one"
            } else {
                "\(posters.count) of \(count) posters: there are no more candidates that are not blank (\(term: .candidateCount))"
            }
    }

    /// By frame number, each once.
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
        let times = candidates.map(\.time.approximation)
        return (times.max() ?? 0) - (times.min() ?? 0)
    }

    private static func chosen(
        _ count: Int, of pictures: [PosterCandidate], gap: Double, first: Int?
    ) -> [PosterCandidate] {
        // Each with its greatest likeness to the chosen ones so far, which only grows.
        var rest = pictures.map { (candidate: $0, likeness: 0.0) }
        var chosen: [PosterCandidate] = []
        while chosen.count < count, !rest.isEmpty {
            var (best, bestValue) = (0, -Double.infinity)
            for (i, entry) in rest.enumerated() {
                let value = 0.6 * entry.candidate.scores.score - 0.4 * entry.likeness
                // Strictly above: the earliest frame of equals stays.
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
                let apart = abs(entry.candidate.time.approximation - winner.time.approximation)
                let closeness = gap > 0 ? max(0, 1 - apart / gap) : 0
                let likeness = (max(0, 1 - distance / 0.25) + closeness) / 2
                return (entry.candidate, max(entry.likeness, likeness))
            }
        }
        return chosen
    }
}
