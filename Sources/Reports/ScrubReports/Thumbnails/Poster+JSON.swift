package import ScrubBase
package import ScrubMedia
package import ScrubThumbnails

extension Poster {
    /// Returns the poster's facts, for programs.
    ///
    /// - Parameter files: the posters' files, by their frames' numbers.
    package func json(_ files: [Int: String]) -> JSONText {
        var line = JSONText()
        line.add("frame", frame.number)
        line.add("seconds", decimal: frame.secondsText)
        line.add("score", scores.score)
        var criteria = JSONText()
        for criterion in PosterScores.Criterion.allCases { criteria.add(criterion.rawValue, scores[criterion]) }
        line.add("scores", .object(criteria))
        line.add("blurHash", blurHash)
        line.add("thumbHash", thumbHashText)
        if let reason = scores.blank?.reason { line.add("blank", reason) }
        if let damage { line.add("damaged", damage.text(for: .command)) }
        if let file = files[frame.number] { line.add("file", file) }
        return line
    }
}

extension Poster.Report {
    /// Returns the report for programs.
    ///
    /// - Parameters:
    ///   - files: the posters' files, by their frames' numbers.
    ///   - covers: the film's own covers; `nil` omits the members that only an explanation has.
    package func json(
        _ files: [Int: String], covers: [CoverArt]?, of asset: VideoAsset, film: String, face: Face
    ) -> JSONText {
        var line = JSONText()
        line.add("file", film)
        line.add(missing: asset.missingMedia)
        line.add("posters", .array(posters.map { .object($0.json(files)) }))
        if let covers {
            line.add("candidates", .array(candidates.map { .object($0.json([:])) }))
            line.add("coverArt", .array(covers.map { .object($0.json) }))
        }
        if let note { line.add("note", note.text(for: face)) }
        return line
    }
}
