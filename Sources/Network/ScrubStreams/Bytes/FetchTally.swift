internal import ScrubSourcesLogic
internal import ScrubBase

/// A tally of the reads of segments so far.
///
/// Thread safety: safe from any thread.
final class FetchTally: Sendable {
    private struct State {
        var ranges: [Int: ByteRanges] = [:]
        var others: Int64 = 0
    }

    private let state = Locked(State())

    /// Resets the tally.
    func begin() { state.withLock { $0 = State() } }

    /// The segments that were read since then, and the number of bytes. Each byte counts once, however often it was
    /// read.
    var sum: (segments: [Int], bytes: Int64) {
        state.withLock { state in
            (state.ranges.keys.sorted(), state.ranges.values.reduce(state.others) { $0 + $1.byteCount })
        }
    }

    func add(_ range: Range<Int64>, of segment: Int) {
        state.withLock { $0.ranges[segment, default: ByteRanges()].insert(range) }
    }

    /// Adds bytes of initialization sections.
    func addOther(_ count: Int) { state.withLock { $0.others += Int64(count) } }
}

/// A segment's bytes, counted.
struct TalliedSource: PrefetchingByteSource {
    private let base: any ByteSource
    private let segment: Int
    private let tally: FetchTally

    init(_ base: any ByteSource, segment: Int, _ tally: FetchTally) {
        (self.base, self.segment, self.tally) = (base, segment, tally)
    }

    var byteCount: Int64 { base.byteCount }
    var contentIdentifier: String? { base.contentIdentifier }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try unsafe base.read(fromAbsoluteOffset: offset, into: buffer)
        if count > 0 { tally.add(offset..<offset + Int64(count), of: segment) }
        return count
    }

    func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless cancellation: Cancellation
    ) throws -> Int? {
        let count = try unsafe base.readSome(at: offset, into: buffer, unless: cancellation)
        if let count, count > 0 { tally.add(offset..<offset + Int64(count), of: segment) }
        return count
    }

    func prefetch(_ ranges: [Range<Int64>]) { (base as? any PrefetchingByteSource)?.prefetch(ranges) }
    func cancel() { (base as? any PrefetchingByteSource)?.cancel() }
}
