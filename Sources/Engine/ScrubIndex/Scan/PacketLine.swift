internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// The packets of a stream on their way from the thread that reads them to one that looks at them, in their order.
///
/// Reading is libavformat's work, and about as much as looking: on two processors both take the time of one.
///
/// Memory: ``batches`` batches, each of at most ``PacketBatch/mostBytes`` and one packet. While one of
/// ``PacketBatch/isHuge`` is inspected, nothing is read.
final class PacketLine {
    private let filled = Handover<PacketBatch>(capacity: batches)
    private let free = Handover<PacketBatch>(capacity: batches)
    private let outcome = Locked<PacketPass?>(nil)
    private let thread: DedicatedThread
    private var present: PacketBatch?
    private var hasEnded = false
    /// The packets that have been brought.
    private(set) var count = 0

    /// With fewer the two threads wait for each other in turns, and the system runs both on one processor.
    private static let batches = 8

    /// Starts the thread that looks at packets.
    ///
    /// - Parameter pass: goes on with them.
    /// - Throws: when the system has no thread left.
    init(_ pass: PacketPass, of file: MediaSource) throws(ScrubError) {
        let (filled, free, outcome) = (filled, free, outcome)
        for _ in 0..<PacketLine.batches { free.push(PacketBatch()) }
        thread = try DedicatedThread {
            var pass = pass
            while let batch = filled.pop() {
                // Nothing more is brought after a refusal, which the source keeps for the next caller.
                if !batch.isTaken(by: &pass, of: file) { filled.close() }
                free.push(batch)
            }
            outcome.withLock { $0 = pass }
        }
    }

    deinit { end() }

    /// Lets `read` fill in the next packet, and brings it.
    ///
    /// - Parameter read: tells whether the packet is one to bring.
    /// - Returns: false once no more packets are taken.
    func bring(_ read: (inout Packet) throws(AVError) -> Bool) throws(AVError) -> Bool {
        guard let batch = present ?? free.pop() else { return false }
        if present == nil { batch.clear() }
        present = batch
        guard try batch.add(read) else { return true }
        count += 1
        guard batch.isFull else { return true }
        present = nil
        let isHuge = batch.isHuge
        guard filled.push(batch) else { return false }
        if isHuge { waitForAll() }
        return true
    }

    /// Waits until all batches are inspected.
    private func waitForAll() {
        let all = (0..<PacketLine.batches).compactMap { _ in free.pop() }
        for batch in all { free.push(batch) }
    }

    /// Brings the rest, ends the thread, and returns the pass behind all packets.
    func finish() -> PacketPass? {
        if let batch = present.take() { filled.push(batch) }
        end()
        return outcome.withLock { $0.take() }
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        filled.close()
        thread.join()
    }
}

/// Packets that change threads together.
///
/// Their bytes are copied: what libavformat allocated for a packet is then free before it asks for the next one, as in
/// a program that only counts packets, and the same memory goes round on its thread. Kept for the other thread, packets
/// take a seventh longer to read.
///
/// `@unchecked Sendable`: one thread at a time has it, by way of the line's monitors.
@safe final class PacketBatch: @unchecked Sendable {
    private final class Slot {
        var packet: Packet
        init() throws(AVError) { packet = try Packet() }
    }

    private static let mostPackets = 128
    /// All of them fit a processor's second cache.
    static let mostBytes = 128 << 10
    private static let hugeBytes = 2 << 20

    private var slots: [Slot] = []
    private var count = 0
    private var byteCount = 0
    /// The bytes of the packets that are copied.
    private let room: UnsafeMutableRawBufferPointer
    /// The slots whose bytes libav owns: packets beyond the room, and those with side data that decoders need.
    private var kept: [Int] = []
    /// The packet that is read.
    private var present: Slot?

    init() { unsafe room = .allocate(byteCount: PacketBatch.mostBytes, alignment: 64) }

    deinit { unsafe room.deallocate() }

    /// Whether nothing more is to be added.
    var isFull: Bool { count >= PacketBatch.mostPackets || byteCount >= PacketBatch.mostBytes }
    /// Whether it has so many bytes that two such batches are too many.
    var isHuge: Bool { byteCount >= PacketBatch.hugeBytes }

    /// Drops all packets.
    func clear() {
        for index in kept { slots[index].packet.clear() }
        kept.removeAll(keepingCapacity: true)
        (count, byteCount) = (0, 0)
    }

    /// Adds the packet that `read` fills in, if it says so.
    func add(_ read: (inout Packet) throws(AVError) -> Bool) throws(AVError) -> Bool {
        if count == slots.count { slots.append(try Slot()) }
        if present == nil { present = try Slot() }
        guard let present, try read(&present.packet) else { return false }
        let slot = slots[count]
        if present.packet.count > PacketBatch.mostBytes - byteCount || present.packet.carriesDecoderState {
            slot.packet.move(&present.packet)
            kept.append(count)
        } else {
            unsafe slot.packet.copy(&present.packet, into: UnsafeMutableRawBufferPointer(rebasing: room[byteCount...]))
        }
        count += 1
        byteCount += slot.packet.count
        return true
    }

    /// Hands all packets to a pass.
    ///
    /// - Returns: false where the file's limits refuse more.
    func isTaken(by pass: inout PacketPass, of file: MediaSource) -> Bool {
        for slot in slots.prefix(count) where pass.take(slot.packet) {
            do throws(ScrubError) { try file.check(pictureCount: pass.scanned.pictures.count) } catch { return false }
        }
        if isHuge { clear() }
        return true
    }
}
