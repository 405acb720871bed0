/// A planner that combines many ranges into few requests, reading through a gap if that is cheaper than another
/// request.
///
/// A gap costs its bytes; a request costs a delay that is shared by the connections in use. With `n` requests over `p`
/// connections, a gap is worth reading through if it is at most `B * D * (n/p - 1) / (n/p)`. This is zero while all
/// requests run in parallel, and approaches the bytes of a whole delay when many of them wait for each other.
package struct RequestPlanner: Hashable, Sendable {
    /// The number of connections in use.
    package var connections = 4
    /// The target number of requests, even if a gap is more expensive than a request.
    package var requestGoal = 2
    /// The maximum number of unneeded bytes that a plan may read, plus one for each ``wasteShare`` needed bytes.
    package var wasteLimit: Int64 = 112 * 1024
    package var wasteShare: Int64 = 16
    /// The maximum length of a gap to read through.
    package var longestGap: Int64 = 1 << 20

    package init() {}

    /// The planned requests, with the unneeded bytes that they read.
    package struct Plan: Hashable, Sendable {
        /// The requests, in the order in which their first ranges are needed. Disjoint.
        package var requests: [Range<Int64>] = []
        /// The bytes of the gaps in them.
        package var wastedBytes: Int64 = 0
    }

    /// Plans requests.
    ///
    /// - Parameters:
    ///   - needed: the ranges, in the order in which they are needed; they may overlap.
    ///   - absent: returns the bytes that are neither available nor being fetched; `needed` is clipped to them.
    ///   - link: the measured properties of the connection.
    package func plan(_ needed: [Range<Int64>], absent: (Range<Int64>) -> ByteRanges, link: LinkEstimator) -> Plan {
        var order: [Int64: Int] = [:]
        var all = ByteRanges()
        for (index, range) in needed.enumerated() {
            for part in absent(range).ranges {
                all.insert(part)
                if order[part.lowerBound] == nil { order[part.lowerBound] = index }
            }
        }
        guard !all.isEmpty else { return Plan() }
        var plan = merged(all, absent: absent, link: link)
        plan.requests = plan.requests.flatMap { split($0, needed, all, link) }
        for request in plan.requests where order[request.lowerBound] == nil {
            order[request.lowerBound] = needed.firstIndex { $0.contains(request.lowerBound) }
        }
        let starts = order.sorted { $0.key < $1.key }
        var rank: [Int64: Int] = [:]
        var next = 0
        for request in plan.requests {
            var first = Int.max
            while next < starts.count, starts[next].key < request.upperBound {
                first = min(first, starts[next].value)
                next += 1
            }
            rank[request.lowerBound] = first
        }
        plan.requests.sort { (rank[$0.lowerBound] ?? 0, $0.lowerBound) < (rank[$1.lowerBound] ?? 0, $1.lowerBound) }
        return plan
    }

    /// Divides a request, so that a range that is needed sooner begins a separate request and does not wait behind a
    /// long stretch that is needed later.
    private func split(
        _ request: Range<Int64>, _ needed: [Range<Int64>], _ all: ByteRanges, _ link: LinkEstimator
    ) -> [Range<Int64>] {
        let most = max(RequestPlanner.shortestWait, link.bytesPerDelay)
        guard request.upperBound - request.lowerBound > most else { return [request] }
        var cuts: [Int64] = []
        var sooner = ByteRanges()
        for range in needed {
            let part = range.clamped(to: request)
            guard !part.isEmpty else { continue }
            defer { sooner.insert(part) }
            let place = part.lowerBound
            // Not in a gap, which would then be read unnecessarily.
            guard place > request.lowerBound, !sooner.contains(place), all.contains(place - 1) else { continue }
            let end = sooner.ranges.last { $0.upperBound <= place }?.upperBound ?? request.lowerBound
            if place - max(end, cuts.filter { $0 <= place }.max() ?? end) > most { cuts.append(place) }
        }
        var (parts, place): ([Range<Int64>], Int64) = ([], request.lowerBound)
        for cut in cuts.sorted() + [request.upperBound] {
            parts.append(place..<cut)
            place = cut
        }
        return parts
    }

    /// The minimum number of bytes that justifies a separate request.
    private static let shortestWait: Int64 = 64 * 1024

    /// Returns ascending requests that read through the cheapest gaps.
    private func merged(_ all: ByteRanges, absent: (Range<Int64>) -> ByteRanges, link: LinkEstimator) -> Plan {
        struct Gap {
            var index: Int
            var length: Int64
        }
        let parts = all.ranges
        var gaps: [Gap] = []
        for index in parts.indices.dropLast() {
            let between = parts[index].upperBound..<parts[index + 1].lowerBound
            let (length, overflow) = between.upperBound.subtractingReportingOverflow(between.lowerBound)
            // Bytes that are already available or in transit are not fetched again to save a request.
            guard !overflow, length <= longestGap, absent(between) == ByteRanges(between) else { continue }
            gaps.append(Gap(index: index, length: length))
        }
        gaps.sort { ($0.length, $0.index) < ($1.length, $1.index) }

        var plan = Plan()
        let waste = wasteLimit + all.byteCount / max(1, wasteShare)
        var isRead = [Bool](repeating: false, count: parts.count)
        var count = parts.count
        for gap in gaps {
            guard gap.length <= waste - plan.wastedBytes else { break }
            guard count > requestGoal || gap.length <= worthwhileGap(requests: count, link: link) else { break }
            plan.wastedBytes += gap.length
            isRead[gap.index] = true
            count -= 1
        }
        var index = 0
        while index < parts.count {
            var last = index
            while isRead[last], last + 1 < parts.count { last += 1 }
            plan.requests.append(parts[index].lowerBound..<parts[last].upperBound)
            index = last + 1
        }
        return plan
    }

    /// Returns the maximum length of a gap that is cheaper to read through than to skip.
    package func worthwhileGap(requests: Int, link: LinkEstimator) -> Int64 {
        let connections = max(1, connections)
        // A request's header and its work for the server are worth a few bytes, even if it costs no time.
        guard requests > connections else { return 4096 }
        guard link.bytesPerSecond != nil, link.delay != nil else { return 64 * 1024 }
        let most = min(link.bytesPerDelay, longestGap)
        let gap = most / Int64(requests) * Int64(requests - connections)
        return min(max(gap, 4096), longestGap)
    }
}
