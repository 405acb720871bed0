import ScrubISOMedia
import ScrubBase
import Testing

/// Two hours at thirty pictures a second.
struct LongFilmTests {
    @Test func expandsTwoHours() throws {
        let film = MovieBuilder.film(count: 216_000, group: 60)
        let bytes = film.fileType + film.movie
        let clock = ContinuousClock()
        var samples = 0
        let opening = try clock.measure {
            let movie = try Movie(reading: MemorySource(bytes))
            let track = try #require(movie.tracks.first)
            let table = try track.sampleTable()
            let sequence = try EditMapping.sequence(
                of: table, edits: [Edit(segmentDuration: 7_200_000, mediaTime: 1000)],
                movieTimescale: movie.timescale, mediaTimescale: track.mediaTimescale)
            samples = sequence.count
        }
        #expect(samples == 216_000)
        // Not an assertion: the machine decides. The goal is 25 ms in a release build.
        print("216,000 samples opened in \(opening)")
    }
}
