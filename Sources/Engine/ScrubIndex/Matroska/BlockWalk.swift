internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubMatroska
internal import ScrubBase

/// The coded pictures of a track, as its block headers tell them.
///
/// Long files are walked from several places at once. Beginnings of clusters in the middle of a file are guessed. A
/// stretch that was read from there counts only if the stretch before it ends at that very place. So the result is that
/// of one walk.
struct BlockWalk: Sendable {
    let pictures: CodedPictures
    /// Whether the file ends before its segment does. Blocks that are not all there are left out.
    let isTruncated: Bool
    /// Durations that blocks give themselves, 0 for those that don't. Empty when none does.
    private let durations: [Int64]
    private let defaultDuration: Int64

    /// The way a file is walked.
    struct Pace: Sendable {
        /// Threads at work, this one among them.
        var threads = min(8, Processors.count)
        /// Bytes of a stretch, at least: a thread is started in less time than reading them takes.
        var stretch: Int64 = 16 << 20
        /// Bytes that are read first and tell how dense the blocks are.
        var beginning: Int64 = 1 << 20
        /// Bytes in which the beginning of a cluster is looked for.
        var search: Int64 = 16 << 20
        /// Whether all may be read where blocks are small.
        var readsAhead = true

        /// One thread that leaps over unneeded bytes: for sources whose cost of a read is unknown.
        static let sparing = Pace(threads: 1, readsAhead: false)
    }

    /// Walks all clusters of a segment.
    init(
        _ segment: MatroskaSegment, _ track: TrackEntry, isIntraOnly: Bool, file: MediaSource, heads: BlockHeads,
        pace: Pace = Pace()
    ) throws(ScrubError) {
        defaultDuration = Int64(clamping: (track.defaultDuration ?? 0) / segment.timestampScale)
        let reader = BlockReader(
            segment, track: track.number, source: file, headSize: BlockHeads.size, readsAhead: pace.readsAhead)
        let base = isIntraOnly ? PictureFlags.verified.with(.instantaneous) : []
        var whole = BlockStretch(reader, heads: heads, base: base)
        let end = min(file.byteCount, segment.end ?? .max)
        if pace.threads > 1, end - segment.firstCluster >= 2 * pace.stretch {
            try whole.read(to: segment.firstCluster + pace.beginning)
            if whole.heads.isSettled, !whole.isLast {
                let stretches = BlockWalk.stretches(behind: whole, from: segment.firstCluster, end: end, pace)
                whole.reserve(whole.pictures.count + stretches.reduce(0) { $0 + $1.pictureCount })
                for next in stretches {
                    // Another one was no cluster, or its walk went astray before.
                    guard next.start >= whole.end, !whole.isLast else { continue }
                    try whole.read(to: next.start)
                    guard whole.end == next.start, !whole.isLast else { continue }
                    try whole.append(next.result.get())
                }
            }
        }
        try whole.read()
        (pictures, durations, isTruncated) = (whole.pictures, whole.durations, whole.reader.isTruncated)
    }

    /// Takes the walked part of a segment that grows.
    init(_ stretch: BlockStretch, _ segment: MatroskaSegment, _ track: TrackEntry) {
        defaultDuration = Int64(clamping: (track.defaultDuration ?? 0) / segment.timestampScale)
        (pictures, durations, isTruncated) = (stretch.pictures, stretch.durations, stretch.reader.isTruncated)
    }

    /// A stretch that was walked from a place where a cluster seems to begin.
    private struct Found: Sendable {
        let start: Int64
        let result: Result<BlockStretch, ScrubError>

        var pictureCount: Int { if case .success(let stretch) = result { stretch.pictures.count } else { 0 } }
    }

    /// Walks the part behind a stretch on several threads.
    ///
    /// - Returns: stretches in file order. The first begins at the end of `first`.
    private static func stretches(
        behind first: BlockStretch, from firstCluster: Int64, end: Int64, _ pace: Pace
    ) -> [Found] {
        let starts = starts(behind: first, end: end, pace)
        // Room for a little more than the beginning lets expect; only a guess, and so not for any number.
        let bytesEach = max(1, (first.end - firstCluster) / Int64(max(1, first.pictures.count)))
        return SideBySide.map(starts.count, threads: pace.threads) { number in
            var stretch = first.beginning(at: starts[number])
            let stop = number + 1 < starts.count ? starts[number + 1] : Int64.max
            stretch.reserve(Int(min(1 << 20, (min(stop, end) - starts[number]) / bytesEach * 9 / 8)))
            let result: Result<BlockStretch, ScrubError>
            do throws(ScrubError) {
                try stretch.read(to: stop)
                result = .success(stretch)
            } catch {
                result = .failure(error)
            }
            return Found(start: starts[number], result: result)
        }
    }

    /// Returns places where clusters seem to begin, ascending: eight for each thread, so that one which is held up
    /// holds up little.
    private static func starts(behind first: BlockStretch, end: Int64, _ pace: Pace) -> [Int64] {
        let length = end - first.end
        let count = min(Int64(8 * pace.threads), length / pace.stretch)
        var starts = [first.end]
        guard count > 1 else { return starts }
        for number in 1..<count {
            let place = first.end + length / count * number
            guard place > starts[starts.count - 1] else { continue }
            if let start = first.reader.clusterPlace(from: place, before: min(end, place + pace.search)) {
                if start > starts[starts.count - 1] { starts.append(start) }
            }
        }
        return starts
    }

    /// The end of the last picture.
    var end: Int64 {
        guard
            let last = pictures.presentationTimes.indices.max(by: {
                pictures.presentationTimes[$0] < pictures.presentationTimes[$1]
            })
        else { return 0 }
        return pictures.presentationTimes[last] + (duration(of: last) ?? 0)
    }

    /// Returns the duration of a picture by its block or the track; `nil` if neither has it.
    func duration(of picture: Int) -> Int64? {
        let own = durations.isEmpty ? 0 : durations[picture]
        let found = own > 0 ? own : defaultDuration
        return found > 0 ? min(found, BlockStretch.timeLimit) : nil
    }
}
