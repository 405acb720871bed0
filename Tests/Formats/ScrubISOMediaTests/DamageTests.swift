import ScrubISOMedia
import ScrubBase
import ScrubTestSupport
import Testing

/// Whatever the bytes are, reading ends with a value or a typed error and in proportion to the file.
struct DamageTests {
    static let film: [UInt8] = {
        var film = MovieBuilder.film(count: 40)
        film.edits = [(50, -1), (900, 2000), (300, 5000)]
        film.extraTables =
            fullBox("stps", be32(1), be32(3))
            + fullBox("sgpd", version: 1, FourCC.rap.bytes, be32(1), be32(1), [0x83])
            + fullBox("sbgp", FourCC.rap.bytes, be32(2), be32(4), be32(0), be32(1), be32(1))
            + fullBox("sdtp", zeros(40))
        return film.bytes
    }()
    static let fragments: [UInt8] = {
        var random = SplitMix(1003)
        var movie = MovieBuilder.random(&random, fragments: true)
        movie.tail += fullBox("sidx", be32(1), be32(90_000), zeros(8), be16(0), be16(1), be32(9), zeros(8))
        movie.tail += box("mfra", fullBox("tfra", be32(1), be32(0), be32(1), be32(5), be32(600), [1, 1, 1]))
        return movie.bytes
    }()

    /// Reads everything there is to read.
    ///
    /// - Returns: samples of tracks that could be read.
    @discardableResult
    func read(_ bytes: [UInt8]) -> Int {
        var sampleCount = 0
        let source = MemorySource(bytes)
        _ = Movie.isISOMedia(source)
        guard let movie = try? Movie(reading: source) else { return 0 }
        if let slim = try? movie.slimHeader(trackID: 1, sampleEntry: 0) {
            #expect(slim.count <= bytes.count * 2 + 100)
        }
        for track in movie.tracks {
            guard let table = try? track.sampleTable() else { continue }
            #expect(table.count <= bytes.count * 2)
            let sequence = try? EditMapping.sequence(
                of: table, edits: track.edits, movieTimescale: movie.timescale,
                mediaTimescale: track.mediaTimescale)
            #expect((sequence?.count ?? 0) <= table.count * 17 + 65_536)
            sampleCount += table.count
        }
        return sampleCount
    }

    @Test func undamagedFilesAreRead() {
        #expect(read(Self.film) == 40)
        #expect(read(Self.fragments) > 0)
    }

    @Test(arguments: 0..<8)
    func flippedBytes(round: Int) {
        var random = SplitMix(UInt64(round))
        for original in [Self.film, Self.fragments] {
            for _ in 0..<300 {
                var bytes = original
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    // The movie is what matters; the media before it are not read.
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] =
                        [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
                        .randomElement(using: &random) ?? 0
                }
                read(bytes)
            }
        }
    }

    @Test func wordsOfOnes() {
        for original in [Self.film, Self.fragments] {
            for place in stride(from: 0, to: original.count - 4, by: 4) {
                for word in [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] {
                    var bytes = original
                    bytes.replaceSubrange(place..<place + 4, with: be32(word))
                    read(bytes)
                }
            }
        }
    }

    @Test func truncations() {
        for original in [Self.film, Self.fragments] {
            for count in stride(from: 0, to: original.count, by: 3) { read(Array(original.prefix(count))) }
        }
    }

    /// Containers that are nested as deep as the file is long: the walks over them have an end before the stack
    /// does.
    @Test(arguments: ["trak", "mdia", "minf", "stbl"])
    func boxesInOneAnother(_ type: String) throws {
        let error = #expect(throws: ScrubError.self) { try Movie(reading: Self.nested(type)).slimHeader() }
        #expect(error?.code == .badData)
        #expect(error?.place?.description == (type == "trak" ? "moov/trak" : "moov"))
    }

    /// These belong nowhere in particular.
    @Test(arguments: ["udta", "moov"]) func foreignBoxesInOneAnother(_ type: String) throws {
        #expect(try Movie(reading: Self.nested(type)).tracks.isEmpty)
    }

    private static func nested(_ type: String) -> MemorySource {
        let depth = 100_000
        var nest: [UInt8] = []
        for level in 0..<depth { nest += be32(8 * (depth - level)) + Array(type.utf8) }
        return MemorySource(box("ftyp", Array("isom".utf8) + zeros(4)) + box("moov", nest))
    }

    /// Every number of the tables at the edges of its range, one at a time: nothing adds or multiplies past them.
    @Test(arguments: [film, fragments])
    func numbersAtTheirEdges(_ bytes: [UInt8]) {
        for place in stride(from: 0, to: bytes.count - 4, by: 4) {
            for value in [0, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] {
                var broken = bytes
                broken.replaceSubrange(place..<place + 4, with: be32(value))
                read(broken)
            }
        }
    }
}
