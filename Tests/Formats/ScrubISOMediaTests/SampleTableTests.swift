import ScrubISOMedia
import ScrubBase
import Testing

/// The tables of the movie box.
struct SampleTableTests {
    func table(_ builder: MovieBuilder) throws -> SampleTable {
        try #require(try Movie(reading: MemorySource(builder.bytes)).tracks.first).sampleTable()
    }

    func failure(_ builder: MovieBuilder) throws -> ScrubError {
        let track = try #require(try Movie(reading: MemorySource(builder.bytes)).tracks.first)
        return try #require(throws: ScrubError.self) { try track.sampleTable() }
    }

    @Test func expandsEveryTable() throws {
        let film = MovieBuilder.film(count: 10, group: 4)
        let table = try table(film)
        #expect(table.count == 10)
        #expect(table.movieSampleCount == 10)
        #expect(table.sizes == film.sizes.map { UInt32($0) })
        #expect(table.dts == (0..<10).map { Int64($0) * 1000 })
        #expect(table.lastDuration == 1000)
        #expect((0..<10).filter { table.isKey($0) } == [0, 4, 8])
        #expect(table.compositionOffsets.prefix(5) == [1000, 3000, 1000, 0, 1000])
        #expect(table.offsets.first == Int64(film.mediaStart))
        #expect(
            zip(table.offsets, table.sizes).map { $0 + Int64($1) }.dropLast() == table.offsets.dropFirst())
        #expect(table.warnings.isEmpty)
        #expect(table.wholeSampleCount(byteCount: Int64(film.bytes.count)) == 10)
    }

    @Test func withoutSyncTableAllAreKeys() throws {
        var film = MovieBuilder.film(count: 5, reordered: false)
        film.sync = nil
        let table = try table(film)
        #expect(table.isAllSync)
        #expect(table.compositionOffsets.isEmpty)
        #expect(table.compositionTime(2) == 2000)
    }

    @Test(
        arguments: [([], [0]), ([0, 3], [0, 3]), ([1, 3], [0, 2]), ([2, 99], [1])] as [([Int], [Int])])
    func readsSyncTables(rows: [Int], keys: [Int]) throws {
        var film = MovieBuilder.film(count: 5)
        film.sync = rows
        let table = try table(film)
        #expect((0..<5).filter { table.isKey($0) } == keys)
    }

    @Test func readsPartialSyncSamplesAndGroups() throws {
        var film = MovieBuilder.film(count: 6, group: 6)
        film.extraTables =
            fullBox("stps", be32(1), be32(3))
            + fullBox("sgpd", version: 1, FourCC.rap.bytes, be32(1), be32(1), [0x83])
            + fullBox("sbgp", FourCC.rap.bytes, be32(2), be32(4), be32(0), be32(1), be32(1))
            + fullBox("sgpd", version: 1, FourCC.roll.bytes, be32(2), be32(1), be16(-5))
            + fullBox("sbgp", version: 1, FourCC.roll.bytes, zeros(4), be32(1), be32(2), be32(1))
            + fullBox("sgpd", version: 1, FourCC.sync.bytes, be32(0), be32(1), be32(1), [0xD5])
            + fullBox("sbgp", FourCC.sync.bytes, be32(1), be32(1), be32(1))
            + fullBox("sdtp", [0x20, 0x18, 0x54])
        let table = try table(film)
        #expect((0..<6).filter { table.isKey($0) } == [0, 2, 4])
        #expect(table.syncKinds[2] == .partial)
        #expect(table.syncKinds[4] == .randomAccess)
        #expect(table.rollDistances == [-5, -5, 0, 0, 0, 0])
        #expect(table.syncNALTypes == [21, 0, 0, 0, 0, 0])
        #expect(table.dependencies.map(\.rawValue) == [0x20, 0x18, 0x54, 0, 0, 0])
        #expect(table.dependencies.map(\.isDependedOn) == [0, 2, 1, 0, 0, 0])
    }

    @Test(arguments: [4, 8, 16])
    func readsCompactSizes(bits: Int) throws {
        var film = MovieBuilder.film(count: 5)
        film.sizes = [1, 2, 3, 15, 7]
        let fields: [UInt8]
        switch bits {
        case 4: fields = [0x12, 0x3F, 0x70]
        case 8: fields = [1, 2, 3, 15, 7]
        default: fields = film.sizes.flatMap { be16($0) }
        }
        film.replaced["stsz"] = fullBox("stz2", be32(bits), be32(5), fields)
        #expect(try table(film).sizes == [1, 2, 3, 15, 7])
        film.replaced["stsz"] = fullBox("stz2", be32(5), be32(5), fields)
        #expect(try failure(film).place?.description == "moov/trak[0]/mdia/minf/stbl/stz2")
    }

    @Test func boundsAConstantSize() throws {
        var film = MovieBuilder.film(count: 8)
        film.sizes = [Int](repeating: 16, count: 8)
        film.replaced["stsz"] = fullBox("stsz", be32(16), be32(8))
        #expect(try table(film).count == 8)
        film.replaced["stsz"] = fullBox("stsz", be32(16), be32(0xFFFF_FFFF))
        let table = try table(film)
        #expect(table.count == 8)
        #expect(table.warnings.contains { $0.contains("room for") })
    }

    /// A movie box before media that is still being written: its samples have no table until all of them are there,
    /// and then all have.
    @Test func aGrowingFileHasRoomForItsSamplesLater() throws {
        var film = MovieBuilder.film(count: 40)
        film.sizes = [Int](repeating: 500, count: 40)
        film.chunk = 40
        film.replaced["stsz"] = fullBox("stsz", be32(500), be32(40))
        film.replaced["stco"] = fullBox("stco", be32(1), be32(0))
        let mediaStart = film.fileType.count + film.movie.count + 8
        film.replaced["stco"] = fullBox("stco", be32(1), be32(mediaStart))
        let bytes = film.fileType + film.movie + box("mdat", zeros(20_000))
        var growing = GrowingMovie()
        for count in [mediaStart - 8, mediaStart + 1000, bytes.count - 1] {
            try growing.extend(to: MemorySource(Array(bytes[..<count])))
            if count < mediaStart { try growing.follow(#require(growing.movie?.tracks.first)) }
            #expect(try growing.sampleTable() == nil, "\(count) bytes")
        }
        try growing.extend(to: MemorySource(bytes))
        let table = try #require(try growing.sampleTable())
        #expect(table.sizes == film.sizes.map { UInt32($0) } && table.offsets.last == Int64(bytes.count - 500))
        #expect(table.warnings.isEmpty)
    }

    @Test func refusesSizesThatAreNotThere() throws {
        var film = MovieBuilder.film(count: 8)
        film.replaced["stsz"] = fullBox("stsz", be32(0), be32(9), zeros(32))
        let error = try failure(film)
        #expect(error.code == .badData)
        #expect(error.place?.description == "moov/trak[0]/mdia/minf/stbl/stsz")
        film.replaced["stsz"] = fullBox("stsz", zeros(4))
        #expect(try failure(film).place?.description == "moov/trak[0]/mdia/minf/stbl/stsz")
    }

    @Test(arguments: ["stts", "stsc", "stco"] as [FourCC])
    func refusesMissingTables(type: FourCC) throws {
        var film = MovieBuilder.film(count: 8)
        film.replaced[type] = []
        #expect(try failure(film).place?.description == "moov/trak[0]/mdia/minf/stbl/\(type)")
    }

    @Test func readsWideChunkOffsets() throws {
        var film = MovieBuilder.film(count: 8)
        let expected = try table(film).offsets
        film.replaced["stco"] = fullBox(
            "co64", be32(film.chunkStarts.count), film.chunkStarts.flatMap { be64(Int64($0)) })
        #expect(try table(film).offsets == expected)
        film.replaced["stco"] = fullBox("co64", be32(2), be64(-1), be64(40))
        #expect(try table(film).count == 0)
    }

    @Test func cutsTheTrackToItsChunks() throws {
        var film = MovieBuilder.film(count: 8)
        film.replaced["stco"] = fullBox("stco", be32(1), be32(film.mediaStart))
        film.replaced["stsc"] = fullBox("stsc", be32(1), be32(1), be32(3), be32(1))
        let table = try table(film)
        #expect(table.count == 3)
        #expect(table.warnings.contains { $0.contains("3 of 8") })
    }

    @Test func mendsChunkRuns() throws {
        var film = MovieBuilder.film(count: 8)
        film.replaced["stco"] = fullBox("stco", be32(3), be32(40), be32(400), be32(800))
        film.replaced["stsc"] = fullBox("stsc", be32(2), be32(1), be32(0), be32(1), be32(2), be32(4), be32(1))
        let table = try table(film)
        #expect(table.count == 8)
        #expect(table.offsets.prefix(1) == [40])
        #expect(table.offsets[4] == 400)
        film.replaced["stsc"] = fullBox("stsc", be32(1), be32(7), be32(4), be32(1))
        #expect(try failure(film).place?.description == "moov/trak[0]/mdia/minf/stbl/stsc")
    }

    @Test func readsNegativeOffsets() throws {
        var film = MovieBuilder.film(count: 6)
        film.offsets = [(2, -500), (1, -2000), (1, 7), (1, -9000), (1, -9000)]
        let table = try table(film)
        #expect(table.compositionOffsets == [-500, -500, -2000, 7, -9000, -9000])
        // The last two rows don't count: editors make them up.
        #expect(table.decodeShift == 2000)
        film.offsets = [(1, 1 << 29), (5, 0), (1, 0)]
        #expect(try self.table(film).compositionOffsets.isEmpty)
    }

    @Test func lastDeltaGoesOnAndImpossibleOnesAreCorrected() throws {
        var film = MovieBuilder.film(count: 6)
        film.deltas = [(2, 100), (1, 50)]
        #expect(try table(film).dts == [0, 100, 200, 250, 300, 350])
        film.deltas = [(1, 100), (1, -40), (4, 100)]
        let table = try table(film)
        #expect(table.dts == [0, 100, 101, 191, 281, 371])
        #expect(!table.warnings.isEmpty)
        film.deltas = [(0x7FFF_FFFF, 0x7FFF_FFFF), (0x7FFF_FFFF, 0x7FFF_FFFF)]
        #expect(try self.table(film).count == 6)
    }

    @Test func keepsDescriptionsOfOneCodingOnly() throws {
        var film = MovieBuilder.film(count: 8)
        film.replaced["stsc"] = fullBox("stsc", be32(2), be32(1), be32(4), be32(1), be32(2), be32(4), be32(2))
        film.extraEntries = [MovieBuilder.visualEntry("hvc1", boxes: MovieBuilder.hvcC)]
        #expect(try table(film).descriptionIndexes == [0, 0, 0, 0, 1, 1, 1, 1])
        film.extraEntries = [MovieBuilder.visualEntry("avc1")]
        let table = try table(film)
        #expect(table.count == 4)
        #expect(table.descriptionIndexes.isEmpty)
        #expect(table.movieSampleCount == 4)
    }

    @Test func saysHowManySamplesAreMissing() throws {
        var film = MovieBuilder.film(count: 8)
        film.sizes = [Int](repeating: 1000, count: 8)
        let cut = film.fileType + film.movie
        let table = try #require(try Movie(reading: MemorySource(cut)).tracks.first).sampleTable()
        #expect(table.count == 8)
        #expect(table.warnings.contains { $0.contains("not entirely in the file") })
    }
}
