import ScrubISOMedia
import ScrubBase
import Testing

/// The movie without its samples.
struct SlimHeaderTests {
    @Test func keepsEverythingButTheSamples() throws {
        var film = MovieBuilder.film(count: 5000)
        film.edits = [(100, 0)]
        film.extraMovie = box("udta", box("name", Array("keep me".utf8))) + box("free", zeros(100))
        let movie = try Movie(reading: MemorySource(film.bytes))
        let slim = try movie.slimHeader()
        #expect(slim.count < 1000)
        #expect(String(decoding: slim, as: UTF8.self).contains("keep me"))
        let again = try Movie(reading: MemorySource(slim))
        #expect(again.majorBrand == movie.majorBrand)
        #expect(again.warnings.isEmpty)
        let track = try #require(again.track(id: 1))
        #expect(track.edits.isEmpty)
        #expect(track.sampleEntries.map(\.format) == ["hvc1"])
        #expect(track.mediaDuration == 100_000)
        #expect(try track.sampleTable().count == 0)
        #expect(try again.slimHeader() == slim)
    }

    @Test func keepsOneSampleEntry() throws {
        var film = MovieBuilder.film(count: 5)
        film.extraEntries = [MovieBuilder.visualEntry("avc1"), MovieBuilder.visualEntry("hev1")]
        let movie = try Movie(reading: MemorySource(film.bytes))
        for (number, format) in ["hvc1", "avc1", "hev1"].enumerated() {
            let slim = try Movie(reading: MemorySource(movie.slimHeader(trackID: 1, sampleEntry: number)))
            #expect(slim.tracks.first?.sampleEntries.map(\.format) == [FourCC(format)])
            #expect(slim.warnings.isEmpty)
        }
        #expect(try movie.slimHeader(trackID: 1, sampleEntry: 9) == movie.slimHeader())
        #expect(try movie.slimHeader(trackID: 7, sampleEntry: 0) == movie.slimHeader())
    }

    @Test func keepsTheExtension() throws {
        var film = MovieBuilder.film(count: 0)
        film.extraMovie = box("mvex", fullBox("trex", be32(1), be32(1), zeros(12)))
        let slim = try Movie(reading: MemorySource(film.bytes)).slimHeader()
        #expect(try Movie(reading: MemorySource(slim)).isFragmented)
    }
}
