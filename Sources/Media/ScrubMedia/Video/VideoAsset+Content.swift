internal import ScrubLibAV
internal import ScrubIndex

extension VideoAsset {
    /// Whether its pictures have transparency: of their own, or beside them in the file. `false` where only decoding
    /// tells.
    public var hasAlpha: Bool {
        let facts = index.facts
        return facts.alpha != .none
            || facts.descriptions.contains { PixelFormat(rawValue: $0.pixelFormat).hasAlpha }
    }

    /// The parts of the file that the pictures leave out, a sentence each. These are other videos, if none was chosen,
    /// and transparency that no decoder here makes.
    package var omissions: [Wording] { [otherVideos, lostAlpha.map { Wording($0) }].compactMap { $0 } }

    private var otherVideos: Wording? {
        let others = index.facts.chosenOver.map(String.init)
        guard let last = others.last else { return nil }
        let list =
            others.count == 1 ? "stream \(last)" : "streams \(others.dropLast().joined(separator: ", ")) and \(last)"
        return
            "stream \(index.facts.streamIndex) is taken; there is other video in \(list) (\(term: .stream) chooses)"
    }

    /// The message that pictures have transparency which no decoder here makes.
    package var lostAlpha: String? {
        let alpha = index.facts.alpha
        guard alpha != .none, !alpha.isReadable else { return nil }
        return "its transparency cannot be decoded here: pictures are opaque"
    }
}
