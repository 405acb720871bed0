import ScrubISOMedia
import ScrubBase
import Testing

/// Edit lists. The expectations were checked with ffprobe 5.1; `RandomEditTests` does so for random ones.
struct EditMappingTests {
    func sequence(_ builder: MovieBuilder) throws -> EditedSequence {
        let movie = try Movie(reading: MemorySource(builder.bytes))
        let track = try #require(movie.tracks.first)
        return try EditMapping.sequence(
            of: try track.sampleTable(), edits: track.edits, movieTimescale: movie.timescale,
            mediaTimescale: track.mediaTimescale)
    }

    func shown(_ sequence: EditedSequence) -> [UInt32] {
        (0..<sequence.count).filter { !sequence.discarded[$0] }.map { sequence.sampleIndex[$0] }
    }

    /// Thirty pictures a second in movie units of a thirtieth, keys at 0, 5, 10 and so on.
    var film: MovieBuilder {
        var film = MovieBuilder.film(count: 20, group: 5, reordered: false)
        film.movieTimescale = 30
        return film
    }

    /// A wrong count of entries, found by damaged files: the box's size counts, as libavformat has it.
    @Test func theSizeOfTheEditListCountsNotItsCount() throws {
        var film = MovieBuilder.film(count: 40)
        film.edits = [(50, -1), (900, 2000)]
        let sound = film.bytes
        let place = try #require((0..<sound.count - 12).first { Array(sound[$0..<$0 + 4]) == Array("elst".utf8) })
        let edits = try #require(try Movie(reading: MemorySource(sound)).tracks.first?.edits)
        #expect(edits.count == 2)
        for count in [0, 1, 3] {
            var damaged = sound
            damaged.replaceSubrange(place + 8..<place + 12, with: be32(count))
            let track = try #require(try Movie(reading: MemorySource(damaged)).tracks.first)
            #expect(track.edits == edits)
        }
    }

    @Test func withoutEditsAllIsShown() throws {
        let all = try sequence(film)
        #expect(all.sampleIndex == (0..<20).map { UInt32($0) })
        #expect(all.pts == (0..<20).map { Int64($0) * 1000 })
        #expect(all.dts == all.pts)
        #expect(!all.discarded.contains(true))
        #expect(all.sectionStarts == [0])
    }

    @Test func startsAtTheKeyBeforeTheEdit() throws {
        var film = film
        film.edits = [(4, 7000)]
        let edited = try sequence(film)
        #expect(edited.sampleIndex == [5, 6, 7, 8, 9, 10])
        #expect(edited.discarded == [true, true, false, false, false, false])
        #expect(edited.pts == [-2000, -1000, 0, 1000, 2000, 3000])
        #expect(edited.startTime == 0)
    }

    @Test func emptyEditsDelayTheStart() throws {
        var film = film
        film.edits = [(3, -1), (5, 0)]
        let edited = try sequence(film)
        #expect(edited.startTime == 3000)
        #expect(shown(edited) == [0, 1, 2, 3, 4])
        #expect(edited.pts.first == 3000)
    }

    @Test func severalEditsRepeatSamples() throws {
        var film = film
        film.edits = [(3, 0), (3, 1000), (2, 15_000)]
        let edited = try sequence(film)
        #expect(shown(edited) == [0, 1, 2, 1, 2, 3, 15, 16])
        #expect(edited.sectionStarts.count == 3)
        let times = (0..<edited.count).filter { !edited.discarded[$0] }.map { edited.pts[$0] }
        #expect(times == (0..<8).map { Int64($0) * 1000 })
    }

    @Test func waitsForPicturesThatAreShownBeforeTheNextKey() throws {
        var film = MovieBuilder.film(count: 24, group: 6)
        film.movieTimescale = 30
        film.edits = [(6, 1000)]
        let edited = try sequence(film)
        // The key after the edit is sample 6; decoding goes on to the next key for the sake of its leading pictures.
        #expect(edited.sampleIndex.last == 12)
        #expect(edited.pts.first == 0)
        #expect(edited.dts.first == -1000)
    }

    @Test func negativeOffsetsMoveDecodingBack() throws {
        var film = MovieBuilder.film(count: 12)
        film.offsets = film.offsets?.map { ($0.count, $0.offset - 1000) }
        let edited = try sequence(film)
        #expect(edited.dts.first == -1000)
        #expect(edited.pts.first == 0)
        #expect(zip(edited.pts, edited.dts).allSatisfy { $0 >= $1 })
    }

    @Test func anEditOfNoDurationShowsNothing() throws {
        var film = film
        film.edits = [(0, 0)]
        #expect(shown(try sequence(film)).isEmpty)
        film.edits = [(0, 0), (2, 3000)]
        #expect(shown(try sequence(film)) == [3, 4])
    }

    @Test func extremeEditsDoNotTrap() throws {
        var film = film
        film.editVersion = 1
        for edit in [(Int.max, Int.max), (Int.max, 0), (1, Int.min), (Int.max, -1), (5, Int.max), (0, -7)] {
            film.edits = [edit, edit, (3, 0)]
            _ = try sequence(film)
        }
        film.edits = [(-1, 0)]
        #expect(throws: ScrubError.self) { try sequence(film) }
    }

    @Test func refusesEndlessRepetition() throws {
        var film = MovieBuilder.film(count: 4000, group: 4000, reordered: false)
        film.edits = [(Int, Int)](repeating: (1 << 20, 0), count: 3000)
        let error = #expect(throws: ScrubError.self) { try sequence(film) }
        #expect(error?.code == .unavailable)
    }
}
