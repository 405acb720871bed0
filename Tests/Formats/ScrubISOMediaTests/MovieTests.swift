import ScrubISOMedia
import ScrubBase
import Testing

/// The top level of a file and the movie box.
struct MovieTests {
    let film = MovieBuilder.film(count: 24)

    @Test func readsHeaders() throws {
        let movie = try Movie(reading: MemorySource(film.bytes))
        #expect(movie.majorBrand == "isom")
        #expect(movie.timescale == 1000)
        #expect(movie.duration == 10_000)
        #expect(!movie.isFragmented)
        #expect(movie.warnings.isEmpty)
        let track = try #require(movie.track(id: 1))
        #expect(track.handler == .vide)
        #expect(track.isEnabled)
        #expect(track.mediaTimescale == 30_000)
        #expect(track.mediaDuration == 100_000)
        #expect(track.width == 320 << 16)
        #expect(track.height == 240 << 16)
        #expect(track.matrix == Track.identityMatrix)
        #expect(track.sampleEntries.map(\.format) == ["hvc1"])
        #expect(track.sampleEntries.first?.width == 320)
        #expect(track.damage == nil)
    }

    @Test func findsTheMovieAfterAnyBoxes() throws {
        let padding = box("free", zeros(5)) + box("wide") + box("skip", zeros(1))
        let movie = try Movie(reading: MemorySource(film.fileType + padding + film.movie))
        #expect(movie.tracks.count == 1)
        #expect(try Movie(reading: MemorySource(film.movie)).majorBrand == nil)
    }

    @Test func readsLongSizesAndASizeToTheEnd() throws {
        let long = be32(1) + FourCC.moov.bytes + be64(Int64(film.movie.count + 8)) + film.movie.dropFirst(8)
        let media = be32(1) + FourCC.mdat.bytes + be64(20) + zeros(4)
        #expect(try Movie(reading: MemorySource(film.fileType + media + long)).tracks.count == 1)
        let toTheEnd = film.fileType + be32(0) + FourCC.moov.bytes + film.movie.dropFirst(8)
        let movie = try Movie(reading: MemorySource(toTheEnd))
        #expect(movie.tracks.count == 1)
        #expect(try Movie(reading: MemorySource(movie.slimHeader())).tracks.count == 1)
    }

    @Test func acceptsTheTerminatorOfUserData() throws {
        var film = film
        film.extraMovie = box("udta", box("\u{1}abc", zeros(3)), zeros(4))
        #expect(try Movie(reading: MemorySource(film.bytes)).warnings.isEmpty)
    }

    /// libavformat reads them there.
    @Test(arguments: ["mvhd", "mdhd", "elst", "trex", "stsz", "traf"] as [FourCC])
    func leavesAFileWithABoxInAnotherPlace(_ type: FourCC) throws {
        var film = film
        film.extraTables = box("free") + box(type == "stsz" ? "elst" : type, zeros(40))
        #expect(throws: ScrubError.self) { try Movie(reading: MemorySource(film.bytes)) }
        film = self.film
        film.extraMovie = box("udta", box(type, zeros(40)))
        #expect(throws: ScrubError.self) { try Movie(reading: MemorySource(film.bytes)) }
        // The content of a box that is not looked into is foreign.
        film.extraMovie = box("uuid", box(type, zeros(40)))
        #expect(try Movie(reading: MemorySource(film.bytes)).tracks.count == 1)
        film.extraMovie = []
        film.entryBoxes += box(type, zeros(40))
        #expect(throws: ScrubError.self) { try Movie(reading: MemorySource(film.bytes)) }
    }

    @Test(arguments: [0, 0x8000_0000, 0xFFFF_FFFF]) func reportsTimescalesThatAreNotPositive(_ scale: Int) throws {
        var film = film
        film.mediaTimescale = scale
        #expect(try Movie(reading: MemorySource(film.bytes)).tracks.map(\.isTimescaleSound) == [false])
        film.mediaTimescale = 0x7FFF_FFFF
        #expect(try Movie(reading: MemorySource(film.bytes)).tracks.map(\.isTimescaleSound) == [true])
    }

    @Test func keepsWhatIsWholeOfACutFile() throws {
        let cut = film.fileType + film.movie + be32(1000) + FourCC.mdat.bytes + zeros(10)
        let movie = try Movie(reading: MemorySource(cut))
        #expect(movie.warnings.contains { $0.contains("mdat") && $0.contains("truncated") })
        let trailing = film.bytes + [0, 0, 0, 4, 1, 2, 3, 4, 5]
        #expect(try Movie(reading: MemorySource(trailing)).warnings.contains { $0.contains("no box starts") })
    }

    @Test func refusesFilesWithoutAMovie() {
        let source = MemorySource(film.fileType + box("mdat", zeros(9)))
        let error = #expect(throws: ScrubError.self) { try Movie(reading: source) }
        #expect(error?.code == .badData)
        #expect(throws: ScrubError.self) { try Movie(reading: MemorySource([])) }
        let cut = MemorySource(Array((film.fileType + film.movie).dropLast()))
        #expect(throws: ScrubError.self) { try Movie(reading: cut) }
    }

    @Test func refusesACompressedMovie() {
        let source = MemorySource(film.fileType + box("moov", box("cmov", zeros(20))))
        let error = #expect(throws: ScrubError.self) { try Movie(reading: source) }
        #expect(error?.code == .unavailable)
        #expect(error?.place?.description == "moov/cmov")
    }

    @Test func ignoresASecondMovieBox() throws {
        let same = try Movie(reading: MemorySource(film.bytes + film.movie))
        #expect(same.tracks.count == 1)
        #expect(same.warnings.isEmpty)
        let other = try Movie(reading: MemorySource(film.bytes + box("moov", film.movieHeader)))
        #expect(other.tracks.count == 1)
        #expect(other.warnings.contains { $0.contains("second movie box") && $0.contains("different tracks") })
        // Whole films, one behind the other; one that is there twice; many.
        var changed = film.movie
        changed[changed.count - 1] ^= 1
        let joined = try Movie(reading: MemorySource(film.bytes + film.fileType + changed))
        #expect(joined.warnings.contains { $0.contains("second movie box") && $0.contains("the same tracks") })
        let twice = try Movie(reading: MemorySource(film.bytes + film.bytes))
        #expect(twice.warnings.contains { $0.contains("the same tracks") })
        let many = try Movie(reading: MemorySource(film.bytes + (0..<50).flatMap { _ in film.fileType + changed }))
        #expect(many.warnings.count { $0.contains("ignored") } == 2)
        #expect(many.warnings.contains("49 more movie boxes are ignored"))
    }

    @Test func keepsAnEntryForADamagedTrack() throws {
        var film = film
        film.extraMovie = box("trak", fullBox("tkhd", zeros(4)))
        let movie = try Movie(reading: MemorySource(film.bytes))
        #expect(movie.tracks.count == 2)
        #expect(movie.tracks[1].damage?.place?.description.hasPrefix("moov/trak[1]/tkhd") == true)
        #expect(throws: ScrubError.self) { try movie.tracks[1].sampleTable() }
        #expect(try movie.tracks[0].sampleTable().count == 24)
    }

    @Test(
        arguments: [
            (box("ftyp", zeros(8)), true), (box("free", zeros(3)) + box("moov"), true),
            (box("pnot") + box("moov"), true),
            (box("styp", zeros(8)), true), (box("mdat", zeros(80)) + box("moov"), true),
            (box("mdat", zeros(80)), false),
            (zeros(64), false), (be32(4) + FourCC.ftyp.bytes, false), ([1, 2], false),
            (be32(0x1A45_DFA3) + zeros(60), false), (box("RIFF", zeros(20)), false),
        ] as [([UInt8], Bool)])
    func recognisesTheFamily(bytes: [UInt8], isMember: Bool) {
        #expect(Movie.isISOMedia(MemorySource(bytes)) == isMember)
    }

    @Test func readsOnlyHeadersAndTheMovie() throws {
        let source = CountingSource(film.bytes)
        _ = try Movie(reading: source).tracks.map { try $0.sampleTable() }
        #expect(source.bytesRead <= film.fileType.count + film.movie.count + 16 * 4)
    }

    @Test func readsSampleEntries() throws {
        var film = film
        let scheme = box(
            "sinf", box("frma", FourCC("hvc1").bytes), fullBox("schm", FourCC("cbcs").bytes, zeros(4)))
        film.replaced["stsd"] = fullBox(
            "stsd", be32(3), MovieBuilder.visualEntry("encv", boxes: MovieBuilder.hvcC + scheme),
            MovieBuilder.visualEntry("rle ", depth: 8), MovieBuilder.visualEntry("rle ", depth: 40))
        let entries = try #require(try Movie(reading: MemorySource(film.bytes)).tracks.first).sampleEntries
        #expect(entries.map(\.format) == ["encv", "rle ", "rle "])
        #expect(entries.map(\.originalFormat) == ["hvc1", "rle ", "rle "])
        #expect(entries.map(\.isProtected) == [true, false, false])
        #expect(entries.map(\.protectionScheme) == ["cbcs", nil, nil])
        #expect(entries.map(\.hasPalette) == [false, true, true])
    }
}

extension FourCC {
    init(_ text: String) { self.init(stringLiteral: text) }
}
