internal import ScrubHashing
internal import ScrubBase
internal import ScrubFileIO
internal import ScrubSources
internal import Synchronization

/// A concatenation of all segments of a presentation, as in a single file.
final class PresentationSource: PrefetchingByteSource, CostingSource, SegmentedSource {
    private let joined: JoinedSource
    private let head: Int
    private let pool: SegmentPool
    private let access: any StreamAccess
    let contentIdentifier: String?

    /// The number of segments whose lengths are requested at once.
    private static let threads = 4

    /// Creates a source. It requests the length of each segment, which opens it once. It stops if the work on this
    /// thread is cancelled.
    ///
    /// - Precondition: the segments form one stretch.
    init(
        _ library: SegmentOpener, _ timeline: StreamTimeline, access: any StreamAccess, openLimit: Int
    ) throws(ScrubError) {
        let pool = SegmentPool(library, timeline, openLimit: openLimit)
        let initialization = try library.initialization(of: 0, in: timeline)
        let segments = try PresentationSource.segments(timeline.segments.count, of: pool)
        (self.pool, self.access, head) = (pool, access, initialization == nil ? 0 : 1)
        joined = try JoinedSource((initialization.map { [MemorySource($0)] } ?? []) + segments)
        let names = segments.compactMap(\.contentIdentifier)
        guard names.count == segments.count else {
            contentIdentifier = nil
            return
        }
        let parts = [initialization.map { String(xxh3($0), radix: 16) } ?? "none"] + names
        contentIdentifier = parts.map { "\($0.utf8.count):\($0)" }.joined()
    }

    private static func segments(_ count: Int, of pool: SegmentPool) throws(ScrubError) -> [PooledSegment] {
        let cancellation = Cancellation.current
        let found = Locked<(segments: [PooledSegment?], error: ScrubError?)>((Array(repeating: nil, count: count), nil))
        SideBySide.run(count, threads: threads) { number in
            guard found.withLock({ $0.error == nil }) else { return }
            do throws(ScrubError) {
                let source = try Cancellation.performing(cancellation) { () throws(ScrubError) -> any ByteSource in
                    try Cancellation.check()
                    return try pool.source(number)
                }
                let segment = PooledSegment(
                    pool: pool, number: number, byteCount: source.byteCount,
                    contentIdentifier: source.contentIdentifier)
                found.withLock { $0.segments[number] = segment }
            } catch {
                found.withLock { $0.error = $0.error ?? error }
            }
        }
        let result = found.withLock { $0 }
        if let error = result.error { throw error }
        return result.segments.compactMap(\.self)
    }

    var byteCount: Int64 { joined.byteCount }
    var networkCost: NetworkCost? { access.cost }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try unsafe joined.read(fromAbsoluteOffset: offset, into: buffer)
    }

    func prefetch(_ ranges: [Range<Int64>]) {
        var wanted: [Int: [Range<Int64>]] = [:]
        for range in ranges.map({ $0.clamped(to: 0..<byteCount) }) where !range.isEmpty {
            var place = joined.part(at: range.lowerBound)
            while place + 1 < joined.starts.count, joined.starts[place] < range.upperBound {
                let own = joined.starts[place]..<joined.starts[place + 1]
                let part = range.clamped(to: own)
                if !part.isEmpty, place >= head {
                    wanted[place - head, default: []].append(
                        part.lowerBound - own.lowerBound..<part.upperBound - own.lowerBound)
                }
                place += 1
            }
        }
        pool.prefetch(wanted)
    }

    func cancel() { pool.cancel() }
}

/// The concatenation if all segments are files, so that reads need not be announced and reading much is cheap.
struct LocalPresentationSource: ByteSource, SegmentedSource {
    let base: PresentationSource

    var byteCount: Int64 { base.byteCount }
    var contentIdentifier: String? { base.contentIdentifier }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try unsafe base.read(fromAbsoluteOffset: offset, into: buffer)
    }
}
