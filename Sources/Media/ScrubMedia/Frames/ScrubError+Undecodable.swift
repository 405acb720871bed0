package import ScrubBase

extension ScrubError {
    /// A frame that has no picture, with the reason of its verdict.
    package static func undecodable(
        _ verdict: Verdict, file: String? = nil, place: ScrubError.Place? = nil
    ) -> ScrubError {
        let reason = verdict.wording ?? Wording(verdict.name)
        return ScrubError(.badData, "the frame cannot be decoded: \(reason)" as Wording, file: file, place: place)
    }
}
