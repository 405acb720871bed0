internal import ScrubSourcesLogic
internal import ScrubBase

// Requests for several ranges (RFC 9110, 14.2). They are made if one range would fetch unneeded bytes, or if many
// requests would fetch few bytes, and are never retried. Missing bytes are planned again, as single-range requests if
// the server did not answer properly.
extension FetchScheduler {
    /// The rules for several ranges in one request. A part costs about 120 bytes of header in the response and 20 in
    /// the request. A server that does not support such requests costs a wasted response. Gaps are therefore skipped
    /// only in a plan that would otherwise read more than 112 KiB of unneeded bytes: those of more than 1 KiB, and at
    /// most the longest 127 in each request. Small pieces, such as the headers of fragments (2 to 5 KB every 290 KB),
    /// are combined if there are more than two per connection. For two hours of video, this takes 21 requests with 4.6
    /// MB instead of 1,159.
    enum SeveralRules {
        /// The maximum number of ranges. The request line then stays below 4 KiB, which every server accepts.
        static let mostRanges = 128
        static let lineLength = 4000
        static let leastGap: Int64 = 1024
        /// The minimum number of bytes in gaps that justifies such a request.
        static let leastSaving: Int64 = 32 * 1024
        static let smallRequest: Int64 = 16 * 1024
        static let mostSmallBytes: Int64 = 1 << 20
        /// The number of requests that may lose their connection before no more are made.
        static let failures = 2
    }

    /// Whether requests for several ranges are planned.
    private var plansSeveral: Bool { mayAskForSeveral && !isWhole && total != nil }

    /// Whether a request for several ranges may be made now. It is never the first request, because little is expected
    /// from an unknown server, and there is no second one before the first was answered.
    private var canAskForSeveral: Bool { plansSeveral && begunCount > 0 && !isProbing }

    /// Whether a request in progress will show whether the server supports several ranges.
    var isProbing: Bool {
        !hasAnsweredSeveral && transfers.contains { $0.parts != nil && $0.phase != .ending }
    }

    /// Returns the ranges of a request up to an offset.
    private func mostRanges(upTo end: Int64) -> Int {
        let digits = String(end).count
        return min(SeveralRules.mostRanges, SeveralRules.lineLength / (2 * digits + 2))
    }

    /// Returns the ranges of a stretch to request: its gaps only if all of their bytes are missing, and the bytes on
    /// both sides.
    func missing(in stretch: Range<Int64>) -> [Range<Int64>] {
        let between = unread.intersection(stretch)
        guard !between.isEmpty else { return [stretch] }
        let absent = absent(stretch)
        let joining = between.ranges.filter { gap in
            stretch.lowerBound < gap.lowerBound && gap.upperBound < stretch.upperBound
                && absent.contains(gap.lowerBound - 1..<gap.upperBound + 1)
        }
        return absent.subtracting(between.subtracting(ByteRanges(joining))).ranges
    }

    /// The announced ranges without the gaps in them, if they are many small pieces.
    var smallPlan: RequestPlanner.Plan? {
        guard plansSeveral, begunCount > 0, announced.count > 2 * rules.connections else { return nil }
        var lean = planner
        (lean.wasteShare, lean.longestGap) = (.max, SeveralRules.leastGap)
        let plan = lean.plan(announced, absent: absent, link: link)
        let isSmall = plan.requests.allSatisfy { $0.upperBound - $0.lowerBound <= SeveralRules.smallRequest }
        return isSmall && plan.requests.count > 2 * rules.connections ? plan : nil
    }

    /// Returns the gaps that a plan would read unnecessarily, if skipping them is clearly worthwhile.
    func worthwhileGaps(in plan: RequestPlanner.Plan) -> ByteRanges {
        guard plansSeveral else { return ByteRanges() }
        let gaps = plan.requests.flatMap { announcedSet.holes(in: $0).ranges }
        guard gaps.reduce(0, { $0 + Int64($1.count) }) > planner.wasteLimit else { return ByteRanges() }
        return ByteRanges(gaps.filter { $0.count >= SeveralRules.leastGap })
    }

    /// Returns whether a planned request that would best use several ranges waits until it is known whether they are
    /// supported.
    func waitsForProbe(_ request: Range<Int64>) -> Bool {
        guard plansSeveral, isProbing, !alone.overlaps(request) else { return false }
        if queue.count > 2 * rules.connections, request.count <= SeveralRules.smallRequest { return true }
        return gaps.intersection(request).byteCount > planner.wasteLimit
    }

    /// Returns the division of a request whose gaps should be skipped, before it is known whether several ranges are
    /// supported. The second part tests that. The others together may read half of a plan's waste limit, in addition to
    /// short gaps and picture headers.
    ///
    /// - Returns: the lengths of the parts; `nil` if equal ones suffice.
    func lengths(of request: Range<Int64>, parts: Int64) -> [Int64]? {
        let inside = gaps.intersection(request).byteCount
        guard plansSeveral, !hasAnsweredSeveral, parts > 1, inside > planner.wasteLimit else { return nil }
        let length = request.upperBound - request.lowerBound
        let singles = inside.dividingFullWidth(length.multipliedFullWidth(by: planner.wasteLimit / 2)).quotient
        guard singles < length / parts * (parts - 1) else { return nil }
        let count = min(parts - 1, max(1, singles / max(1, rules.leastPart)))
        let single = max(1, singles / count)
        var lengths = [Int64](repeating: single, count: Int(count))
        lengths.insert(length - single * count, at: 1)
        return lengths
    }

    /// Returns the ranges of a planned request without its gaps; `nil` if it is requested as a whole.
    func parts(of request: Range<Int64>) -> ByteRanges? {
        guard canAskForSeveral, !gaps.isEmpty, !alone.overlaps(request) else { return nil }
        // A reader may have started there since it was planned.
        let inside = gaps.intersection(request).ranges.filter { gap in
            request.lowerBound < gap.lowerBound && gap.upperBound < request.upperBound
                && !readers.values.contains { $0.wanted.overlaps(gap) }
        }
        let longest = inside.sorted { ($1.count, $0.lowerBound) < ($0.count, $1.lowerBound) }
            .prefix(mostRanges(upTo: request.upperBound) - 1)
        guard longest.reduce(0, { $0 + Int64($1.count) }) >= SeveralRules.leastSaving else { return nil }
        return ByteRanges(request).subtracting(ByteRanges(longest))
    }

    /// Removes small planned requests from the queue to combine them.
    ///
    /// - Parameter place: a byte that must be included.
    /// - Returns: the combined ranges; `nil` if there are few.
    mutating func takeSmall(with place: Int64? = nil) -> ByteRanges? {
        guard canAskForSeveral, queue.count > 2 * rules.connections,
            let first = place.map({ place in queue.firstIndex { $0.contains(place) } }) ?? 0
        else { return nil }
        var (parts, bytes): ([Range<Int64>], Int64) = ([], 0)
        var end = first
        let most = mostRanges(upTo: total ?? .max)
        while end < queue.count, parts.count < most {
            let next = queue[end]
            bytes += next.upperBound - next.lowerBound
            guard next.upperBound - next.lowerBound <= SeveralRules.smallRequest, bytes <= SeveralRules.mostSmallBytes,
                !alone.overlaps(next)
            else { break }
            // Planned before other requests delivered some of it.
            if absent(next) == ByteRanges(next) { parts.append(next) }
            end += 1
        }
        let joined = ByteRanges(parts)
        guard joined.ranges.count > 1, place.map(joined.contains) ?? true else { return nil }
        queue.removeSubrange(first..<end)
        return joined
    }

    mutating func startSeveral(_ parts: ByteRanges, sequence: Int? = nil, _ actions: inout [Action]) {
        guard let span = parts.span else { return }
        start(Transfer(id: makeID(), range: span, phase: .running, sequence: sequence, parts: parts), &actions)
    }

    /// Splits off the parts after an offset as a separate request, if much comes before them.
    mutating func split(_ index: Int, _ parts: ByteRanges, at place: Int64, _ actions: inout [Action]) {
        let before = parts.intersection(0..<place)
        guard before.byteCount > max(rules.leastWait, 2 * min(link.bytesPerDelay, .max / 2)),
            activeCount < rules.connections
        else { return }
        transfers[index].parts = before
        transfers[index].wasCut = true
        guard mayAskForSeveral, hasAnsweredSeveral else {
            plan()
            return start(takeAnnounced(from: place), &actions)
        }
        startSeveral(parts.subtracting(before), sequence: transfers[index].sequence, &actions)
    }

    /// Records that bytes of a request for several ranges arrived and are in memory.
    ///
    /// - Parameter range: a range among the missing bytes.
    /// - Returns: whether more of this response is needed.
    mutating func arrived(_ id: Int, in range: Range<Int64>) -> Bool {
        guard let index = index(of: id), transfers[index].phase == .running, transfers[index].parts != nil else {
            return false
        }
        memory.insert(range)
        if let first = transfers[index].firstPart {
            if !first.contains(range.lowerBound) { hasAnsweredSeveral = true }
        } else {
            transfers[index].firstPart = transfers[index].parts?.range(containing: range.lowerBound)
        }
        transfers[index].parts?.remove(range)
        transfers[index].delivered += Int64(range.count)
        return wantsMore(of: transfers[index])
    }

    /// Returns whether a response in several parts should continue: to its end if everything arrived, so that its
    /// connection can be reused.
    func wantsMore(of transfer: Transfer) -> Bool {
        if transfer.missing.isEmpty { return !transfer.wasCut }
        return isNeeded(transfer) || transfer.remaining <= link.bytesPerConnect
    }

    /// Removes some parts from a request that is about to be made, because other readers fetch them or they are
    /// available. They are planned again.
    mutating func leave(_ ranges: ByteRanges, of id: Int) {
        guard let index = index(of: id) else { return }
        alone.formUnion(ranges)
        transfers[index].parts?.subtract(ranges)
        if transfers[index].missing.isEmpty { transfers.remove(at: index) }
        plan()
    }

    /// Records that a request for several ranges ended without delivering everything.
    mutating func endedSeveral(at index: Int, _ ending: Ending) {
        let transfer = transfers.remove(at: index)
        switch ending {
        case .again, .cancelled: break
        case .failed(.connectionLost, _) where transfer.delivered > 0,
            .failed(.timedOut, _) where transfer.delivered > 0:
            severalFailures += 1
            if severalFailures >= SeveralRules.failures { mayAskForSeveral = false }
            retryCount += 1
        case .complete, .failed, .hopeless:
            mayAskForSeveral = false
            retryCount += 1
        }
        plan()
    }
}
