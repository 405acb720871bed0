#if Viewer
internal import ScrubBase
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubMedia

/// The cost of seeking across the film: for each column of a line, the maximum number of coded pictures that a frame in
/// it needs.
struct SeekHeat: Sendable {
    let columns: [Int]
    /// Whether every frame was counted, or only those farthest from their restarts.
    let isWhole: Bool

    /// Films with more frames than this are sampled.
    private static let fewFrames = 4096
    /// The number of frames examined in a column of a longer film.
    private static let samples = 3

    /// Reads picture headers; blocks for milliseconds to a second.
    ///
    /// - Parameter count: the number of columns, 1 or more.
    init(_ asset: VideoAsset, columns count: Int) {
        let (frames, planner) = (asset.frames.count, asset.seekPlanner())
        isWhole = frames <= SeekHeat.fewFrames
        let isWhole = isWhole
        let total = max(1, Int128(asset.index.duration))
        // By time, as the line is drawn.
        let starts = (0...count).map { column -> Int in
            let time = total * Int128(column) / Int128(count)
            return (0..<frames).partitioningIndex { Int128(asset.index.offset(ofFrame: $0)) >= time }
        }
        columns = (0..<count).map { column in
            let first = min(starts[column], max(0, frames - 1))
            // A column within one frame's time shows that frame.
            let own =
                starts[column] < starts[column + 1]
                ? starts[column]..<starts[column + 1] : max(0, first - 1)..<first + 1
            let range = own.clamped(to: 0..<frames)
            let looked = isWhole ? Array(range) : Array(range.suffix(SeekHeat.samples - 1)) + range.prefix(1)
            return looked.reduce(0) { max($0, planner.cost(ofFrame: $1).fed) }
        }
    }

    /// As in the API.
    var json: String {
        var line = JSONText()
        line.add("columns", .array(columns.map { .integer(Int64($0)) }))
        line.add("basis", isWhole ? "all" : "sample")
        return line.text
    }
}
#endif
