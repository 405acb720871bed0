internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV
internal import ScrubBase

/// The fragments of an MP4 file that is being written: each is read once, when it and its media are there.
struct MovieGrowth {
    private let requestedStream: Int?
    private let rules: IndexRules
    private var movie = GrowingMovie()
    private var followed: (track: Track, stream: StreamDescription)?
    /// The sample from which on the order is not checked yet, a key.
    private var unchecked = 0
    /// The index so far.
    private var made: FrameIndex?

    init(requestedStream: Int?, rules: IndexRules) { (self.requestedStream, self.rules) = (requestedStream, rules) }

    /// Reads the fragments that have come.
    ///
    /// - Returns: the index of all samples that are there, `nil` while nothing shows; and whether the writer has ended.
    /// - Throws: the reason against an index by the tables.
    mutating func extend(to file: MediaSource) throws(ScrubError) -> (index: FrameIndex?, isEnded: Bool) {
        if !movie.head.isEmpty, try file.read(at: 0, count: movie.head.count) != movie.head {
            throw ScrubError(.unavailable, "another head")
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
                throw ScrubError(.unavailable, "is left to libavformat")
            }
            try movie.follow(track)
            followed = (track, stream)
        }
        if let made, !movie.hasNews { return (made, movie.isEnded) }
        guard let (track, stream) = followed, let table = try movie.sampleTable(), table.count > 0 else {
            return (nil, movie.isEnded)
        }
        guard case .index(let index) = try indexer.makeIndex(header, track, stream, table, growing: unchecked) else {
            throw ScrubError(.unavailable, "times that contradict the pictures' order")
        }
        unchecked = (unchecked..<table.count).last { table.isKey($0) } ?? unchecked
        made = index.frameCount > 0 ? index : nil
        return (made, movie.isEnded)
    }
}
