internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubIndex

extension SeekPlanner {
    /// Returns the type of a frame's picture according to its header: `I`, `P` or `B`; `nil` if it cannot be read.
    ///
    /// This reads the start of the picture, usually at most 16 KiB.
    ///
    /// - Precondition: the frame exists.
    package func pictureType(ofFrame frame: Int) -> Character? {
        guard index.facts.route == .direct, index.facts.codec != .other else { return nil }
        switch reader.examineHead(of: Int(index.frames[frame]))?.pictureType {
        case .i: return "I"
        case .p: return "P"
        case .b: return "B"
        case .unknown, nil: return nil
        }
    }
}
