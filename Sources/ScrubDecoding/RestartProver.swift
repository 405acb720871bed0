internal import Bitstream
internal import FileIO
internal import LibAV
internal import ScrubBase
internal import ScrubIndex

/// Compares what comes after a restart with the run that arrives from the restart before it, picture by picture.
///
/// Done packet by packet, so that it can be left between any two and gone on with later. Use from one thread at a time.
///
/// Memory: one decoder with its own pictures, and a hash for each picture between the restart and the next one.
final class RestartProver {
    /// The restart that is compared.
    let restart: Int
    private let planner: SeekPlanner
    private let allocator: FrameAllocator?
    /// Where the runs begin: at the restart before, and at the restart itself.
    private let starts: [DecodePlan]
    /// The last packet of both.
    private let last: Int
    /// Pictures that are decoded from this restart, as long as it is believed.
    private let compared: Set<Int>
    private var pass = 0
    private var nextPacket = 0
    private var decoder: OpenDecoder?
    /// What the first run made, and which of it the second one made too.
    private var hashes: [Int: String] = [:]
    private var seen: Set<Int> = []
    private var fedBefore = 0
    /// What was found; `nil` as long as nothing is.
    private(set) var isProven: Bool?
    /// Whether there was no memory for a picture: nothing was found then.
    private(set) var isStarved = false

    /// Coded pictures given to decoders.
    var fed: Int { fedBefore + (decoder?.findings.fed ?? 0) }

    init(_ restart: Int, planner: SeekPlanner, allocator: FrameAllocator?) {
        (self.restart, self.planner, self.allocator) = (restart, planner, allocator)
        let index = planner.index
        let own = planner.plan(forPicture: restart)
        // A gradual restart is not decoded from itself: its first whole pictures come later.
        let start = DecodePlan(
            target: restart, restart: restart, start: own.restart == restart ? own.start : .restart(.gradual),
            last: restart)
        starts = [planner.plan(forPicture: restart, before: restart), start]
        // A gradual restart counts until the next one has recovered, which may be behind the one after that.
        let next = index.nextRestart(after: restart)
        let end = own.restart == restart ? next : next.flatMap { index.nextRestart(after: $0) }
        last = (end ?? index.pictures.count) - 1
        compared = Set(
            (restart...max(restart, last)).filter { picture in
                index.isPresented(picture) && !index.pictures.flags[picture].contains(.secondField)
                    && planner.plan(forPicture: picture).restart == restart
            })
    }

    /// Feeds one packet, or drains the decoder after the last one.
    ///
    /// - Returns: whether it is decided.
    /// - Throws: `inputOutput` when reading fails, `unavailable` when the decoder cannot be opened.
    func step(reader: inout PacketReader) throws(ScrubError) -> Bool {
        if isProven != nil { return true }
        isStarved = false
        if decoder == nil { try open(&reader) }
        guard let decoder else { return false }
        let isLast = nextPacket > last
        if isLast {
            decoder.drain()
        } else {
            try decoder.feed(Feed(picture: nextPacket), reader: &reader)
            nextPacket += 1
        }
        while let picture = decoder.next() {
            guard compared.contains(picture.number) else { continue }
            let hash = try translatingErrors("the picture cannot be hashed") { () throws(AVError) in
                try picture.frame.frame.md5()
            }
            if pass == 0 {
                hashes[picture.number] = hash
            } else if hashes[picture.number] == hash {
                seen.insert(picture.number)
            } else {
                isProven = false
            }
        }
        if decoder.findings.isStarved {
            // The pass is worth nothing; it is begun again when there is memory.
            isStarved = true
            restartPass()
        } else if isProven == false {
            restartPass()
        } else if isLast {
            if pass == 1 { isProven = seen.count == hashes.count }
            pass += 1
            restartPass()
        }
        return isProven != nil
    }

    private func restartPass() {
        fedBefore = fed
        decoder = nil
        seen = []
        if pass == 0 { hashes = [:] }
    }

    private func open(_ reader: inout PacketReader) throws(ScrubError) {
        let start = starts[min(pass, 1)]
        let made = try OpenDecoder(
            repeatableFrom: start.restart, isOpen: start.start == .restart(.open), index: planner.index,
            reader: &reader, allocator: allocator)
        (decoder, nextPacket) = (made, start.restart)
    }
}
