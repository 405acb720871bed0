internal import ScrubSourcesLogic
internal import ScrubBase

/// The logic of a remote file's requests: the bytes that readers need, and the requests in progress. It has no lock,
/// clock, threads or network.
///
/// Its inputs are announcements, reads, arriving bytes and ends; ``schedule(now:)`` returns the requests to start and
/// to cancel. Times are nanoseconds of the owner's clock.
struct FetchScheduler {
    /// The limits of the scheduling.
    struct Rules {
        /// The maximum number of simultaneous requests. One of them is reserved for unannounced reads.
        var connections = 4
        /// The length of the first request, which determines the size.
        var firstLength = RemoteOpening().firstLength
        /// The maximum length of a request.
        var requestLimit: Int64 = 8 << 20
        /// The maximum number of requests into which the first announcement may be divided, because new connections
        /// start slowly, each one individually.
        var firstParts = 4
        /// The minimum length of each of them.
        var leastPart: Int64 = 64 * 1024
        /// The maximum number of bytes that all requests in progress may still deliver.
        var inFlightLimit: Int64 = 16 << 20
        /// The maximum number of bytes of announced ranges that are fetched but not read yet.
        var aheadLimit: Int64 = 32 << 20
        /// The minimum progress: an attempt that delivers fewer bytes counts as a failure.
        var leastProgress: Int64 = 4096
        /// The distance from which a read inside a request in progress gets a separate request.
        var leastWait: Int64 = 512 * 1024
        var retries = RetryPolicy()
    }

    enum Action: Hashable {
        /// Request these bytes, or the whole content if ranges are not supported.
        case start(Int, Range<Int64>)
        /// Request several ranges at once.
        case startSeveral(Int, ByteRanges)
        case cancel(Int)
    }

    enum Phase: Hashable {
        /// A request is being made or answered.
        case running
        /// The request is made, or retried, at this time.
        case paused(until: Int64)
        /// The request was cancelled, and its end has not arrived yet.
        case ending
    }

    struct Transfer {
        let id: Int
        /// The range that is still missing. Its start moves as bytes arrive.
        var range: Range<Int64>
        var phase: Phase
        /// The sequence of reads that it serves, if they were not announced.
        var sequence: Int?
        /// The number of consecutive attempts without progress.
        var tries = 0
        /// The number of bytes delivered by this attempt.
        var delivered: Int64 = 0
        /// The parts that are still missing, if several ranges were requested; ``range`` then spans all of them.
        var parts: ByteRanges?
        /// The part to which the first received bytes belonged.
        var firstPart: Range<Int64>?
        /// Whether other requests deliver some of its bytes.
        var wasCut = false
    }

    /// The end of a request.
    enum Ending {
        /// The body is complete. If bytes are still missing, the server sent fewer than requested.
        case complete
        /// The request failed and may be retried.
        case failed(RetryPolicy.Cause, ScrubError)
        /// The request will not succeed: reads that wait for these bytes fail.
        case hopeless(ScrubError)
        /// The request is repeated at once, without counting.
        case again
        /// The request was cancelled as requested.
        case cancelled
    }

    struct Reader {
        var wanted: Range<Int64>
        var sequence: Int?
        var failure: ScrubError?
    }

    var rules = Rules()
    var planner = RequestPlanner()
    var link = LinkEstimator()
    /// The size in bytes; `nil` until it is known.
    private(set) var total: Int64?
    /// The bytes that are available without the network: those in memory, and those recorded on disk.
    var memory = ByteRanges()
    private(set) var disk = ByteRanges()
    var transfers: [Transfer] = []
    var readers: [Int: Reader] = [:]
    private(set) var announced: [Range<Int64>] = []
    /// The announced ranges without gaps, and the gaps alone.
    private(set) var announcedSet = ByteRanges()
    private(set) var unread = ByteRanges()
    /// The announced ranges that were read.
    private var consumed = ByteRanges()
    /// Planned requests that have not started.
    var queue: [Range<Int64>] = []
    var sequences = ReadSequences()
    /// Whether the server does not support ranges, so that one request delivers everything in order.
    private(set) var isWhole = false
    /// The reason why no more requests are made.
    private(set) var failure: ScrubError?
    var retryCount: Int64 = 0
    /// Whether a request may ask for several ranges. It becomes permanently false when one was not answered properly.
    var mayAskForSeveral = false
    /// Whether such a request was answered in several parts. Until then, only one is in progress at any one time, so
    /// that a server without support costs only one response.
    var hasAnsweredSeveral = false
    /// The number of requests for several ranges whose connection was lost.
    var severalFailures = 0
    /// The gaps in planned requests that are worth skipping.
    var gaps = ByteRanges()
    /// The ranges that must be requested individually, because another process is fetching them.
    var alone = ByteRanges()
    /// Whether a request was ever answered.
    var hasBeenAnswered = false
    /// The number of requests that were started.
    var begunCount = 0
    private var nextID = 0

    // MARK: Available bytes

    func isHeld(_ place: Int64) -> Bool { memory.contains(place) || disk.contains(place) }

    /// Returns the number of bytes from an offset up to the first hole.
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

    /// Returns the bytes that are neither available nor in transit.
    func absent(_ range: Range<Int64>) -> ByteRanges {
        var result = memory.holes(in: range)
        result.subtract(disk)
        for transfer in transfers where transfer.phase != .ending { result.subtract(transfer.missing) }
        return result
    }

    /// Records the size in bytes. No request goes beyond it.
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

    /// Announces the next reads, in the order in which they are needed. Replaces the earlier announcement.
    mutating func announce(_ stretches: [ReadSpan]) {
        guard let total else { return }
        announced = stretches.map { $0.range.clamped(to: 0..<total) }.filter { !$0.isEmpty }
        unread = ByteRanges(stretches.flatMap(\.gaps)).intersection(0..<total)
        announcedSet = ByteRanges(announced)
        if !unread.isEmpty {
            // Bytes that one reader skips may be read by another.
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

    /// Begins a read. One that cannot be served waits for its first byte.
    mutating func beginRead(_ wanted: Range<Int64>) -> Int {
        nextID += 1
        let place = wanted.lowerBound
        let sequence = announcedSet.contains(place) ? nil : sequences.note(place, end: place)
        readers[nextID] = Reader(wanted: wanted.prefix(rules.requestLimit), sequence: sequence)
        return nextID
    }

    mutating func endRead(_ id: Int) { readers[id] = nil }

    /// Records that a read received these bytes.
    mutating func wasRead(_ range: Range<Int64>) {
        if announcedSet.overlaps(range) {
            consumed.insert(range)
        } else {
            sequences.note(range.lowerBound, end: range.upperBound)
        }
    }

    /// The number of announced bytes that are available or in transit but were not read.
    var aheadByteCount: Int64 {
        var ahead = announcedSet.subtracting(consumed)
        guard !ahead.isEmpty else { return 0 }
        var near = memory
        for transfer in transfers where transfer.phase != .ending { near.formUnion(transfer.missing) }
        ahead = ahead.intersection(near)
        return ahead.byteCount
    }

    // MARK: Arrivals

    func index(of id: Int) -> Int? { transfers.firstIndex { $0.id == id } }

    /// Records that bytes arrived and are in memory.
    ///
    /// - Returns: whether more of this response is needed.
    mutating func arrived(_ id: Int, count: Int64) -> Bool {
        guard let index = index(of: id), transfers[index].phase == .running, !transfers[index].range.isEmpty else {
            return false
        }
        let start = transfers[index].range.lowerBound
        let end = min(start + count, transfers[index].range.upperBound)
        memory.insert(start..<end)
        transfers[index].range = end..<transfers[index].range.upperBound
        transfers[index].delivered += count
        // A body that always restarts makes progress each time, but may never reach its end.
        if !isWhole, transfers[index].delivered >= rules.leastProgress { transfers[index].tries = 0 }
        guard !transfers[index].range.isEmpty else { return true }
        return isWhole || isNeeded(transfers[index]) || transfers[index].remaining <= link.bytesPerConnect
    }

    /// Records that a request ended.
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
            // A server may return less than requested.
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
            let early = ScrubError(.inputOutput, "the server sent fewer bytes than requested")
            return fail(at: index, with: error ?? early)
        }
        retryCount += 1
        transfers[index].begin(at: now + pause)
    }

    /// Fails the reads that wait for these bytes. Announced bytes are requested again only when they are read.
    private mutating func fail(at index: Int, with error: ScrubError) {
        let transfer = transfers.remove(at: index)
        for id in readers.keys where readers[id]?.failure == nil {
            guard let place = readers[id]?.wanted.lowerBound else { continue }
            if isWhole || transfer.range.contains(place) { readers[id]?.failure = error }
        }
    }

    /// Postpones bytes that another process is fetching, to check again later.
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

    /// Truncates a request. The rest is planned again.
    mutating func cut(_ id: Int, at end: Int64) {
        guard let index = index(of: id), transfers[index].range.contains(end) else { return }
        transfers[index].range = transfers[index].range.lowerBound..<end
        plan()
    }

    /// Records that a body of the whole content arrives from now on, in order. All other requests are useless.
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

    /// Records that the content has changed, or may not be read, so that further requests are pointless.
    mutating func fail(_ error: ScrubError) { if failure == nil { failure = error } }

    mutating func makeID() -> Int {
        nextID += 1
        return nextID
    }
}

extension FetchScheduler.Transfer {
    var remaining: Int64 { parts?.byteCount ?? (range.upperBound - range.lowerBound) }

    /// The bytes that the request still delivers.
    var missing: ByteRanges { parts ?? ByteRanges(range) }

    func isBringing(_ place: Int64) -> Bool { parts?.contains(place) ?? range.contains(place) }

    func overlaps(_ other: Range<Int64>) -> Bool { parts?.overlaps(other) ?? range.overlaps(other) }

    /// Retries at the given time.
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
