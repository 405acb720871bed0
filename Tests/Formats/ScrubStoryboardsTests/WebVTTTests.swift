import ScrubBase
import ScrubStoryboards
import Testing

@Suite struct WebVTTTests {
    private func set(_ starts: [Rational], duration: Rational, name: String = "sheet-000.jpg") throws -> Storyboard {
        try SampleSets.set(
            count: starts.count, columns: 5, rows: 3, duration: duration, starts: starts, lastSheet: .trimmed,
            name: { _ in name })
    }

    @Test func theTextIsAsPlayersReadIt() throws {
        let set = try set(
            [.zero, Rational(10), Rational(20), Rational(30), Rational(40), Rational(50)], duration: Rational(181, 3))
        let text = try Storyboard.WebVTT(set).text
        #expect(
            text.hasPrefix(
                "WEBVTT\n\nNOTE film end 00:01:00.334\n\n00:00:00.000 --> 00:00:10.000\nsheet-000.jpg#xywh=0,0,160,90\n\n00:00:10.000 --> "
            ))
        #expect(text.hasSuffix("\n\n00:00:50.000 --> 00:01:01.334\nsheet-000.jpg#xywh=0,90,160,90\n"))
    }

    /// Times are the players': nothing is shown before the first frame but the first thumbnail, which is from 0 on.
    @Test func timesAreThePlayers() throws {
        var late = try set([.zero, Rational(73, 10), Rational(93, 10)], duration: Rational(6))
        late.playerStart = Rational(53, 10)
        let cues = try Storyboard.WebVTT(late).cues
        #expect(cues.map(\.start) == [0, 7300, 9300] && cues.map(\.end) == [7300, 9300, 12_300])
        #expect(try Storyboard.JSON.storyboard(parsing: try Storyboard.JSON.manifest(late)) == late)
        let (vtt, images) = (try Storyboard.WebVTT(late), try Storyboard.JSONImages(late))
        #expect(vtt.filmEnd == 11_300 && images.filmEnd == Rational(113, 10))
        #expect(try Storyboard.WebVTT(parsing: vtt.text) == vtt)
        #expect(try Storyboard.JSONImages(parsing: images.text) == images && Storyboard.JSONImages(vtt) == images)
        late.playerStart = Rational(-1)
        #expect(throws: ScrubError.self) { try late.validate() }
        late.playerStart = Rational(3)
        #expect(throws: ScrubError.self, "a slot behind the end") { try late.validate() }
    }

    /// Each border is cut off once: cues stay contiguous whatever the frame rate is, and their begins name their
    /// frames.
    @Test func bordersAreCutOffOnce() throws {
        let set = try set(
            [.zero, Rational(1, 3), Rational(1001, 2000), Rational(2, 3)], duration: Rational(1001, 1000))
        #expect(try Storyboard.WebVTT(set).cues.map(\.start) == [0, 333, 500, 666])
        #expect(try Storyboard.WebVTT(set).cues.map(\.end) == [333, 500, 666, 2001])
    }

    @Test(arguments: [
        ("a b.jpg", "a%20b.jpg"), ("ü.jpg", "%C3%BC.jpg"), ("x/100%.jpg", "x/100%25.jpg"),
        ("新#1.jpg", "%E6%96%B0%231.jpg"),
        ("a:b-->c.jpg", "a%3Ab--%3Ec.jpg"), ("e\u{301}.jpg", "e%CC%81.jpg"),
    ])
    func namesAreEncoded(name: String, url: String) throws {
        let vtt = try Storyboard.WebVTT(try set([.zero], duration: .one, name: name))
        #expect(vtt.cues[0].url == url)
        #expect(vtt.cues[0].path == name)
        #expect(try Storyboard.WebVTT(parsing: vtt.text) == vtt)
    }

    @Test func aBaseURLPrecedesNames() throws {
        let set = try set([.zero], duration: .one, name: "a b.jpg")
        for base in ["https://a.example/t", "https://a.example/t/"] {
            #expect(try Storyboard.WebVTT(set, baseURL: base).cues[0].url == "https://a.example/t/a%20b.jpg")
        }
        for base in ["https://a.example/t t", "https://ä.example", "https://a.example/?q", "a#b", "a\n"] {
            let error = #expect(throws: ScrubError.self) { try Storyboard.WebVTT(set, baseURL: base) }
            #expect(error?.code == .usage)
        }
    }

    /// Players show the hundredth hour as the first; it is refused, but read.
    @Test func ahundredHoursAreRefused() throws {
        let hours = Rational(360_000)
        #expect(
            try Storyboard.WebVTT(try set([.zero], duration: Rational(359_998_999, 1000))).cues[0].end == 359_999_999)
        for duration in [hours, Rational(359_998_999_1, 10_000), Rational(.max)] {
            let set = Storyboard(
                file: "a", frameCount: 1, duration: duration, tileWidth: 1, tileHeight: 1, columns: 1, rows: 1,
                format: .jpeg, sheets: [.init(name: "0.jpg", width: 1, height: 1, byteCount: 1)],
                thumbnails: [
                    .init(
                        index: 0, start: .zero, requestedTime: .zero, time: .zero, frameNumber: 0, verdict: "exact",
                        sheet: 0,
                        x: 0,
                        y: 0, width: 1, height: 1)
                ])
            let error = #expect(throws: ScrubError.self) { try Storyboard.WebVTT(set) }
            #expect(error?.code == .usage)
        }
        let read = try Storyboard.WebVTT(parsing: "WEBVTT\n\n100:00:00.000 --> 1000:00:00.001\na.jpg\n")
        #expect(read.cues == [.init(start: 360_000_000, end: 3_600_000_001, url: "a.jpg", region: nil)])
    }

    /// No cue is without length: a film of one picture may last less than a millisecond.
    @Test func slotsOfLessThanAMillisecondHaveOne() throws {
        let close = try Storyboard.WebVTT(try set([.zero, Rational(1, 3000), Rational(1, 2)], duration: .one))
        #expect(close.cues.map(\.start) == [0, 1, 500] && close.cues.map(\.end) == [1, 500, 2000])
        let starts = (0..<9).map { Rational(Int64($0), 9 * 12_800) }
        let still = try Storyboard.WebVTT(try set(starts, duration: Rational(1, 12_800)))
        #expect(still.cues.map(\.start) == Array(0..<9) && still.cues.map(\.end) == Array(1...8) + [1009])
        #expect(try Storyboard.WebVTT(parsing: still.text) == still)
    }

    @Test func filesThatPlayersTolerateAreRead() throws {
        let text =
            "\u{FEFF}WEBVTT thumbnails\r\nX: y\r\n\r\nNOTE a\r\nb --\r\n\r\nSTYLE\r\n::cue {}\r\n\r\n1\r\n00:01.500\t-->  00:02.000 align:start\r\n"
            + "a.jpg#xywh=pixel:1,2,3,4\r\nmore\r\n\r\n\r\n01:00:00.000 --> 01:00:01.000\rb.jpg"
        #expect(
            try Storyboard.WebVTT(parsing: text).cues == [
                .init(start: 1500, end: 2000, url: "a.jpg", region: .init(x: 1, y: 2, width: 3, height: 4)),
                .init(start: 3_600_000, end: 3_601_000, url: "b.jpg", region: nil),
            ])
    }

    @Test(arguments: [
        ("", 1), ("WEBVTTX\n", 1), ("WEBVTT\n\nfoo\nbar\n", 3), ("WEBVTT\n\n00:01 --> 00:02\na", 3),
        ("WEBVTT\n\n00:01.000 --> 00:01.000\na", 3), ("WEBVTT\n\n00:01.000 --> 00:02.000\n\na", 3),
        ("WEBVTT\n\n00:61.000 --> 00:62.000\na", 3), ("WEBVTT\n\n00:01.000 --> 00:02.000\na#xywh=percent:0,0,1,1", 4),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\na#xywh=0,0,1", 4), ("WEBVTT\n\n00:01.000 --> 00:02.000\n#xywh=0,0,1,1", 4),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\na#xywh=0,0,-1,1", 4), ("WEBVTT\n\n00:01.00 --> 00:02.000\na", 3),
    ])
    func cuesWithoutAPictureAreErrorsWithTheirLine(text: String, line: Int) {
        let error = #expect(throws: ScrubError.self) { try Storyboard.WebVTT(parsing: text) }
        #expect(error?.place?.description == "line \(line)")
    }
}
