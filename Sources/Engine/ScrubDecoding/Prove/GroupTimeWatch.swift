internal import ScrubBitstream
internal import ScrubLibAV
internal import ScrubIndex

/// Finds places in MPEG-4 Part 2 behind which planes have other times than in a linear decode.
///
/// A plane tells its second relative to the last group header or plane (ISO/IEC 14496-2 6.3.5, `modulo_time_base`), and
/// B planes scale motion vectors by the distances of such times. A decoder that begins at a plane without a group
/// header counts from 0. That makes no difference until a later header sets the second: then the distance to the plane
/// before it is another one.
///
/// Cost: a look at the codes before each packet's plane, of runs from such restarts alone.
struct GroupTimeWatch {
    private let restart: Int
    /// Whether the restart has told its second.
    private var isTold = false
    private var isBroken = false

    /// - Parameter start: the beginning of a run.
    /// - Returns: `nil` if nothing is missing.
    init?(_ index: FrameIndex, restart: Int, start: DecodePlan.Start) {
        guard index.facts.codec == .mpeg4, restart > 0, case .restart = start else { return nil }
        self.restart = restart
    }

    /// Takes the next packet that the decoder is given.
    ///
    /// - Returns: the fault of its picture; `nil` if it has none.
    mutating func complaint(about number: Int, _ packet: borrowing Packet) -> String? {
        if isTold { return nil }
        if MPEG4GroupHeader.isBeforePlane(in: packet.bytes) {
            if number == restart { isTold = true } else { isBroken = true }
        }
        return isBroken ? "a group header sets the time that pictures of the run count from" : nil
    }
}
