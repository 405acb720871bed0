import ScrubSourcesLogic
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubSources

/// A server, memory and readers for one board, all driven by random numbers.
struct BoardWorld {
    var board = FetchScheduler()
    var random: SplitMix
    let total: Int64
    var now: Int64 = 0
    /// The ranges that each request was asked for, and how much of them was sent.
    var running: [Int: ByteRanges] = [:]
    var severalCount = 0
    var isCancelled: Set<Int> = []
    var waiting: [Int: Range<Int64>] = [:]
    var startCount = 0
    /// Whether no one else fetches anything.
    var isAlone = false
    var sentBytes: Int64 = 0
    let seed: UInt64

    init(seed: UInt64, asksForSeveral: Bool = false) {
        self.seed = seed
        random = SplitMix(seed)
        total = Int64.random(in: 1...20_000_000, using: &random)
        board.rules.requestLimit = 1 << Int64.random(in: 16...23, using: &random)
        board.rules.connections = Int.random(in: 1...6, using: &random)
        board.learned(total: total)
        board.mayAskForSeveral = asksForSeveral
        if asksForSeveral { board.planner.wasteLimit = Int64.random(in: 0...50_000, using: &random) }
    }

    /// Returns many small ranges, or few gaps in much: the cases for several ranges in one request.
    mutating func someRanges() -> [Range<Int64>] {
        var place = Int64.random(in: 0..<total, using: &random)
        let isSmall = random.isOne(in: 2)
        return (0..<Int.random(in: 2...90, using: &random)).compactMap { _ in
            let start = place + Int64.random(in: 1...(isSmall ? 200_000 : 8000), using: &random)
            place = start + Int64.random(in: 1...(isSmall ? 9000 : 60_000), using: &random)
            return place < total ? start..<place : nil
        }
    }

    /// Groups of pictures of which some are unneeded.
    mutating func someStretches() -> [ReadSpan] {
        (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in
            var place = Int64.random(in: 0..<total, using: &random)
            var stretch = ReadSpan(place..<place + 1)
            for _ in 0..<Int.random(in: 0...150, using: &random) {
                let piece = place + Int64.random(in: 1...20_000, using: &random)
                let next = piece + Int64.random(in: 1...6000, using: &random)
                guard next + 1 < total else { break }
                stretch.gaps.append(piece..<next)
                (place, stretch.range) = (next, stretch.range.lowerBound..<next + 1)
            }
            return stretch
        }
    }

    mutating func someRange(_ longest: Int64) -> Range<Int64> {
        let start = Int64.random(in: 0..<total, using: &random)
        return start..<min(total, start + Int64.random(in: 1...longest, using: &random))
    }

    mutating func schedule() {
        for action in board.schedule(now: now) {
            switch action {
            case .start(let id, let range):
                #expect(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= total, "seed \(seed)")
                #expect(running[id] == nil, "seed \(seed)")
                running[id] = ByteRanges(range)
                startCount += 1
            case .startSeveral(let id, let parts):
                #expect((1...128).contains(parts.ranges.count) && board.begunCount > 1, "seed \(seed)")
                #expect(ByteRanges(0..<total).intersection(parts) == parts && running[id] == nil, "seed \(seed)")
                #expect(board.mayAskForSeveral, "seed \(seed)")
                running[id] = parts
                startCount += 1
                severalCount += 1
            case .cancel(let id): if running[id] != nil { isCancelled.insert(id) }
            }
        }
        if !board.hasAnsweredSeveral {
            // One at a time, until it is known that they are answered.
            #expect(board.transfers.count { $0.parts != nil && $0.phase != .ending } <= 1, "seed \(seed)")
        }
        let active = board.transfers.filter { $0.phase != .ending }
        #expect(active.count <= board.rules.connections, "seed \(seed)")
        // No byte is asked for twice at a time.
        let all = active.flatMap(\.missing.ranges)
        #expect(ByteRanges(all).byteCount == all.reduce(0) { $0 + Int64($1.count) }, "seed \(seed)")
        #expect(Set(active.filter { $0.phase == .running }.map(\.id)).isSubset(of: running.keys), "seed \(seed)")
    }

    mutating func end(_ id: Int, _ ending: FetchScheduler.Ending) {
        running[id] = nil
        isCancelled.remove(id)
        board.ended(id, ending, now: now, using: &random)
    }

    /// One request brings some bytes, or ends, in some way.
    mutating func serve(withFaults: Bool) {
        guard let id = running.keys.sorted().randomElement(using: &random), let parts = running[id] else { return }
        let isSeveral = board.transfers.contains { $0.id == id && $0.parts != nil }
        if isSeveral, !isAlone, !isCancelled.contains(id), random.isOne(in: 6) {
            return board.leave(ByteRanges(parts.ranges.suffix(2)), of: id)
        }
        if isCancelled.contains(id), random.isOne(in: 2) { return end(id, .cancelled) }
        if withFaults, random.isOne(in: 12) {
            let cause: [RetryPolicy.Cause] = [
                .timedOut, .connectionLost(beforeFirstByte: true, isFresh: false), .status(503, retryAfter: nil),
            ]
            return end(
                id, .failed(cause.randomElement(using: &random) ?? .timedOut, ScrubError(.inputOutput, "a fault")))
        }
        if parts.isEmpty || withFaults && random.isOne(in: 20) { return end(id, .complete) }
        // Parts come in any order.
        guard let range = isSeveral ? parts.ranges.randomElement(using: &random) : parts.ranges.first else { return }
        let count = min(Int64(range.count), Int64.random(in: 1...(1 << 20), using: &random))
        sentBytes += count
        let came = range.lowerBound..<range.lowerBound + count
        running[id]?.remove(came)
        guard isSeveral else {
            if !board.arrived(id, count: count) { end(id, .cancelled) }
            return
        }
        var isWanted = board.transfers.first { $0.id == id }.map(board.wantsMore) ?? false
        for part in board.transfers.first(where: { $0.id == id })?.missing.intersection(came).ranges ?? [] {
            isWanted = board.arrived(id, in: part)
        }
        if !isWanted { end(id, .cancelled) }
    }

    /// Readers whose first byte is there, or who failed, go.
    mutating func wake(mayFail: Bool) {
        for (id, range) in waiting {
            let failure = board.readers[id]?.failure
            #expect(mayFail || failure == nil, "seed \(seed)")
            guard failure != nil || board.isHeld(range.lowerBound) else { continue }
            board.endRead(id)
            if failure == nil {
                board.wasRead(range.lowerBound..<min(range.upperBound, range.lowerBound + 4096))
            }
            waiting[id] = nil
        }
    }

    /// Serves without faults until everything rests.
    mutating func settle() {
        for _ in 0..<20_000 {
            wake(mayFail: true)
            schedule()
            if running.isEmpty {
                guard let next = board.nextTime else { return }
                now = max(now, next)
            } else {
                serve(withFaults: false)
            }
        }
        Issue.record("seed \(seed): it never comes to rest")
    }
}

extension FetchScheduler {
    mutating func announce(_ ranges: [Range<Int64>]) { announce(ranges.map { ReadSpan($0) }) }
}

/// A board that knows how many bytes there are.
func emptyBoard(total: Int64 = 100_000_000) -> FetchScheduler {
    var board = FetchScheduler()
    board.learned(total: total)
    return board
}

/// Returns a board that has made a request before.
func begunBoard() -> FetchScheduler {
    var board = emptyBoard()
    board.begunCount = 1
    return board
}

/// The single ranges that are asked for.
func starts(_ actions: [FetchScheduler.Action]) -> [Range<Int64>] {
    actions.compactMap { if case .start(_, let range) = $0 { range } else { nil } }
}
