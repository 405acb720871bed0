internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// The packets of a stream passed in order from the thread that reads them to the thread that parses them.
///
/// libavformat does the reading, which is about as much work as the parsing: on two processors, both together take the
/// time of one.
///
/// Memory: ``batches`` batches, each of at most ``PacketBatch/mostBytes`` and one packet. While a batch that
/// ``PacketBatch/isHuge`` is parsed, nothing is read.
final class PacketPipeline {
    private let filled = BoundedQueue<PacketBatch>(capacity: batches)
    private let free = BoundedQueue<PacketBatch>(capacity: batches)
    private let outcome = Locked<PacketPass?>(nil)
    private let thread: DedicatedThread
    private var present: PacketBatch?
    private var hasEnded = false
    /// The number of packets that have been added.
    private(set) var count = 0

    /// With fewer batches, the two threads wait for each other in turn, and the system runs both on one processor.
    private static let batches = 8

    /// Starts the thread that parses packets.
    ///
    /// - Parameter pass: the pass that continues with these packets.
    /// - Throws: an error if the system cannot create a thread.
    init(_ pass: PacketPass, of file: MediaSource) throws(ScrubError) {
        let (filled, free, outcome) = (filled, free, outcome)
        for _ in 0..<PacketPipeline.batches { free.push(PacketBatch()) }
        thread = try DedicatedThread {
            var pass = pass
            while let batch = filled.pop() {
                // Nothing more is added after a refusal, which the source keeps for the next caller.
                if !batch.isTaken(by: &pass, of: file) { filled.close() }
                free.push(batch)
            }
            outcome.withLock { $0 = pass }
        }
    }

    deinit { end() }

    /// Calls `read` for the next packet, and adds it.
    ///
    /// - Parameter read: returns whether to add the packet.
    /// - Returns: false once no more packets are accepted.
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

    /// Waits until all batches are parsed.
    private func waitForAll() {
        let all = (0..<PacketPipeline.batches).compactMap { _ in free.pop() }
        for batch in all { free.push(batch) }
    }

    /// Adds the remaining packets, ends the thread, and returns the pass after all packets.
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

/// Packets that are passed between threads together.
///
/// Their bytes are copied. This way, the memory that libavformat allocated for a packet is free before it requests the
/// next one, as in a program that only counts packets, and the same memory is reused on its thread. If packets are kept
/// for the other thread, reading takes a seventh longer.
///
/// `@unchecked Sendable`: one thread at a time owns it, controlled by the monitors of ``PacketPipeline``.
@safe final class PacketBatch: @unchecked Sendable {
    private final class Slot {
        var packet: Packet
        init() throws(AVError) { packet = try Packet() }
    }

    private static let mostPackets = 128
    /// All batches together fit in a processor's second-level cache.
    static let mostBytes = 128 << 10
    private static let hugeBytes = 2 << 20

    private var slots: [Slot] = []
    private var count = 0
    private var byteCount = 0
    /// The bytes of the packets that are copied.
    private let room: UnsafeMutableRawBufferPointer
    /// The slots whose bytes are owned by libav: packets larger than the buffer, and those with side data that decoders
    /// need.
    private var kept: [Int] = []
    /// The packet that is being read.
    private var present: Slot?

    init() { unsafe room = .allocate(byteCount: PacketBatch.mostBytes, alignment: 64) }

    deinit { unsafe room.deallocate() }

    /// Whether no more packets can be added.
    var isFull: Bool { count >= PacketBatch.mostPackets || byteCount >= PacketBatch.mostBytes }
    /// Whether it is so large that two such batches would be too many.
    var isHuge: Bool { byteCount >= PacketBatch.hugeBytes }

    /// Removes all packets.
    func clear() {
        for index in kept { slots[index].packet.clear() }
        kept.removeAll(keepingCapacity: true)
        (count, byteCount) = (0, 0)
    }

    /// Adds the packet that `read` fills in, if it returns true.
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

    /// Passes all packets to a pass.
    ///
    /// - Returns: false if the file's limits allow no more.
    func isTaken(by pass: inout PacketPass, of file: MediaSource) -> Bool {
        for slot in slots.prefix(count) where pass.take(slot.packet) {
            do throws(ScrubError) { try file.check(pictureCount: pass.scanned.pictures.count) } catch { return false }
        }
        if isHuge { clear() }
        return true
    }
}
