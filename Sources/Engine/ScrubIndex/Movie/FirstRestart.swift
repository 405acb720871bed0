internal import ScrubBitstream
internal import ScrubFileIO

extension CodedPictures {
    /// The maximum number of pictures before the first sync sample that are inspected one by one.
    private static let mostBeforeRestart = 300

    /// Marks the picture with which a stream can begin as a keyframe, if a movie's tables do not: their sync samples
    /// omit the first one, or their fragments flag none. Decoders use the pictures' own headers, and show everything
    /// from there on.
    ///
    /// In a valid movie, the first sample is one of the sync samples, and nothing is read.
    ///
    /// - Returns: false if so many pictures precede the first sync sample that the whole file should be read.
    mutating func claimFirstRestart(_ facts: StreamFacts, _ file: MediaSource) -> Bool {
        for picture in flags.indices {
            if flags[picture].contains(.key) { return true }
            guard flags[picture].isDisjoint(with: [.missing, .hidden]) else { continue }
            guard picture < CodedPictures.mostBeforeRestart else { return false }
            switch TableOrdering.look(at: picture, self, facts, file)?.randomAccess ?? RandomAccess.none {
            case .instantaneous, .open, .gradual:
                flags[picture].insert(.key)
                return true
            case .none, .inexact: break
            }
        }
        return true
    }
}
