import ScrubISOMedia
import ScrubBase
import Testing

/// Movie fragments, segment indices and random access tables.
struct FragmentTests {
    /// A film without samples of its own, for track 1 and an unknown number of others.
    func film(tracks: [Int] = [1]) -> MovieBuilder {
        var film = MovieBuilder.film(count: 0)
        film.sync = nil
        film.offsets = nil
        let defaults = tracks.flatMap {
            fullBox("trex", be32($0), be32(1), be32(1000), be32(10), be32(0x0101_0000))
        }
        film.extraMovie = box("mvex", defaults)
        return film
    }

    func moof(_ trafs: [UInt8]...) -> [UInt8] { box("moof", fullBox("mfhd", be32(1)), trafs.flatMap { $0 }) }

    func table(_ film: MovieBuilder) throws -> SampleTable {
        try #require(try Movie(reading: MemorySource(film.bytes)).tracks.first).sampleTable()
    }

    @Test func readsRunsOfEveryForm() throws {
        var film = film()
        let run = fullBox("trun", flags: 0x5, be32(2), be32(100), be32(0x0200_0000))
        let rows = [
            be32(7), be32(20), be32(0x0200_0000), be32(3), be32(8), be32(21), be32(0x0001_0000), be32(-4),
        ]
        let full = fullBox("trun", version: 1, flags: 0xF00, be32(2), rows.flatMap { $0 })
        film.tail = moof(
            box("traf", fullBox("tfhd", flags: 0x2_0000, be32(1)), fullBox("tfdt", be32(5000)), run, full))
        film.tail += box("mdat", zeros(200))
        let start = Int64(film.movieStart + film.movie.count)
        let table = try table(film)
        #expect(table.offsets == [100, 110, 120, 140].map { start + $0 })
        #expect(table.sizes == [10, 10, 20, 21])
        #expect(table.dts == [5000, 6000, 7000, 7007])
        #expect(table.compositionOffsets == [0, 0, 3, -4])
        #expect((0..<4).map { table.isKey($0) } == [true, false, true, false])
        #expect(table.dependencies.map { $0.rawValue >> 4 & 3 } == [2, 1, 2, 0])
        #expect(table.lastDuration == 8)
        #expect(table.fragmentRuns.map(\.firstSample) == [0, 2])
        #expect(table.fragmentRuns.map(\.decodeShift) == [4, 4])
        #expect(table.movieSampleCount == 0)
    }

    @Test func placesDataAfterTheTrackBefore() throws {
        var film = film(tracks: [1, 2])
        let other = box("traf", fullBox("tfhd", be32(2)), fullBox("trun", flags: 0x1, be32(3), be32(64)))
        let mine = box("traf", fullBox("tfhd", be32(1)), fullBox("trun", be32(2)))
        film.tail = moof(other, mine) + moof(mine)
        let start = Int64(film.movieStart + film.movie.count)
        let second = start + Int64(moof(other, mine).count)
        let table = try table(film)
        #expect(table.offsets == [start + 94, start + 104, second, second + 10])
        // Without times of their own fragments follow each other.
        #expect(table.dts == [0, 1000, 2000, 3000])
    }

    @Test func usesAnAbsoluteBaseAndOverrides() throws {
        var film = film()
        let header = fullBox("tfhd", flags: 0x3B, be32(1), be64(5000), be32(1), be32(20), be32(30), be32(0))
        film.tail = moof(
            box("traf", header, fullBox("tfdt", version: 1, be64(1 << 33)), fullBox("trun", be32(2))))
        let table = try table(film)
        #expect(table.offsets == [5000, 5030])
        #expect(table.dts == [1 << 33, 1 << 33 + 20])
        #expect(table.isAllSync)
    }

    @Test func followsTheMovieSamples() throws {
        var film = MovieBuilder.film(count: 4)
        film.extraMovie = self.film().extraMovie
        film.tail = moof(box("traf", fullBox("tfhd", be32(1)), fullBox("trun", be32(2))))
        let table = try table(film)
        #expect(table.movieSampleCount == 4)
        #expect(table.dts == [0, 1000, 2000, 3000, 4000, 5000])
        #expect(table.compositionOffsets.count == 6)
    }

    @Test func joinedSegmentsDoNotRepeatSamples() throws {
        var film = film()
        let fragment = moof(box("traf", fullBox("tfhd", be32(1)), fullBox("trun", be32(2))))
        film.tail = fragment + film.fileType + film.movie + box("styp", zeros(8)) + fragment
        let movie = try Movie(reading: MemorySource(film.bytes))
        #expect(movie.fragmentCount == 2)
        #expect(movie.tracks.count == 1)
        #expect(movie.warnings.isEmpty)
        #expect(try table(film).count == 4)
    }

    @Test func doesNotBelieveRunsWithoutBytes() throws {
        for size in [0, 1, 1000] {
            var film = film()
            let header = fullBox("tfhd", flags: 0x10, be32(1), be32(size))
            film.tail = moof(box("traf", header, fullBox("trun", be32(0xFFFF_FFFF))))
            let error = #expect(throws: ScrubError.self) { try table(film) }
            #expect(error?.place?.description == "moof[0]/traf[0]/trun")
        }
        var film = film()
        film.tail = moof(
            box("traf", fullBox("tfhd", be32(1)), fullBox("trun", flags: 0x200, be32(9), be32(5))))
        #expect(try table(film).count == 1)
    }

    @Test func warnsOfMissingSubsegments() throws {
        var film = film()
        let fragment = moof(box("traf", fullBox("tfhd", be32(1)), fullBox("trun", be32(2))))
        let row = be32(fragment.count) + be32(60_000) + zeros(4)
        film.tail =
            fullBox("sidx", be32(1), be32(90_000), be32(180_000), be32(0), be16(0), be16(3), row, row, row)
            + fragment
            + fragment
        let movie = try Movie(reading: MemorySource(film.bytes))
        #expect(movie.warnings.contains { $0.contains("declares 3 subsegments, but the file has 2") })
        let index = try #require(movie.segmentIndexes.first)
        #expect(index.references.count == 3)
        #expect(index.references.reduce(0) { $0 + $1.duration } == 180_000)
        // No fragment says its time: the index does, in its own timescale.
        #expect(try table(film).dts == [60_000, 61_000, 80_000, 81_000])
    }

    @Test func readsRandomAccessTables() throws {
        var film = film()
        let narrow = fullBox("tfra", be32(1), be32(0), be32(1), be32(5), be32(600), [1, 1, 1])
        let wide = fullBox("tfra", version: 1, be32(2), be32(0x3F), be32(1), be64(6), be64(700), zeros(12))
        film.tail = box("mfra", narrow, wide, fullBox("mfro", be32(99)))
        let hints = try Movie(reading: MemorySource(film.bytes)).randomAccessHints
        #expect(hints[1]?.map(\.time) == [5])
        #expect(hints[1]?.map(\.moofOffset) == [600])
        #expect(hints[2]?.map(\.moofOffset) == [700])
    }

    @Test func keepsWhatIsWholeOfACutFile() throws {
        var film = film()
        let fragment = moof(box("traf", fullBox("tfhd", be32(1)), fullBox("trun", be32(2))))
        film.tail = fragment + fragment.dropLast(3)
        let movie = try Movie(reading: MemorySource(film.bytes))
        #expect(movie.fragmentCount == 1)
        #expect(movie.warnings.contains { $0.contains("truncated") })
    }

    @Test func readsGroupsAndDependenciesOfFragments() throws {
        var film = film()
        film.tail = moof(
            box(
                "traf", fullBox("tfhd", be32(1)), fullBox("trun", be32(3)),
                fullBox("sdtp", [0x20, 0x10, 0x18]),
                fullBox("sgpd", version: 1, FourCC.roll.bytes, be32(2), be32(1), be16(3)),
                fullBox("sbgp", FourCC.roll.bytes, be32(2), be32(1), be32(0), be32(2), be32(0x1_0001)),
                fullBox("senc", flags: 2, be32(0))))
        let table = try table(film)
        #expect(table.dependencies.map(\.rawValue) == [0x20, 0x10, 0x18])
        #expect(table.dependencies.map(\.isDependedOn) == [0, 0, 2])
        #expect(table.rollDistances == [0, 3, 3])
        #expect(table.hasSampleEncryption)
    }

    /// Smooth Streaming has a time of its own in each fragment, in a box of the same kind as PIFF's encryption.
    @Test func onlyOneKindOfUserBoxIsEncryption() throws {
        var film = film()
        let time: [UInt8] = [
            0x6D, 0x1D, 0x9B, 0x05, 0x42, 0xD5, 0x44, 0xE6, 0x80, 0xE2, 0x14, 0x1D, 0xAF, 0xF7, 0x57, 0xB2, 0, 0, 0, 0,
        ]
        film.tail = moof(box("traf", fullBox("tfhd", be32(1)), fullBox("trun", be32(3)), box("uuid", time)))
        #expect(try !table(film).hasSampleEncryption)
        let encryption: [UInt8] = [
            0xA2, 0x39, 0x4F, 0x52, 0x5A, 0x9B, 0x4F, 0x14, 0xA2, 0x44, 0x6C, 0x42, 0x7C, 0x64, 0x8D, 0xF4, 0, 0, 0, 0,
        ]
        film.tail = moof(box("traf", fullBox("tfhd", be32(1)), fullBox("trun", be32(3)), box("uuid", encryption)))
        #expect(try table(film).hasSampleEncryption)
        film.tail = moof(box("traf", fullBox("tfhd", be32(1)), fullBox("trun", be32(3)), box("uuid", [0xA2, 0x39])))
        #expect(try !table(film).hasSampleEncryption)
    }
}
