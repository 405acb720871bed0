internal import ScrubBitstream
internal import ScrubLibAV
internal import ScrubIndex

/// A detector of places in MPEG-4 Part 2 after which planes have different times from those in a linear decode.
///
/// A plane gives its second relative to the last group header or plane (ISO/IEC 14496-2 6.3.5, `modulo_time_base`), and
/// B planes scale motion vectors by the differences between these times. A decoder that begins at a plane without a
/// group header counts from 0. This makes no difference until a later header sets the second, which changes the
/// distance to the plane before it.
///
/// Cost: reading the codes before each packet's plane, only for runs from such restarts.
struct GroupTimeDetector {
    private let restart: Int
    /// Whether the restart has given its second.
    private var isTold = false
    private var isBroken = false

    /// Creates a detector.
    ///
    /// - Parameter start: the start of a run.
    /// - Returns: `nil` if no pictures are missing.
    init?(_ index: FrameIndex, restart: Int, start: DecodePlan.Start) {
        guard index.facts.codec == .mpeg4, restart > 0, case .restart = start else { return nil }
        self.restart = restart
    }

    /// Examines the next packet given to the decoder.
    ///
    /// - Returns: the picture's fault; `nil` if it has none.
    mutating func complaint(about number: Int, _ packet: borrowing Packet) -> String? {
        if isTold { return nil }
        if MPEG4GroupHeader.isBeforePlane(in: packet.bytes) {
            if number == restart { isTold = true } else { isBroken = true }
        }
        return isBroken ? "a group header changes the base time of the pictures that follow it" : nil
    }
}
