import ScrubBase
import ScrubStoryboards
import ScrubTestSupport
import Testing

/// Numbers of index files at the limits of integers: a typed error, or a value that answers every call.
@Suite struct HostileNumberTests {
    static let edges = [
        "0", "1", "-1", "65535", "65536", "2147483647", "4294967296", "8589934592", "4611686018427387904",
        "9223372036854775807", "9223372036854775808", "99999999999999999999", "0.000000000000000001",
        "999999999999999999",
    ]

    /// Everything that a reader's value is asked afterwards.
    private static let readers: [@Sendable (String) throws -> Void] = [
        { text in
            let vtt = try Storyboard.WebVTT(parsing: text)
            _ = (vtt.text, Storyboard.JSONImages(vtt).text)
        },
        { text in
            let board = try Storyboard.JSON.storyboard(parsing: text)
            _ = try? (Storyboard.WebVTT(board).text, Storyboard.JSONImages(board).text)
            _ = try? Storyboard.HLSImagePlaylist(board).text
            _ = try? Storyboard.HLSStream(board, playlist: "a.m3u8").text
            _ = try? Storyboard.DASHTiles.presentation([Storyboard.DASHTiles(board)])
            _ = try? Storyboard.JellyfinTrickplay(board).folderName
            _ = (try? Storyboard.BIF(board).header, try? Storyboard.BIF(board, timing: .exact).header)
            for thumbnail in board.thumbnails.indices { _ = board.slot(of: thumbnail) }
        },
        { _ = try Storyboard.Tiles(parsing: $0).text },
        { text in
            let playlist = try Storyboard.HLSImagePlaylist(parsing: text)
            _ = playlist.text
            let tiles = playlist.segments.reduce(0) { $0 + $1.tiles.columns * $1.tiles.rows }
            for segment in playlist.segments {
                _ = (segment.tiles.width * segment.tiles.columns, segment.tiles.height * segment.tiles.rows)
            }
            #expect(tiles <= playlist.segments.count * 65_535 * 65_535)
        },
        { text in
            let playlist = try Storyboard.HLSIFramePlaylist(parsing: text)
            _ = (playlist.text, Storyboard.HLSStream(playlist, codecs: "avc1", width: 1, height: 1, playlist: "a").text)
        },
        { for stream in try Storyboard.HLSStream.streams(parsing: $0) { _ = stream.text } },
        { text in
            for set in try Storyboard.DASHTiles.sets(parsing: text) {
                #expect(set.sheetCount * set.columns * set.rows <= 1 << 22)
                _ = (set.url(ofSheet: set.sheetCount - 1), set.adaptationSet(id: 1), set.width / set.columns)
            }
        },
        { text in
            for keys in try Storyboard.DASHKeyPictures.sets(parsing: text) {
                #expect(keys.segments.count <= 1 << 22)
                _ = (keys.bandwidth, keys.adaptationSet(id: 1, main: 0))
            }
        },
        { _ = try Storyboard.JSONImages(parsing: $0).text },
    ]

    private static func texts() throws -> [String] {
        let set = try SampleSets.set(
            count: 4, columns: 2, rows: 2, duration: Rational(35), starts: [0, 10, 20, 30].map { Rational($0) })
        let frames = try Storyboard.HLSIFramePlaylist(
            path: "v.mp4", initialization: 0..<9,
            segments: [.init(duration: .one, byteRange: 9..<20), .init(duration: .one, byteRange: 20..<31)])
        let keys = try Storyboard.DASHKeyPictures(
            path: "v.mp4", codecs: "avc1.64001f", width: 64, height: 36, maxPlayoutRate: 8, timescale: 1000,
            initialization: 0..<9,
            segments: [.init(time: 0, duration: 9, byteRange: 9..<20), .init(time: 9, duration: 9, byteRange: 20..<31)])
        let repeated = Storyboard.DASHTiles.presentation([], keyPictures: keys).replacing(
            "d=\"9\"", with: "d=\"9\" r=\"1\"")
        return [
            try Storyboard.WebVTT(set).text, try Storyboard.JSON.manifest(set),
            try Storyboard.Tiles(set, baseURL: "https://a.example").text, try Storyboard.HLSImagePlaylist(set).text,
            frames.text,
            Storyboard.HLSStream.master([try Storyboard.HLSStream(set, playlist: "a.m3u8")]),
            Storyboard.DASHTiles.presentation([try Storyboard.DASHTiles(set)]),
            repeated, try Storyboard.JSONImages(set).text,
        ]
    }

    /// Each number of each format by itself and all with one edge, then pairs by chance.
    @Test(arguments: 0..<9)
    func everyNumberAtTheEdges(format: Int) throws {
        let text = try Self.texts()[format]
        let numbers = text.ranges(of: #/\d+/#)
        try #require(!numbers.isEmpty)
        func check(_ changes: [(Range<String.Index>, String)]) {
            var changed = text
            for (range, edge) in changes.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
                changed.replaceSubrange(range, with: edge)
            }
            do {
                try Self.readers[format](changed)
            } catch {
                #expect((error as? ScrubError)?.code == .badData)
            }
        }
        for number in numbers { for edge in Self.edges { check([(number, edge)]) } }
        for edge in Self.edges { check(numbers.map { ($0, edge) }) }
        var random = SplitMix(UInt64(format))
        for _ in 0..<500 {
            let places = Set((0..<2).map { _ in Int.random(in: numbers.indices, using: &random) })
            check(places.map { (numbers[$0], Self.edges.randomElement(using: &random) ?? "0") })
        }
    }

    /// A repeat count on top of others.
    @Test func aRepeatCountBeyondAllIntegersIsAnError() throws {
        let keys = try Storyboard.DASHKeyPictures(
            path: "v.mp4", codecs: "avc1.64001f", width: 64, height: 36, maxPlayoutRate: 8, timescale: 1000,
            initialization: 0..<9, segments: [.init(time: 0, duration: 9, byteRange: 9..<20)])
        let text = Storyboard.DASHTiles.presentation([], keyPictures: keys).replacing(
            "d=\"9\"/>", with: "d=\"9\"/><S d=\"9\" r=\"9223372036854775807\"/>")
        let error = #expect(throws: ScrubError.self) { try Storyboard.DASHKeyPictures.sets(parsing: text) }
        #expect(error?.code == .badData)
    }

    /// Grids whose product no integer holds, and sheets that no disk has.
    @Test(arguments: [
        ("4294967296x4294967296", "8589934592", "10"), ("65535x65535", "65535", "10"), ("1x1", "64", "1000000000000"),
    ])
    func hugeDASHTilesAreRefused(_ grid: String, _ side: String, _ seconds: String) {
        let text = """
            <MPD mediaPresentationDuration="PT\(seconds)S"><Period><AdaptationSet contentType="image">\
            <SegmentTemplate media="a.jpg" duration="10" startNumber="4294967295"/>\
            <Representation id="x" bandwidth="1" width="\(side)" height="\(side)">\
            <EssentialProperty schemeIdUri="http://dashif.org/guidelines/thumbnail_tile" value="\(grid)"/>\
            </Representation></AdaptationSet></Period></MPD>
            """
        let error = #expect(throws: ScrubError.self) { try Storyboard.DASHTiles.sets(parsing: text) }
        #expect(error?.code == .badData)
    }

    @Test(arguments: [
        "RESOLUTION=9223372036854775807x1,LAYOUT=2x1,DURATION=2",
        "RESOLUTION=1x1,LAYOUT=4294967296x4294967296,DURATION=2",
        "RESOLUTION=1x1,LAYOUT=65535x65535,DURATION=0.000000000000000001",
    ])
    func hugeHLSTilesAreRefused(_ tiles: String) {
        let text = "#EXTM3U\n#EXT-X-IMAGES-ONLY\n#EXTINF:4,\n#EXT-X-TILES:\(tiles)\na.jpg\n#EXT-X-ENDLIST\n"
        let error = #expect(throws: ScrubError.self) { try Storyboard.HLSImagePlaylist(parsing: text) }
        #expect(error?.code == .badData)
        #expect(error?.place?.description.hasPrefix("line ") == true)
    }

    /// Two numbers of 32 bits make a time.
    @Test func timesOfABIFFileThatNoIntegerHoldsAreAnError() throws {
        let bif = try Storyboard.BIF(multiplier: .max, timestamps: [0, UInt32.max - 1], byteCounts: [1, 1])
        let error = #expect(throws: ScrubError.self) { try Storyboard.BIF(parsing: bif.header + [0, 0]) }
        #expect(error?.code == .badData && error?.place?.description == "byte 16")
        let long = try Storyboard.BIF(multiplier: 1000, timestamps: [0, UInt32.max - 1], byteCounts: [1, 1])
        #expect(try Storyboard.BIF(parsing: long.header + [0, 0]).milliseconds(of: 1) == 4_294_967_294_000)
    }

    @Test(arguments: [
        "9223372036854775807 - 2x2", "320 - 4294967296x4294967296", "320 - 65536x1", "99999999999999999999 - 1x1",
        "0 - 1x1", "320 - 0x1", "-320 - 1x1",
    ])
    func foldersThatJellyfinWouldNotRead(_ name: String) {
        #expect(Storyboard.JellyfinTrickplay(folderName: name) == nil)
    }
}
