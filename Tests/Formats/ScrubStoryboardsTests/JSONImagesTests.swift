import ScrubBase
import ScrubStoryboards
import Testing

@Suite struct JSONImagesTests {
    private func set(_ starts: [Rational] = [.zero, Rational(1001, 2000)]) throws -> Storyboard {
        try SampleSets.set(
            count: starts.count, columns: 1, rows: 1, duration: Rational(4001, 4000), starts: starts,
            name: { "bild \($0).jpg" })
    }

    /// The times are WebVTT's: a border is cut off once, and the end is a second later. The last image says the film's.
    @Test func theTextIsAsVidstackTakesIt() throws {
        #expect(
            try Storyboard.JSONImages(try set()).text == """
                [
                {"url":"bild%200.jpg","startTime":0,"endTime":0.500,"width":160,"height":90,"coords":{"x":0,"y":0}},
                {"url":"bild%201.jpg","startTime":0.500,"endTime":2.001,"width":160,"height":90,"coords":{"x":0,"y":0},"filmEnd":1.001}
                ]

                """)
        let based = try Storyboard.JSONImages(try set(), baseURL: "https://a.example/t")
        #expect(based.images.map(\.url) == ["https://a.example/t/bild%200.jpg", "https://a.example/t/bild%201.jpg"])
        #expect(throws: ScrubError.self) { try Storyboard.JSONImages(try set(), baseURL: "https://a.example/?q") }
    }

    @Test func unrepresentableSetsAreRefused() throws {
        // A picture that is shown for less than a millisecond is shown for one.
        #expect(try Storyboard.JSONImages(try set([.zero, Rational(1, 3000)])).images[0].end == Rational(1, 1000))
        // Longer than WebVTT says, which does not matter here; and longer than anything can say.
        var long = try set([.zero])
        long.duration = Rational(360_000)
        #expect(try Storyboard.JSONImages(long).images[0].end == long.duration + .one)
        long.duration = Rational(.max)
        let endless = #expect(throws: ScrubError.self) { try Storyboard.JSONImages(long) }
        #expect(endless?.code == .usage)
        long.duration = .zero
        let none = #expect(throws: ScrubError.self) { try Storyboard.JSONImages(long) }
        #expect(none?.code == .badData)
    }

    /// Ends and places may be missing, and others' members be there.
    @Test func filesThatVidstackToleratesAreRead() throws {
        let text = """
            [{"startTime":1e-1,"url":"/a.jpg","title":"x"},
            {"url":"b.jpg","startTime":2.25,"endTime":null,"width":4,"height":3},
            {"url":"b.jpg","startTime":3,"endTime":4,"width":4,"height":3,"coords":{"y":2,"x":1,"z":0}}]
            """
        #expect(
            try Storyboard.JSONImages(parsing: text).images == [
                .init(url: "/a.jpg", start: Rational(1, 10), end: nil, region: nil),
                .init(url: "b.jpg", start: Rational(9, 4), end: nil, region: nil),
                .init(
                    url: "b.jpg", start: Rational(3), end: Rational(4),
                    region: .init(x: 1, y: 2, width: 4, height: 3)),
            ])
        #expect(try Storyboard.JSONImages(parsing: "[]").images.isEmpty)
    }

    @Test(arguments: [
        ("\"url\":\"bild%201.jpg\"", "\"url\":\"\"", "[1].url"), ("\"url\":\"bild%201.jpg\"", "\"url\":1", "[1].url"),
        ("\"startTime\":0.500", "\"startTime\":\"0.500\"", "[1].startTime"),
        ("\"startTime\":0.500", "\"startTime\":0", "[1].startTime"),
        ("\"startTime\":0,", "\"startTime\":-1,", "[0].startTime"),
        ("\"endTime\":2.001", "\"endTime\":0.500", "[1].endTime"),
        ("\"endTime\":2.001", "\"endTime\":[]", "[1].endTime"),
        ("\"width\":160,", "", "[0].width"), ("\"width\":160,", "\"width\":0,", "[0].coords"),
        ("\"x\":0", "\"x\":-1", "[0].coords"), ("\"x\":0", "\"x\":0.5", "[0].coords.x"),
        (",\"y\":0", "", "[0].coords.y"),
        ("{\"x\":0,\"y\":0}", "[0,0]", "[0].coords"), ("[\n{", "[\n1,{", "[0]"),
    ])
    func aWrongMemberIsAnErrorWithItsPlace(old: String, new: String, place: String) throws {
        let text = try Storyboard.JSONImages(try set()).text.replacing(old, with: new, maxReplacements: 1)
        let error = #expect(throws: ScrubError.self) { try Storyboard.JSONImages(parsing: text) }
        #expect(error?.code == .badData)
        #expect(error?.place == place)
    }

    /// The place of a sheet on a disk that an index names by a URL.
    @Test(arguments: [
        ("a%20b.jpg", "a b.jpg"), ("x/%C3%BC.jpg", "x/ü.jpg"), ("https://a.example/t/a%20b.jpg", "a b.jpg"),
        ("http://a.example/x/y/s.jpg?key=/1#xywh=0,0,1,1", "s.jpg"), ("/t/s.jpg", "s.jpg"), ("/s.jpg", "s.jpg"),
        ("//a.example/s.jpg", "s.jpg"), ("https://a.example", nil), ("https://a.example/", nil), ("//a.example", nil),
        ("/", nil), ("https://a.example/t/..%2F..%2Fs.jpg", nil), ("https://a.example/..", nil), ("/%2E%2E", nil),
        ("https://a.example/%zz.jpg", nil), ("%", nil),
    ])
    func sheetsAreLookedForByTheirNames(url: String, path: String?) {
        #expect(SheetURL.file(url) == path)
    }
}
