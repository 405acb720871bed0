internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV
internal import ScrubBase

/// The fragments of an MP4 file that is being written. Each is read once, when it and its media are complete.
struct MovieGrowth {
    private let requestedStream: Int?
    private let rules: IndexRules
    private var movie = GrowingMovie()
    private var followed: (track: Track, stream: StreamDescription)?
    /// The first sample whose order is not checked yet; a keyframe.
    private var unchecked = 0
    /// The index so far.
    private var made: FrameIndex?

    init(requestedStream: Int?, rules: IndexRules) { (self.requestedStream, self.rules) = (requestedStream, rules) }

    /// Reads the new fragments.
    ///
    /// - Returns: the index of all available samples, `nil` while no picture is shown; and whether the writer has
    ///   finished.
    /// - Throws: the reason why the tables are not enough for an index.
    mutating func extend(to file: MediaSource) throws(ScrubError) -> (index: FrameIndex?, isEnded: Bool) {
        if !movie.head.isEmpty, try file.read(at: 0, count: movie.head.count) != movie.head {
            throw ScrubError(.unavailable, "a different header")
        }
        try movie.extend(to: file)
        guard let header = movie.movie else { return (nil, false) }
        let indexer = MovieIndexer(file, rules: rules)
        if followed == nil {
            let streams = try indexer.describe(header)
            let stream = try StreamChoice.choose(among: streams, requested: requestedStream) {
                PictureCounts.of($0, in: file)
            }
            let tracks = header.tracks.filter { $0.id == UInt32(clamping: stream.id) }
            guard let track = tracks.first, tracks.count == 1, indexer.isReadable(track, stream) else {
                throw ScrubError(.unavailable, "has to be read by libavformat")
            }
            try movie.follow(track)
            followed = (track, stream)
        }
        if let made, !movie.hasNews { return (made, movie.isEnded) }
        guard let (track, stream) = followed, let table = try movie.sampleTable(), table.count > 0 else {
            return (nil, movie.isEnded)
        }
        guard case .index(let index) = try indexer.makeIndex(header, track, stream, table, growing: unchecked) else {
            throw ScrubError(.unavailable, "its times contradict the order of its pictures")
        }
        unchecked = (unchecked..<table.count).last { table.isKey($0) } ?? unchecked
        made = index.frameCount > 0 ? index : nil
        return (made, movie.isEnded)
    }
}
