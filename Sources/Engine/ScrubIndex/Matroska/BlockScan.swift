internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubMatroska
internal import ScrubBase

/// The coded pictures of a track, according to its block headers.
///
/// Long files are read from several positions in parallel. The beginnings of clusters in the middle of a file are
/// guessed. A stretch that was read from such a position counts only if the preceding stretch ends exactly there, so
/// the result is the same as that of a single pass.
struct BlockScan: Sendable {
    let pictures: CodedPictures
    /// Whether the file ends before its segment does. Incomplete blocks are left out.
    let isTruncated: Bool
    /// The durations in the blocks themselves, 0 for blocks without one. Empty if no block has one.
    private let durations: [Int64]
    private let defaultDuration: Int64

    /// The way in which a file is read.
    struct Pace: Sendable {
        /// The number of threads, including the calling one.
        var threads = min(8, Processors.count)
        /// The minimum number of bytes of a stretch: starting a thread takes less time than reading them.
        var stretch: Int64 = 16 << 20
        /// The number of bytes that are read first to learn the density of the blocks.
        var beginning: Int64 = 1 << 20
        /// The number of bytes that are searched for the beginning of a cluster.
        var search: Int64 = 16 << 20
        /// Whether everything may be read if blocks are small.
        var readsAhead = true

        /// One thread that skips unneeded bytes, for sources whose cost of a read is unknown.
        static let sparing = Pace(threads: 1, readsAhead: false)
    }

    /// Reads all clusters of a segment.
    init(
        _ segment: MatroskaSegment, _ track: TrackEntry, isIntraOnly: Bool, file: MediaSource, heads: BlockHeaderReader,
        pace: Pace = Pace()
    ) throws(ScrubError) {
        defaultDuration = Int64(clamping: (track.defaultDuration ?? 0) / segment.timestampScale)
        let reader = BlockReader(
            segment, track: track.number, source: file, headSize: BlockHeaderReader.size, readsAhead: pace.readsAhead)
        let base = isIntraOnly ? PictureFlags.verified.with(.instantaneous) : []
        var whole = BlockScanRange(reader, heads: heads, base: base)
        let end = min(file.byteCount, segment.end ?? .max)
        if pace.threads > 1, end - segment.firstCluster >= 2 * pace.stretch {
            try whole.read(to: segment.firstCluster + pace.beginning)
            if whole.heads.isSettled, !whole.isLast {
                let stretches = BlockScan.stretches(behind: whole, from: segment.firstCluster, end: end, pace)
                whole.reserve(whole.pictures.count + stretches.reduce(0) { $0 + $1.pictureCount })
                for next in stretches {
                    // Any other position was not a cluster, or its stretch went wrong earlier.
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

    /// Takes the part of a growing segment that has been read.
    init(_ stretch: BlockScanRange, _ segment: MatroskaSegment, _ track: TrackEntry) {
        defaultDuration = Int64(clamping: (track.defaultDuration ?? 0) / segment.timestampScale)
        (pictures, durations, isTruncated) = (stretch.pictures, stretch.durations, stretch.reader.isTruncated)
    }

    /// A stretch that was read from a position where a cluster seems to begin.
    private struct Found: Sendable {
        let start: Int64
        let result: Result<BlockScanRange, ScrubError>

        var pictureCount: Int { if case .success(let stretch) = result { stretch.pictures.count } else { 0 } }
    }

    /// Reads the part after a stretch on several threads.
    ///
    /// - Returns: the stretches in file order. The first begins at the end of `first`.
    private static func stretches(
        behind first: BlockScanRange, from firstCluster: Int64, end: Int64, _ pace: Pace
    ) -> [Found] {
        let starts = starts(behind: first, end: end, pace)
        // Capacity for a little more than the beginning suggests. Only an estimate, and therefore limited.
        let bytesEach = max(1, (first.end - firstCluster) / Int64(max(1, first.pictures.count)))
        return SideBySide.map(starts.count, threads: pace.threads) { number in
            var stretch = first.beginning(at: starts[number])
            let stop = number + 1 < starts.count ? starts[number + 1] : Int64.max
            stretch.reserve(Int(min(1 << 20, (min(stop, end) - starts[number]) / bytesEach * 9 / 8)))
            let result: Result<BlockScanRange, ScrubError>
            do throws(ScrubError) {
                try stretch.read(to: stop)
                result = .success(stretch)
            } catch {
                result = .failure(error)
            }
            return Found(start: starts[number], result: result)
        }
    }

    /// Returns positions at which clusters seem to begin, in ascending order: eight for each thread, so that a slow one
    /// delays little.
    private static func starts(behind first: BlockScanRange, end: Int64, _ pace: Pace) -> [Int64] {
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

    /// Returns the duration of a picture from its block or the track; `nil` if neither has one.
    func duration(of picture: Int) -> Int64? {
        let own = durations.isEmpty ? 0 : durations[picture]
        let found = own > 0 ? own : defaultDuration
        return found > 0 ? min(found, BlockScanRange.timeLimit) : nil
    }
}
