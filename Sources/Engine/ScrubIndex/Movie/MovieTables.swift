internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV

/// The tables of a movie whose packets libavformat has read.
struct MovieTables {
    let movie: Movie
    let track: Track
    let table: SampleTable

    /// - Returns: `nil` for other files, and if the tables of the stream cannot be read.
    init?(of stream: StreamDescription, container: String, in file: MediaSource) {
        guard container.contains("mov"), let movie = try? Movie(reading: file),
            let track = movie.tracks.first(where: { $0.id == UInt32(clamping: stream.id) }),
            let table = try? track.sampleTable()
        else { return nil }
        (self.movie, self.track, self.table) = (movie, track, table)
    }

    /// The end time of the sample that is shown last, on libavformat's clock, in the track's units; `nil` if the file
    /// does not give it.
    var end: Int64? {
        let sequence = try? EditMapping.sequence(
            of: table, edits: track.edits, movieTimescale: movie.timescale, mediaTimescale: track.mediaTimescale)
        guard let sequence, let last = sequence.lastShown.map({ sequence.pts[$0] }) else { return nil }
        let stay = sequence.lastDuration(table, of: track)
        let (end, overflow) = last.addingReportingOverflow(stay)
        return stay > 0 && !overflow ? end : nil
    }
}
