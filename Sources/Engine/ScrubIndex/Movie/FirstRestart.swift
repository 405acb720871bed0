internal import ScrubBitstream
internal import ScrubFileIO

extension CodedPictures {
    /// More pictures before the first sync sample are not inspected one by one.
    private static let mostBeforeRestart = 300

    /// Calls the picture a keyframe with which a stream can begin, where a movie's tables don't. Their sync samples
    /// leave out the first one, or their fragments flag none. Decoders use the pictures' own headers, and show
    /// everything from there on.
    ///
    /// A sound film's first sample is one of its sync samples, and nothing is read.
    ///
    /// - Returns: false where so many pictures precede the first sync sample that the file is better read as a whole.
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
