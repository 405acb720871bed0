internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubIndex

/// The evidence against a packet's picture before the packet is decoded: from the index, and from its headers, which an
/// index made of tables does not know.
struct PacketWatch {
    private let index: FrameIndex
    private let leastByteCount: Int
    /// Finds packets from which several pictures come out; `nil` if there cannot be any.
    private var sharing: SharedPackets?
    /// Finds sequences that begin or end where an index made of tables doesn't know of it; `nil` if there cannot be
    /// any.
    private var sequences: SequenceWatch?
    /// Finds the reasons why a run depends on pictures before its restart; `nil` if there cannot be any.
    private var numbers: FrameNumberWatch?
    /// Finds group headers that set the time again; `nil` if they cannot.
    private var times: GroupTimeWatch?
    /// Finds rows that are left out in silence; `nil` for most codecs.
    private let filters: RowFilterWatch?

    init(_ index: FrameIndex, description: Int) {
        self.index = index
        leastByteCount = index.facts.descriptions[description].leastPacketByteCount
        sharing = SharedPackets(index.facts, description: description)
        sequences = SequenceWatch(index)
        filters = RowFilterWatch(index.facts.descriptions[description])
    }

    /// Says which packet comes next.
    mutating func begin(at restart: Int, start: DecodePlan.Start) {
        sequences?.begin(at: restart)
        numbers = FrameNumberWatch(index, restart: restart, start: start)
        times = GroupTimeWatch(index, restart: restart, start: start)
    }

    /// Says that the next packet is a restart that leaves nothing open.
    mutating func pass() { (numbers, times) = (nil, nil) }

    /// Whether also packets that are not decoded have to be passed to ``skip(_:_:)``.
    var isOfSkippedPackets: Bool { numbers != nil }

    /// Takes a packet that is not decoded because its picture shows before the restart.
    mutating func skip(_ number: Int, _ packet: borrowing Packet) {
        _ = numbers?.complaint(about: number, packet)
    }

    /// Takes the next packet that a decoder is given.
    ///
    /// - Returns: the packet's fault; `nil` if it has none.
    mutating func complaint(about number: Int, _ packet: borrowing Packet) -> String? {
        let flags = index.pictures.flags[number]
        // A scan has looked at every packet.
        if !flags.contains(.verified) {
            sharing?.announce(index.pictures.description(of: number), of: index.facts)
            if sharing?.isShared(packet) ?? false { return "it shows several pictures, of which one is counted" }
        }
        let sequenceWords = sequences?.complaint(about: packet)
        let numberWords = numbers?.complaint(about: number, packet)
        let timeWords = times?.complaint(about: number, packet)
        if packet.count < leastByteCount { return "it has \(packet.count) of at least \(leastByteCount) bytes" }
        if flags.contains(.corrupt) { return "the container says that bytes of it are lost or wrong" }
        if flags.contains(.misplaced) {
            return "its place among the frames is not certain: pictures before it are lost or moved"
        }
        return sequenceWords ?? numberWords ?? timeWords ?? filters?.complaint(about: packet)
    }
}
