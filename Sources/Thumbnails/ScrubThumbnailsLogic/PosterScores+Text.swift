internal import ScrubBase

extension PosterScores {
    /// The scores as a JSON object on one line: every ``PosterScores/Criterion`` in the order of its cases, then
    /// `score`, all as numbers with four decimals. The text is the same on every machine for the same scores.
    package var json: String {
        let members = PosterScores.Criterion.allCases.map { "\"\($0.rawValue)\":\(PosterScores.decimal(self[$0]))" }
        return "{" + (members + ["\"score\":\(PosterScores.decimal(score))"]).joined(separator: ",") + "}"
    }

    /// A line for people with the gain or loss of each criterion, the greatest first, such as `0.5312: sharpness
    /// +0.2100, exposure +0.1600, ... fade x0.9200`.
    ///
    /// Merits are terms of the sum, penalties the factors of the product. Criteria that changed nothing are omitted. A
    /// blank picture's line is its reason.
    package var explanation: String {
        if let blank { return "\(PosterScores.decimal(score)): \(blank.reason)" }
        let parts = PosterScores.Criterion.allCases.map { (criterion: $0, part: $0.weight * self[$0]) }
            .filter { $0.part >= 0.00005 }
        // Sorting is stable: equal parts stay in the order of the criteria.
        let merits = parts.filter { !$0.criterion.isPenalty }.sorted { $0.part > $1.part }
        let penalties = parts.filter { $0.criterion.isPenalty }.sorted { $0.part > $1.part }
        let texts =
            merits.map { "\($0.criterion.rawValue) +\(PosterScores.decimal($0.part))" }
            + penalties.map { "\($0.criterion.rawValue) x\(PosterScores.decimal(1 - $0.part))" }
        return "\(PosterScores.decimal(score)): " + texts.joined(separator: ", ")
    }

    /// Returns a number in 0...1 with four decimals, rounded to nearest.
    private static func decimal(_ value: Double) -> String {
        let steps = Int((PictureMeasures.unit(value) * 10_000).rounded())
        return "\(steps / 10_000)." + PlainText.padded(steps % 10_000, to: 4)
    }
}
