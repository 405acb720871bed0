internal import ScrubSourcesLogic
internal import ScrubBase

/// The bytes that readers need, and the requests under way: the whole logic of a remote file's requests, without lock,
/// clock, threads or network.
///
/// Announcements, reads, arriving bytes and ends go in; ``schedule(now:)`` returns the requests to start and to cancel.
/// Times are nanoseconds of a clock that the owner has.
struct FetchBoard {
    /// The bounds that everything is kept in.
    struct Rules {
        /// Requests at a time. One of them is left for unannounced reads.
        var connections = 4
        /// The very first request, which says how many bytes there are.
        var firstLength = RemoteOpening().firstLength
        /// The longest request.
        var requestLimit: Int64 = 8 << 20
        /// The most requests into which the first announcement may be divided: new connections begin slowly, each for
        /// itself.
        var firstParts = 4
        /// None of them is for fewer bytes.
        var leastPart: Int64 = 64 * 1024
        /// Bytes that all requests under way may still bring.
        var inFlightLimit: Int64 = 16 << 20
        /// The limit in bytes of announced ranges that are fetched and not read yet.
        var aheadLimit: Int64 = 32 << 20
        /// A try that brings fewer bytes counts as one that brought nothing.
        var leastProgress: Int64 = 4096
        /// A read further inside a request that is under way gets a request of its own.
        var leastWait: Int64 = 512 * 1024
        var retries = RetryPolicy()
    }

    enum Action: Hashable {
        /// The bytes are to be asked for; the whole content where ranges are not answered.
        case start(Int, Range<Int64>)
        /// The same of several ranges in one request.
        case startSeveral(Int, ByteRanges)
        case cancel(Int)
    }

    enum Phase: Hashable {
        /// A request is being made or answered.
        case running
        /// It is made, or made again, when the time has come.
        case paused(until: Int64)
        /// It was cancelled; its end has still to come.
        case ending
    }

    struct Transfer {
        let id: Int
        /// The range that is still missing; its beginning moves as bytes come.
        var range: Range<Int64>
        var phase: Phase
        /// The reads that it serves where they were not announced.
        var sequence: Int?
        /// Tries in a row that brought nothing.
        var tries = 0
        /// Bytes of this try.
        var delivered: Int64 = 0
        /// The parts that are still missing, if several ranges were asked for in one request; ``range`` is then all
        /// around them.
        var parts: ByteRanges?
        /// The one that the first of its bytes were of.
        var firstPart: Range<Int64>?
        /// Whether other requests bring some of its bytes.
        var wasCut = false
    }

    /// The end of a request.
    enum Ending {
        /// The body is whole. If bytes are missing all the same, the server sent fewer than it was asked for.
        case complete
        /// It may be made again.
        case failed(RetryPolicy.Cause, ScrubError)
        /// It will not get better: reads that wait for these bytes fail.
        case hopeless(ScrubError)
        /// Made again at once, without counting.
        case again
        /// As was asked for.
        case cancelled
    }

    struct Reader {
        var wanted: Range<Int64>
        var sequence: Int?
        var failure: ScrubError?
    }

    var rules = Rules()
    var planner = RequestPlanner()
    var link = LinkMeter()
    /// nil until it is known.
    private(set) var total: Int64?
    /// Bytes that can be had without the network: those in memory, and those recorded on disk.
    var memory = ByteRanges()
    private(set) var disk = ByteRanges()
    var transfers: [Transfer] = []
    var readers: [Int: Reader] = [:]
    private(set) var announced: [Range<Int64>] = []
    /// The same without the unread bytes between, and those alone.
    private(set) var announcedSet = ByteRanges()
    private(set) var unread = ByteRanges()
    /// The announced ranges that have been read.
    private var consumed = ByteRanges()
    /// Planned requests that were not started.
    var queue: [Range<Int64>] = []
    var sequences = ReadSequences()
    /// Whether the server answers no ranges, so that one request brings everything in order.
    private(set) var isWhole = false
    /// Why no more requests are made.
    private(set) var failure: ScrubError?
    var retryCount: Int64 = 0
    /// Whether a request may ask for several ranges. It ends for good when one was not answered as it should be.
    var mayAskForSeveral = false
    /// Whether one was answered in several parts. Until then there is only one such request at a time: a server that
    /// does not know them costs one answer.
    var hasAnsweredSeveral = false
    /// Requests of several ranges whose connection was lost.
    var severalFailures = 0
    /// Gaps in planned requests that are worth leaving out.
    var gaps = ByteRanges()
    /// The ranges that requests of one range ask for: another process is fetching them.
    var alone = ByteRanges()
    /// Whether a request was ever answered.
    var hasBeenAnswered = false
    /// Requests that were begun.
    var begunCount = 0
    private var nextID = 0

    // MARK: What is there

    func isHeld(_ place: Int64) -> Bool { memory.contains(place) || disk.contains(place) }

    /// Returns the number of bytes from a place on up to the first hole.
    func heldCount(from place: Int64) -> Int64 {
        var end = place
        while let next = memory.range(containing: end)?.upperBound ?? disk.range(containing: end)?.upperBound {
            end = next
        }
        return end - place
    }

    mutating func isInMemory(_ range: Range<Int64>) { memory.insert(range) }
    mutating func isOnDisk(_ ranges: ByteRanges) { disk.formUnion(ranges) }
    mutating func leftMemory(_ ranges: ByteRanges) { memory.subtract(ranges) }
    mutating func leftDisk(_ range: Range<Int64>) { disk.remove(range) }

    /// Returns the bytes that are neither there nor under way.
    func absent(_ range: Range<Int64>) -> ByteRanges {
        var result = memory.holes(in: range)
        result.subtract(disk)
        for transfer in transfers where transfer.phase != .ending { result.subtract(transfer.missing) }
        return result
    }

    /// Records the number of bytes: nothing is requested behind the last one.
    mutating func learned(total: Int64) {
        self.total = total
        for index in transfers.indices { transfers[index].range = transfers[index].range.clamped(to: 0..<total) }
        readers = readers.mapValues { reader in
            var reader = reader
            reader.wanted = reader.wanted.clamped(to: 0..<total)
            return reader
        }
    }

    // MARK: Readers and announcements

    /// Announces the next reads, in the order of need; replaces the earlier announcement.
    mutating func announce(_ stretches: [ReadStretch]) {
        guard let total else { return }
        announced = stretches.map { $0.range.clamped(to: 0..<total) }.filter { !$0.isEmpty }
        unread = ByteRanges(stretches.flatMap(\.gaps)).intersection(0..<total)
        announcedSet = ByteRanges(announced)
        if !unread.isEmpty {
            // Bytes that one does not read another one does.
            for stretch in stretches {
                unread.subtract(ByteRanges(stretch.range).subtracting(ByteRanges(stretch.gaps)))
            }
            announcedSet.subtract(unread)
        }
        (consumed, alone) = (ByteRanges(), ByteRanges())
        if !announced.isEmpty { sequences.leave() }
        plan()
    }

    mutating func plan() {
        let wanted = unread.isEmpty ? announced : announced.flatMap { missing(in: $0) }
        let plan = smallPlan ?? planner.plan(wanted, absent: absent, link: link)
        gaps = worthwhileGaps(in: plan)
        queue = isWhole ? [] : divided(plan.requests)
    }

    /// Begins a read: one that cannot be served waits for its first byte.
    mutating func beginRead(_ wanted: Range<Int64>) -> Int {
        nextID += 1
        let place = wanted.lowerBound
        let sequence = announcedSet.contains(place) ? nil : sequences.note(place, end: place)
        readers[nextID] = Reader(wanted: wanted.prefix(rules.requestLimit), sequence: sequence)
        return nextID
    }

    mutating func endRead(_ id: Int) { readers[id] = nil }

    /// Records that a read got these bytes.
    mutating func wasRead(_ range: Range<Int64>) {
        if announcedSet.overlaps(range) {
            consumed.insert(range)
        } else {
            sequences.note(range.lowerBound, end: range.upperBound)
        }
    }

    /// Bytes of the announcement that are there or on their way, and were not read.
    var aheadByteCount: Int64 {
        var ahead = announcedSet.subtracting(consumed)
        guard !ahead.isEmpty else { return 0 }
        var near = memory
        for transfer in transfers where transfer.phase != .ending { near.formUnion(transfer.missing) }
        ahead = ahead.intersection(near)
        return ahead.byteCount
    }

    // MARK: What comes

    func index(of id: Int) -> Int? { transfers.firstIndex { $0.id == id } }

    /// Records that bytes came, and are in memory.
    ///
    /// - Returns: whether more of this answer is wanted.
    mutating func arrived(_ id: Int, count: Int64) -> Bool {
        guard let index = index(of: id), transfers[index].phase == .running, !transfers[index].range.isEmpty else {
            return false
        }
        let start = transfers[index].range.lowerBound
        let end = min(start + count, transfers[index].range.upperBound)
        memory.insert(start..<end)
        transfers[index].range = end..<transfers[index].range.upperBound
        transfers[index].delivered += count
        // A body that always begins again makes progress each time, and perhaps never comes to its end.
        if !isWhole, transfers[index].delivered >= rules.leastProgress { transfers[index].tries = 0 }
        guard !transfers[index].range.isEmpty else { return true }
        return isWhole || isNeeded(transfers[index]) || transfers[index].remaining <= link.bytesPerConnect
    }

    /// Records that a request is over.
    mutating func ended(_ id: Int, _ ending: Ending, now: Int64, using random: inout some RandomNumberGenerator) {
        guard let index = index(of: id) else { return }
        let transfer = transfers[index]
        guard transfer.phase != .ending, !transfer.missing.isEmpty else {
            transfers.remove(at: index)
            return
        }
        if transfer.parts != nil { return endedSeveral(at: index, ending) }
        switch ending {
        case .cancelled: transfers.remove(at: index)
        case .again: transfers[index].begin(at: now)
        case .hopeless(let error): fail(at: index, with: error)
        case .complete where transfer.delivered >= 16 * rules.leastProgress && !isWhole:
            // A server may answer with less than it was asked for.
            transfers[index].begin(at: now)
        case .complete:
            again(at: index, after: .endedEarly, else: nil, now: now, using: &random)
        case .failed(let cause, let error):
            again(at: index, after: cause, else: error, now: now, using: &random)
        }
    }

    private mutating func again(
        at index: Int, after cause: RetryPolicy.Cause, else error: ScrubError?, now: Int64,
        using random: inout some RandomNumberGenerator
    ) {
        transfers[index].tries += 1
        let pause = rules.retries.pause(after: cause, tries: transfers[index].tries, using: &random)
        guard let pause else {
            let early = ScrubError(.inputOutput, "the server sends fewer bytes than it was asked for")
            return fail(at: index, with: error ?? early)
        }
        retryCount += 1
        transfers[index].begin(at: now + pause)
    }

    /// Fails the reads that wait for these bytes; announced bytes are requested again only when they are read.
    private mutating func fail(at index: Int, with error: ScrubError) {
        let transfer = transfers.remove(at: index)
        for id in readers.keys where readers[id]?.failure == nil {
            guard let place = readers[id]?.wanted.lowerBound else { continue }
            if isWhole || transfer.range.contains(place) { readers[id]?.failure = error }
        }
    }

    /// Postpones bytes that another process is fetching: look again later.
    mutating func postpone(_ id: Int, until time: Int64) {
        guard let index = index(of: id), transfers[index].phase == .running else { return }
        transfers[index].phase = .paused(until: time)
    }

    /// Records that some bytes of a request that was about to be made are already on disk. It is dropped, and the bytes
    /// still missing are planned again.
    mutating func found(_ ranges: ByteRanges, insteadOf id: Int) {
        disk.formUnion(ranges)
        guard let index = index(of: id) else { return }
        transfers.remove(at: index)
        plan()
    }

    /// Cuts a request to its first bytes; the rest is planned again.
    mutating func cut(_ id: Int, at end: Int64) {
        guard let index = index(of: id), transfers[index].range.contains(end) else { return }
        transfers[index].range = transfers[index].range.lowerBound..<end
        plan()
    }

    /// Records that a body of the whole content comes from now on, in order: all other requests are in vain.
    mutating func becameWhole(_ id: Int) {
        isWhole = true
        queue = []
        for index in transfers.indices where transfers[index].phase != .ending {
            if transfers[index].id == id {
                transfers[index].range = 0..<(total ?? .max)
                transfers[index].sequence = nil
            }
        }
    }

    /// Records that the content has changed, or may not be read: no request will ever help.
    mutating func fail(_ error: ScrubError) { if failure == nil { failure = error } }

    mutating func makeID() -> Int {
        nextID += 1
        return nextID
    }
}

extension FetchBoard.Transfer {
    var remaining: Int64 { parts?.byteCount ?? (range.upperBound - range.lowerBound) }

    /// The bytes that it still brings.
    var missing: ByteRanges { parts ?? ByteRanges(range) }

    func isBringing(_ place: Int64) -> Bool { parts?.contains(place) ?? range.contains(place) }

    func overlaps(_ other: Range<Int64>) -> Bool { parts?.overlaps(other) ?? range.overlaps(other) }

    /// Begins again at a time.
    mutating func begin(at time: Int64) {
        phase = .paused(until: time)
        delivered = 0
    }
}

extension Range where Bound == Int64 {
    /// Returns the first bytes of a range.
    func prefix(_ count: Int64) -> Range<Int64> {
        upperBound - lowerBound <= count ? self : lowerBound..<lowerBound + count
    }
}
