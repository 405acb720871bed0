internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubIndex

/// The evidence against a packet's picture before decoding: from the index, and from headers that an index made from
/// tables does not contain.
struct PacketValidator {
    private let index: FrameIndex
    private let leastByteCount: Int
    /// Detects packets that produce several pictures; `nil` if there cannot be any.
    private var sharing: SharedPackets?
    /// Detects sequences that begin or end unknown to an index made from tables; `nil` if there cannot be any.
    private var sequences: SequenceChangeDetector?
    /// Detects reasons why a run depends on pictures before its restart; `nil` if there cannot be any.
    private var numbers: FrameNumberJumpDetector?
    /// Detects group headers that reset the time; `nil` if there cannot be any.
    private var times: GroupTimeDetector?
    /// Detects silently skipped rows; `nil` for most codecs.
    private let filters: RowFilterDetector?

    init(_ index: FrameIndex, description: Int) {
        self.index = index
        leastByteCount = index.facts.descriptions[description].leastPacketByteCount
        sharing = SharedPackets(index.facts, description: description)
        sequences = SequenceChangeDetector(index)
        filters = RowFilterDetector(index.facts.descriptions[description])
    }

    /// Sets which packet is next.
    mutating func begin(at restart: Int, start: DecodePlan.Start) {
        sequences?.begin(at: restart)
        numbers = FrameNumberJumpDetector(index, restart: restart, start: start)
        times = GroupTimeDetector(index, restart: restart, start: start)
    }

    /// Records that the next packet is a self-contained restart.
    mutating func pass() { (numbers, times) = (nil, nil) }

    /// Whether packets that are not decoded must also be passed to ``skip(_:_:)``.
    var isOfSkippedPackets: Bool { numbers != nil }

    /// Handles a packet that is not decoded because its picture is shown before the restart.
    mutating func skip(_ number: Int, _ packet: borrowing Packet) {
        _ = numbers?.complaint(about: number, packet)
    }

    /// Examines the next packet given to a decoder.
    ///
    /// - Returns: the packet's fault; `nil` if it has none.
    mutating func complaint(about number: Int, _ packet: borrowing Packet) -> String? {
        let flags = index.pictures.flags[number]
        // A scan has examined every packet.
        if !flags.contains(.verified) {
            sharing?.announce(index.pictures.description(of: number), of: index.facts)
            if sharing?.isShared(packet) ?? false {
                return "its packet shows several pictures, but only one is counted"
            }
        }
        let sequenceWords = sequences?.complaint(about: packet)
        let numberWords = numbers?.complaint(about: number, packet)
        let timeWords = times?.complaint(about: number, packet)
        if packet.count < leastByteCount {
            return "it has only \(packet.count) bytes, but needs at least \(leastByteCount)"
        }
        if flags.contains(.corrupt) { return "the container marks some of its bytes as missing or damaged" }
        if flags.contains(.misplaced) {
            return "its frame number is uncertain: earlier pictures are missing or out of place"
        }
        return sequenceWords ?? numberWords ?? timeWords ?? filters?.complaint(about: packet)
    }
}
