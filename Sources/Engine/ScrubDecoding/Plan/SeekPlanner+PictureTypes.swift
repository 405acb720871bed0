internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubIndex

extension SeekPlanner {
    /// Returns the type of a frame's picture by its own header: `I`, `P` or `B`; `nil` if that cannot be read.
    ///
    /// Reads the head of the picture, 16 KiB at most times.
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
