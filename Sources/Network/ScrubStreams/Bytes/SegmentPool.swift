internal import ScrubBase
internal import ScrubSources

/// A pool of segments that keeps the most recently read ones open.
///
/// Thread safety: safe from any thread. Memory: at most `openLimit` open segments, and the announcements for others.
final class SegmentPool: Sendable {
    private struct State {
        /// The open segments, the most recently used last.
        var open: [(number: Int, source: any ByteSource)] = []
        /// The announced reads of each segment.
        var wanted: [Int: [Range<Int64>]] = [:]
    }

    private let library: SegmentOpener
    private let timeline: StreamTimeline
    private let state = Locked(State())
    private let openLimit: Int
    /// Ends openings on behalf of the pool's last user.
    private let cancellation = Cancellation()

    /// Creates a pool.
    ///
    /// - Parameter openLimit: the maximum number of open segments, at least one.
    init(_ library: SegmentOpener, _ timeline: StreamTimeline, openLimit: Int) {
        (self.library, self.timeline, self.openLimit) = (library, timeline, max(1, openLimit))
    }

    /// Returns a segment's bytes for a read, opening it if necessary. A segment whose read is abandoned for another
    /// frame is still opened, because it is needed soon.
    func readableSource(_ number: Int) throws(ScrubError) -> any ByteSource {
        try cancellation.perform { () throws(ScrubError) in try source(number) }
    }

    /// Returns a segment's bytes, opening it if necessary. It stops if the work on this thread is cancelled.
    func source(_ number: Int) throws(ScrubError) -> any ByteSource {
        guard !cancellation.isCancelled else { throw .cancelled }
        let known = state.withLock { state -> (any ByteSource)? in
            guard let place = state.open.firstIndex(where: { $0.number == number }) else { return nil }
            let found = state.open.remove(at: place)
            state.open.append(found)
            return found.source
        }
        if let known { return known }
        // Outside the lock, because it may wait for a server. Two threads may open the same segment; the second one's
        // is kept.
        let opened = try library.segment(number, of: timeline)
        let wanted = state.withLock { state in
            state.open.removeAll { $0.number == number }
            if state.open.count >= openLimit { state.open.removeFirst() }
            state.open.append((number, opened))
            return state.wanted[number]
        }
        // It may have been cancelled while the segment was opened, and did not see it.
        guard !cancellation.isCancelled else {
            (opened as? any PrefetchingByteSource)?.cancel()
            throw .cancelled
        }
        if let wanted { (opened as? any PrefetchingByteSource)?.prefetch(wanted) }
        return opened
    }

    /// Records the announced reads of segments. Those of a closed segment take effect when it is opened.
    func prefetch(_ wanted: [Int: [Range<Int64>]]) {
        let told = state.withLock { state in
            defer { state.wanted = wanted }
            return state.open.compactMap { number, source -> (any PrefetchingByteSource, [Range<Int64>])? in
                guard wanted[number] != nil || state.wanted[number] != nil else { return nil }
                return (source as? any PrefetchingByteSource).map { ($0, wanted[number] ?? []) }
            }
        }
        for (source, ranges) in told { source.prefetch(ranges) }
    }

    func cancel() {
        cancellation.cancel()
        for (_, source) in state.withLock({ $0.open }) { (source as? any PrefetchingByteSource)?.cancel() }
    }
}

/// A segment of a pool.
struct PooledSegment: ByteSource {
    let pool: SegmentPool
    let number: Int
    let byteCount: Int64
    let contentIdentifier: String?

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try unsafe pool.readableSource(number).read(fromAbsoluteOffset: offset, into: buffer)
    }
}
