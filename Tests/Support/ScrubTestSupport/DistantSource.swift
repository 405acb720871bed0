internal import Glibc
package import ScrubBase

/// A file whose bytes seem to be remote. Announcements and reads are recorded, and counted in the requests that a
/// fetcher would make.
///
/// Each piece of an announcement that is not there yet is a request, together with pieces less than 64 KiB behind it.
/// So is an unannounced read. Fetched bytes stay.
package final class DistantSource: PrefetchingByteSource {
    /// A request to the other side.
    package struct Request: Sendable, CustomStringConvertible {
        package var range: Range<Int64>
        /// Whether the request was not announced.
        package var isStray: Bool
        /// The times at which its first byte and its last one are there, in nanoseconds of the clock.
        package var arrival: ClosedRange<Int64>
        package var description: String { "\(range.lowerBound)+\(range.count)\(isStray ? " stray" : "")" }
    }

    /// The time that bytes take, and the actions while a reader waits for them. Time goes by only where it is moved.
    package struct Way: Sendable {
        /// Nanoseconds from a request to its first byte.
        package var delay: Int64 = 0
        package var bytesPerSecond: Int64 = .max
        package var now: @Sendable () -> Int64 = { 0 }
        /// Lets time go by up to a moment; earlier where something happens that interrupts the read.
        package var wait: @Sendable (Int64) -> Void = { _ in }
        package init() {}
    }

    private struct State {
        var fetched: [Range<Int64>] = []
        var requests: [Request] = []
        var announcements: [[Range<Int64>]] = []
        var reads: [Range<Int64>] = []
        var lineIsFree: Int64 = 0
    }

    package let byteCount: Int64
    package let contentIdentifier: String?
    private let descriptor: Int32
    private let way: Way
    private let state = Locked(State())

    /// - Parameters:
    ///   - head: bytes of the first request, which comes with the opening.
    ///   - known: the ranges that were fetched at another time.
    package init(
        path: String, identifier: String? = nil, head: Int64 = 64 << 10, known: [Range<Int64>] = [], way: Way = Way()
    ) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        precondition(descriptor >= 0, path)
        byteCount = Int64(lseek(descriptor, 0, SEEK_END))
        (contentIdentifier, self.way) = (identifier, way)
        for range in known { state.withLock { DistantSource.insert(range, &$0.fetched) } }
        if head > 0 { fetch([0..<min(head, byteCount)], isStray: false) }
    }

    deinit { close(descriptor) }

    package var requests: [Request] { state.withLock { $0.requests } }
    package var announcements: [[Range<Int64>]] { state.withLock { $0.announcements } }
    package var reads: [Range<Int64>] { state.withLock { $0.reads } }
    /// The ranges that are there.
    package var fetched: [Range<Int64>] { state.withLock { $0.fetched } }
    package var bytesFetched: Int64 { requests.reduce(0) { $0 + Int64($1.range.count) } }

    /// Forgets the counts; fetched bytes stay.
    package func reset() { state.withLock { ($0.requests, $0.announcements, $0.reads) = ([], [], []) } }

    package func prefetch(_ ranges: [Range<Int64>]) {
        state.withLock { $0.announcements.append(ranges) }
        fetch(ranges, isStray: false)
    }

    package func cancel() {}

    package func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let range = offset..<min(byteCount, offset + Int64(buffer.count))
        state.withLock { $0.reads.append(range) }
        fetch([range], isStray: true)
        while true {
            let (arrival, now) = (arrival(of: range), way.now())
            if arrival <= now { break }
            way.wait(arrival)
        }
        return copy(range, buffer)
    }

    package func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer,
        unless cancellation: Cancellation
    ) throws -> Int? {
        let range = offset..<min(byteCount, offset + Int64(buffer.count))
        state.withLock { $0.reads.append(range) }
        fetch([range], isStray: true)
        while true {
            let (arrival, now) = (arrival(of: range), way.now())
            if arrival <= now { return copy(range, buffer) }
            if cancellation.isCancelled { return nil }
            way.wait(arrival)
        }
    }

    package func availableByteCount(from offset: Int64) -> Int64 {
        let now = way.now()
        return state.withLock { state in
            guard let there = state.fetched.first(where: { $0.contains(offset) }) else { return 0 }
            let end = state.requests.reduce(there.upperBound) { end, request in
                guard request.arrival.upperBound > now, request.range.overlaps(offset..<end) else { return end }
                let length = Double(request.arrival.upperBound - request.arrival.lowerBound)
                let part = length > 0 ? max(0, Double(now - request.arrival.lowerBound)) / length : 0
                let arrived = request.range.lowerBound + Int64(part * Double(request.range.count))
                return min(end, max(offset, arrived))
            }
            return end - offset
        }
    }

    private func copy(_ range: Range<Int64>, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        range.isEmpty ? 0 : pread(descriptor, buffer.baseAddress, range.count, Int(range.lowerBound))
    }

    /// Returns the time at which the last byte of a range is there.
    private func arrival(of range: Range<Int64>) -> Int64 {
        state.withLock { state in
            state.requests.reduce(into: Int64.min) { latest, request in
                let own = request.range.clamped(to: range)
                guard !own.isEmpty else { return }
                let part = Double(own.upperBound - request.range.lowerBound) / Double(request.range.count)
                let length = Double(request.arrival.upperBound - request.arrival.lowerBound)
                latest = max(latest, request.arrival.lowerBound + Int64(part * length))
            }
        }
    }

    private func fetch(_ ranges: [Range<Int64>], isStray: Bool) {
        state.withLock { state in
            var holes: [Range<Int64>] = []
            for range in ranges {
                var start = range.lowerBound
                let end = min(byteCount, range.upperBound)
                for known in state.fetched where known.upperBound > start && known.lowerBound < end {
                    if known.lowerBound > start { holes.append(start..<known.lowerBound) }
                    start = max(start, known.upperBound)
                }
                if start < end { holes.append(start..<end) }
            }
            var merged: [Range<Int64>] = []
            for hole in holes {
                if let last = merged.last, hole.lowerBound >= last.lowerBound,
                    hole.lowerBound - last.upperBound <= 64 << 10
                {
                    merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, hole.upperBound)
                } else {
                    merged.append(hole)
                }
            }
            for range in merged {
                let first = max(way.now() + way.delay, state.lineIsFree)
                let (last, overflow) = first.addingReportingOverflow(
                    way.bytesPerSecond == .max ? 0 : Int64(range.count) * 1_000_000_000 / way.bytesPerSecond)
                precondition(!overflow)
                state.lineIsFree = way.bytesPerSecond == .max ? 0 : last
                state.requests.append(Request(range: range, isStray: isStray, arrival: first...last))
                DistantSource.insert(range, &state.fetched)
            }
        }
    }

    private static func insert(_ range: Range<Int64>, _ set: inout [Range<Int64>]) {
        var range = range
        set.removeAll { other in
            guard other.upperBound >= range.lowerBound, other.lowerBound <= range.upperBound else { return false }
            range = min(range.lowerBound, other.lowerBound)..<max(range.upperBound, other.upperBound)
            return true
        }
        set.insert(range, at: set.firstIndex { $0.lowerBound > range.lowerBound } ?? set.count)
    }
}
