internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV

/// The tables of a movie whose packets libavformat has read.
struct MovieTables {
    let movie: Movie
    let track: Track
    let table: SampleTable

    /// `nil` for other files, and where the tables of the stream can't be read.
    init?(of stream: StreamDescription, container: String, in file: MediaSource) {
        guard container.contains("mov"), let movie = try? Movie(reading: file),
            let track = movie.tracks.first(where: { $0.id == UInt32(clamping: stream.id) }),
            let table = try? track.sampleTable()
        else { return nil }
        (self.movie, self.track, self.table) = (movie, track, table)
    }

    /// The time at which the sample that is shown last leaves the screen, on libavformat's clock, in the track's units;
    /// `nil` if the file does not tell.
    var end: Int64? {
        let sequence = try? EditMapping.sequence(
            of: table, edits: track.edits, movieTimescale: movie.timescale, mediaTimescale: track.mediaTimescale)
        guard let sequence, let last = sequence.lastShown.map({ sequence.pts[$0] }) else { return nil }
        let stay = sequence.lastDuration(table, of: track)
        let (end, overflow) = last.addingReportingOverflow(stay)
        return stay > 0 && !overflow ? end : nil
    }
}
