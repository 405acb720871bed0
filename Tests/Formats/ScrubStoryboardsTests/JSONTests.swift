import ScrubBase
import ScrubStoryboards
import Testing

@Suite struct JSONTests {
    private func set() throws -> Storyboard {
        try SampleSets.set(
            count: 2, columns: 2, rows: 1, duration: Rational(1001, 1000), starts: [.zero, Rational(1001, 2000)])
    }

    @Test func theManifestHasTheContractsKeys() throws {
        let text = try Storyboard.JSON.manifest(try set())
        #expect(
            text == """
                {
                "file":"Füße \\"1\\".mp4",
                "frameCount":31,
                "duration":1.001,
                "format":"jpeg",
                "tileWidth":160,
                "tileHeight":90,
                "columns":2,
                "rows":1,
                "sheets":[
                {"name":"sheet-000.jpg","width":320,"height":90,"bytes":1000}
                ],
                "thumbnails":[
                {"index":0,"start":0,"requested":0,"seconds":0,"frame":0,"verdict":"exact","sheet":"sheet-000.jpg",\
                "x":0,"y":0,"width":160,"height":90,"repeat":false,"blurHash":"LEHV6nWB2yk8pyo0adR*.7kCMdnj"},
                {"index":1,"start":0.5005,"requested":0.5005,"seconds":0.467133333,"secondsRatio":"7007/15000",\
                "frame":14,"verdict":"exact","sheet":"sheet-000.jpg","x":160,"y":0,"width":160,"height":90,"repeat":false}
                ]
                }

                """)
    }

    @Test(arguments: [
        ("\"frameCount\":31", "\"frameCount\":31.5", "frameCount"), ("\"index\":1", "\"index\":2", "thumbnail 1"),
        ("\"x\":160", "\"x\":161", "thumbnail 1"), ("\"x\":160", "\"x\":9223372036854775807", "thumbnail 1"),
        ("\"sheet-000.jpg\",\"width\":320", "\"../a.jpg\",\"width\":320", "thumbnails[0].sheet"),
        ("15000\"", "15001\"", "thumbnails[1].secondsRatio"), ("\"jpeg\"", "\"gif\"", "format"),
        ("\"columns\":2", "\"columns\":9223372036854775807", "tiles"),
        ("\"start\":0.5005", "\"start\":0", "thumbnail 0"),
        ("\"verdict\":\"exact\"", "\"verdict\":\"perhaps\"", "thumbnail 0"), ("\"file\"", "\"File\"", "file"),
        ("\"rows\":1", "\"rows\":1,\"rows\":1", "byte 145"), ("\"start\":0.5005", "\"start\":2", "thumbnail 1"),
    ])
    func aWrongMemberIsAnErrorWithItsPlace(old: String, new: String, place: String) throws {
        let text = try Storyboard.JSON.manifest(try set()).replacing(old, with: new)
        let error = #expect(throws: ScrubError.self) { try Storyboard.JSON.storyboard(parsing: text) }
        #expect(error?.code == .badData)
        #expect(error?.place?.description == place)
    }

    @Test(arguments: ["/a.jpg", "a/../b.jpg", "..", ".", "", "a//b.jpg", "a\u{0}.jpg", "a/", "\n"])
    func pathsThatLeaveTheFolderAreErrors(name: String) throws {
        var set = try set()
        set.sheets[0].name = name
        #expect(throws: ScrubError.self) { try set.validate() }
        #expect(throws: ScrubError.self) { try Storyboard.JSON.manifest(set) }
    }

    @Test func stringsAreReadWithAllEscapes() throws {
        let text = try Storyboard.JSON.manifest(try set()).replacing(
            "Füße \\\"1\\\"", with: #"\u0041\uD83D\uDE00\/\b\f\n\r\t\\\""#)
        #expect(try Storyboard.JSON.storyboard(parsing: text).file == "A😀/\u{8}\u{C}\n\r\t\\\".mp4")
    }

    @Test(arguments: [
        "", "{", "[", "{}x", "{,}", "{\"a\":}", "{\"a\" 1}", "[1,]", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"",
        "\"\\x\"",
        "\"\n\"", "01", "1.", ".5", "1e", "-", "+1", "nul", "NaN", "{a:1}", "//", "'a'", "\u{FEFF}{}", "[1 2]",
        String(repeating: "[", count: 100_000),
    ])
    func malformedTextIsAnErrorWithItsPlace(text: String) {
        let error = #expect(throws: ScrubError.self) { try Storyboard.JSON.storyboard(parsing: text) }
        #expect(error?.code == .badData)
        #expect(error?.place?.description.hasPrefix("byte ") == true)
    }

    @Test func tilesAreAsMuxWritesThem() throws {
        let tiles = try Storyboard.Tiles(try set(), baseURL: "https://a.example/t")
        #expect(
            tiles.text == """
                {
                "url":"https://a.example/t/sheet-000.jpg",
                "tile_width":160,
                "tile_height":90,
                "duration":1.001,
                "tiles":[
                {"start":0,"x":0,"y":0},
                {"start":0.500,"x":160,"y":0}
                ]
                }

                """)
        let vidstack = tiles.text.replacing("tile_width", with: "tileWidth").replacing(
            "\"start\"", with: "\"startTime\"")
        #expect(try Storyboard.Tiles(parsing: vidstack) == tiles)
        #expect(throws: ScrubError.self) { try Storyboard.Tiles(try set(), baseURL: "t/") }
        let exponent = tiles.text.replacing("0.500", with: "5.00e-1")
        #expect(try Storyboard.Tiles(parsing: exponent) == tiles)
    }
}
