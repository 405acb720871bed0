import ScrubISOMedia
import ScrubBase
import Testing

/// Times and sizes that no film has are refused with the box's path, so that no sum of them overflows later.
struct HostileTimesTests {
    func film() -> MovieBuilder {
        var film = MovieBuilder.film(count: 0)
        film.sync = nil
        film.offsets = nil
        film.extraMovie = box(
            "mvex", fullBox("trex", be32(1), be32(1), be32(1000), be32(10), be32(0x0101_0000)))
        return film
    }

    func fragment(time: Int64, run: [UInt8] = fullBox("trun", be32(2))) -> [UInt8] {
        let part = box("traf", fullBox("tfhd", be32(1)), fullBox("tfdt", version: 1, be64(time)), run)
        return box("moof", fullBox("mfhd", be32(1)), part)
    }

    func open(_ film: MovieBuilder) throws -> (table: SampleTable, sequence: EditedSequence) {
        let movie = try Movie(reading: MemorySource(film.bytes))
        let track = try #require(movie.tracks.first)
        let table = try track.sampleTable()
        let sequence = try EditMapping.sequence(
            of: table, edits: track.edits, movieTimescale: movie.timescale,
            mediaTimescale: track.mediaTimescale)
        return (table, sequence)
    }

    func refusal(_ film: MovieBuilder) -> ScrubError? {
        #expect(throws: ScrubError.self) { try open(film) }
    }

    static let impossibleTimes: [Int64] = [.min, .min + 1, .max, .max - 1, 1 << 61, -1 << 61, 1 << 62]

    @Test(arguments: impossibleTimes)
    func refusesFragmentTimes(time: Int64) {
        var film = film()
        film.tail = fragment(time: 0) + fragment(time: time)
        let error = refusal(film)
        #expect(error?.code == .badData)
        #expect(error?.place?.description == "moof[1]/traf[0]/tfdt")
        film.tail = fragment(time: time)
        #expect(refusal(film)?.place?.description == "moof[0]/traf[0]/tfdt")
    }

    /// Joined segments repeat their movie box, and go on behind it. A film that is there twice begins again.
    @Test func tellsAFilmThatIsThereTwice() throws {
        let film = film()
        let head = film.fileType + film.movie
        func warnings(_ times: [Int64], repeatedBefore place: Int) throws -> [String] {
            let parts = times.enumerated().map { ($0 == place ? head : []) + fragment(time: $1) }
            return try Movie(reading: MemorySource(head + parts.flatMap { $0 })).warnings
        }
        #expect(try warnings([0, 2000, 4000], repeatedBefore: 1).isEmpty)
        #expect(try warnings([0, 2000, 0, 2000], repeatedBefore: 2).filter { $0.contains("start over") }.count == 1)
        #expect(try warnings([0, 2000, 0], repeatedBefore: 1).contains { $0.contains("start over") })
    }

    @Test func keepsTimesInsideTheLimit() throws {
        for time in [1 << 60, -1 << 60, -5] as [Int64] {
            var film = film()
            film.tail = fragment(time: time)
            let (table, sequence) = try open(film)
            #expect(table.dts == [time, time + 1000])
            #expect(sequence.pts == table.dts)
        }
    }

    @Test func refusesRunsThatLeaveTheLimit() {
        var film = film()
        let rows = (0..<4).flatMap { _ in be32(0xFFFF_FFFF) }
        let run = fullBox("trun", flags: 0x100, be32(4), rows)
        film.tail = fragment(time: 1 << 61 - 1 << 33, run: run)
        #expect(refusal(film)?.place?.description == "moof[0]/traf[0]/trun")
        film.tail = fragment(time: 1 << 61 - 1 << 35, run: run)
        #expect(throws: Never.self) { try open(film) }
    }

    @Test(arguments: [Int.max, 1 << 61, 1 << 62])
    func refusesEditsThatMoveFragmentsAway(time: Int) {
        var film = film()
        film.editVersion = 1
        film.edits = [(0, time)]
        film.tail = fragment(time: 0)
        let error = refusal(film)
        #expect(error?.code == .badData)
        #expect(error?.place?.description == "moov/trak[0]/edts/elst")
    }

    @Test func refusesEditsThatMoveTheMovieAway() throws {
        var film = MovieBuilder.film(count: 20)
        film.movieTimescale = film.mediaTimescale
        film.editVersion = 1
        film.edits = [(1 << 62, -1), (20_000, 0)]
        #expect(refusal(film)?.place?.description == "moov/trak[0]/edts/elst")
        film.edits = [(20_000, 0), (1 << 62, 0), (20_000, 0)]
        #expect(refusal(film)?.place?.description == "moov/trak[0]/edts/elst")
        film.edits = [(1 << 60, -1), (20_000, 0)]
        #expect(try open(film).sequence.startTime == 1 << 60)
    }

    @Test func anImpossibleSizeEndsTheFragments() throws {
        var film = film()
        let sizes = [10, 0x4000_0000, 10].flatMap { be32($0) }
        film.tail =
            fragment(time: 0, run: fullBox("trun", flags: 0x200, be32(3), sizes)) + fragment(time: 9000)
        let table = try open(film).table
        #expect(table.sizes == [10])
        #expect(table.warnings.contains { $0.contains("claims 1073741824 bytes") })
        let largest = be32(0x3FFF_FFFF)
        film.tail = fragment(time: 0, run: fullBox("trun", flags: 0x200, be32(1), largest))
        #expect(try open(film).table.sizes == [0x3FFF_FFFF])
    }

    @Test func plainSequencesSayTheTruth() throws {
        var film = MovieBuilder.film(count: 30)
        for edits in [nil, [(1100, 1000)], [(400, -1), (1100, 1000)], [(500, 1000)]] as [[(Int, Int)]?] {
            film.edits = edits
            let (table, sequence) = try open(film)
            #expect(sequence.isPlain == (edits?.last?.0 != 500))
            let isPlain =
                sequence.sampleIndex == (0..<30).map { UInt32($0) } && !sequence.discarded.contains(true)
            #expect(!sequence.isPlain || isPlain)
            #expect(table.keySamples() == (0..<30).filter { table.isKey($0) })
            #expect(table.isInFile)
        }
        film.sync = nil
        #expect(try open(film).table.keySamples() == Array(0..<30))
    }
}
