internal import ScrubLibAV
internal import ScrubIndex

extension VideoAsset {
    /// Whether the video's pictures have transparency, either in their pixel format or stored separately in the file.
    /// `false` if the transparency can be detected only by decoding.
    public var hasAlpha: Bool {
        let facts = index.facts
        return facts.alpha != .none
            || facts.descriptions.contains { PixelFormat(rawValue: $0.pixelFormat).hasAlpha }
    }

    /// Parts of the file that the pictures omit, one sentence each: other videos, if none was chosen, and transparency
    /// that no available decoder supports.
    package var omissions: [Wording] { [otherVideos, lostAlpha.map { Wording($0) }].compactMap { $0 } }

    private var otherVideos: Wording? {
        let others = index.facts.chosenOver.map(String.init)
        guard let last = others.last else { return nil }
        let list =
            others.count == 1 ? "stream \(last)" : "streams \(others.dropLast().joined(separator: ", ")) and \(last)"
        return """
            stream \(index.facts.streamIndex) is used; the file also has video in \(list) \
            (\(term: .stream) selects a stream)
            """
    }

    /// A message that pictures have transparency that no available decoder supports.
    package var lostAlpha: String? {
        let alpha = index.facts.alpha
        guard alpha != .none, !alpha.isReadable else { return nil }
        return "its transparency cannot be decoded, so pictures are opaque"
    }
}
