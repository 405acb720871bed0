import ScrubHLSPlaylists
import ScrubBase
import ScrubTestSupport
import Testing

/// Playlists as text: their facts, refusals and their places, and that no text can trap.
struct PlaylistParsingTests {
    static func media(_ text: String) throws(ScrubError) -> MediaPlaylist {
        try MediaPlaylist(parsing: Array(text.utf8))
    }

    static let sample = """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-TARGETDURATION:6
        #EXT-X-MEDIA-SEQUENCE:41
        #EXT-X-MAP:URI="init,a=b.mp4",BYTERANGE="800@16"
        #EXTINF:5.994,Title, with commas
        #EXT-X-BYTERANGE:1000@816
        film.mp4
        # a comment
        #EXTINF:0.1,
        #EXT-X-BYTERANGE:500
        film.mp4
        #EXT-X-DISCONTINUITY
        #EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x1F
        #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z
        #EXTINF:3
        other.ts
        #EXT-X-KEY:METHOD=NONE
        #EXT-X-GAP
        #EXTINF:.000000000000000001,
        last.ts
        #EXT-X-ENDLIST
        """

    @Test(arguments: ["\n", "\r\n", "\r"])
    func everythingASegmentHas(_ lineEnd: String) throws {
        let text = "\u{FEFF}" + PlaylistParsingTests.sample.replacing("\n", with: lineEnd)
        let playlist = try PlaylistParsingTests.media(text)
        #expect(playlist.isComplete && playlist.version == 7 && playlist.targetDuration == 6)
        let segments = playlist.segments
        #expect(segments.map(\.sequence) == [41, 42, 43, 44])
        #expect(segments.map(\.discontinuity) == [0, 0, 1, 1])
        #expect(segments.map(\.resource.range) == [816..<1816, 1816..<2316, nil, nil])
        #expect(
            segments.map(\.start.seconds) == [.zero, Rational(5994, 1000), Rational(6094, 1000), Rational(9094, 1000)])
        #expect(playlist.duration.attoseconds == 9_094_000_000_000_000_001)
        #expect(playlist.initializations.map(\.resource.uri) == ["init,a=b.mp4"])
        #expect(playlist.initializations.map(\.resource.range) == [16..<816])
        #expect(segments.map(\.keySet) == [nil, nil, 0, nil])
        #expect(playlist.keySets[0][0].vector == [UInt8](repeating: 0, count: 15) + [0x1F])
        #expect(segments.map(\.isGap) == [false, false, false, true])
        #expect(segments[2].dateTime == "2026-01-01T00:00:00Z" && segments[2].line == 17)
    }

    @Test func decimalsAreExact() throws {
        // 0.1 has no end in binary: a thousand of them are 100 s all the same.
        let text = "#EXTM3U\n" + String(repeating: "#EXTINF:0.1,\na.ts\n", count: 1000)
        #expect(try PlaylistParsingTests.media(text).duration.seconds == Rational(100))
        let third = try PlaylistParsingTests.media("#EXTM3U\n#EXTINF:3.3333333333333333333333,\na.ts\n")
        #expect(third.duration.attoseconds == 3_333_333_333_333_333_333)
    }

    @Test(arguments: [
        ("", 1), ("#EXTM3", 1), ("#EXTM3U\na.ts", 2), ("#EXTM3U\n#EXTINF:-1,\na.ts", 2),
        ("#EXTM3U\n#EXTINF:1e3,\na.ts", 2),
        ("#EXTM3U\n#EXTINF:nan,\na.ts", 2), ("#EXTM3U\n#EXTINF:10000000001,\na.ts", 2), ("#EXTM3U\n#EXTINF:1,", 2),
        ("#EXTM3U\n#EXTINF:1,\n#EXTINF:1,\na.ts", 3), ("#EXTM3U\n#EXTINF:1,\n#EXT-X-BYTERANGE:5\na.ts", 4),
        ("#EXTM3U\n#EXT-X-BYTERANGE:0@0", 2), ("#EXTM3U\n#EXT-X-BYTERANGE:9223372036854775807@9", 2),
        ("#EXTM3U\n#EXT-X-BYTERANGE:-5@0", 2), ("#EXTM3U\n#EXT-X-BYTERANGE:5@0@0", 2),
        ("#EXTM3U\n#EXT-X-KEY:URI=\"k\"", 2),
        ("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128", 2), ("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=12", 2),
        ("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k", 2), ("#EXTM3U\n#EXT-X-MAP:BYTERANGE=\"1@0\"", 2),
        ("#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:9223372036854775807", 2), ("#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"", 2),
        ("#EXTM3U\n#EXTINF:1,\n#EXT-X-BYTERANGE:5@0\na\n#EXTINF:1,\n#EXT-X-BYTERANGE:5\nb", 7),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na", 2), ("#EXTM3U\n\u{0}", 2),
    ])
    func faultsHaveTheirLine(_ text: String, _ line: Int) {
        let error = #expect(throws: ScrubError.self) { try PlaylistParsingTests.media(text) }
        #expect(error?.place?.description == "line \(line)", "\(String(describing: error))")
    }

    @Test func limits() {
        #expect(throws: ScrubError.self) {
            try MediaPlaylist(parsing: [UInt8](repeating: 0x0A, count: PlaylistLimits.bytes + 1))
        }
        let lines = Array("#EXTM3U".utf8) + [UInt8](repeating: 0x0A, count: PlaylistLimits.lines + 1)
        #expect(throws: ScrubError.self) { try MediaPlaylist(parsing: lines) }
        let long = "#EXTM3U\n#EXTINF:1,\n" + String(repeating: "a", count: PlaylistLimits.lineBytes + 1)
        #expect(throws: ScrubError.self) { try PlaylistParsingTests.media(long) }
        let many = "#EXTM3U\n" + String(repeating: "#EXTINF:1,\na\n", count: PlaylistLimits.segments + 1)
        #expect(throws: ScrubError.self) { try PlaylistParsingTests.media(many) }
    }

    @Test func masters() throws {
        let text = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",URI="a.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=5000, AVERAGE-BANDWIDTH=4000,RESOLUTION=640x360,CODECS="avc1.4d401e, mp4a.40.2",FRAME-RATE=25.000
            low.m3u8
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=100,URI="i.m3u8",RESOLUTION=64x36
            """
        guard case .master(let master) = try HLSPlaylist(parsing: Array(text.utf8)) else {
            Issue.record("no master playlist")
            return
        }
        #expect(master.renditions.count == 1 && master.renditions[0].uri == "low.m3u8")
        #expect(
            master.renditions[0].codecs == ["avc1.4d401e", "mp4a.40.2"] && master.renditions[0].averageBandwidth == 4000
        )
        #expect(master.keyPictures.first?.width == 64 && master.media.first?.type == "AUDIO")
        for bad in ["#EXT-X-STREAM-INF:BANDWIDTH=1", "#EXT-X-STREAM-INF:A=1\na", "#EXT-X-STREAM-INF:BANDWIDTH=1\na\nb"]
        {
            #expect(throws: ScrubError.self) { try HLSPlaylist(parsing: Array("#EXTM3U\n\(bad)".utf8)) }
        }
        #expect(throws: ScrubError.self) { try HLSPlaylist(parsing: Array("#EXTM3U\nfilm.mp4\n".utf8)) }
    }

    /// Without video the key pictures are taken, and thumbnails as JPEG where there are no others, however large.
    @Test func thumbnailsAreTheLastChoice() throws {
        let jpeg = "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9,CODECS=\"mjpg\",URI=\"t.m3u8\",RESOLUTION=640x360\n"
        let own = "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,CODECS=\"avc1.4d401e\",URI=\"i.m3u8\",RESOLUTION=64x36\n"
        let video = "#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n"
        for (text, choices) in [(jpeg + own, ["i.m3u8"]), (jpeg, ["t.m3u8"]), (jpeg + own + video, ["v.m3u8"])] {
            let master = try MasterPlaylist(parsing: Array("#EXTM3U\n\(text)".utf8))
            #expect(master.choices.map(\.uri) == choices)
        }
    }

    /// Playlists with lines taken out, doubled, exchanged, cut, and bytes changed: an error or a playlist that keeps
    /// its promises.
    @Test func nothingTraps() {
        let seed: UInt64 = 41
        var random = SplitMix(seed)
        let lines = PlaylistParsingTests.sample.split(separator: "\n").map { Array($0.utf8) }
        let odd = Array("0123456789-.@x,=\":#\u{0}\n\r %".utf8)
        var parsed = 0
        for step in 0..<20_000 {
            var changed = lines
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: changed.indices, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0 where changed.count > 2: changed.remove(at: place)
                case 1: changed.insert(changed[place], at: Int.random(in: changed.indices, using: &random))
                case 2: changed.swapAt(place, Int.random(in: changed.indices, using: &random))
                case 3:
                    changed[place] = Array(
                        changed[place].prefix(Int.random(in: 0...changed[place].count, using: &random)))
                default:
                    guard !changed[place].isEmpty else { continue }
                    let at = Int.random(in: changed[place].indices, using: &random)
                    changed[place][at] =
                        random.isOne(in: 3)
                        ? UInt8.random(in: 0...255, using: &random) : odd.randomElement(using: &random) ?? 0
                }
            }
            guard let playlist = try? MediaPlaylist(parsing: Array(changed.joined(separator: [0x0A]))) else { continue }
            parsed += 1
            var sum = PlaylistTime.zero
            for (place, segment) in playlist.segments.enumerated() {
                let isSound =
                    segment.start == sum && segment.duration >= .zero
                    && segment.sequence == playlist.mediaSequence + Int64(place)
                    && segment.initialization.map { playlist.initializations.indices.contains($0) } ?? true
                    && segment.keySet.map { playlist.keySets.indices.contains($0) } ?? true
                    && segment.resource.range.map { $0.lowerBound >= 0 && !$0.isEmpty } ?? true
                #expect(isSound, "seed \(seed), step \(step)")
                sum = sum + segment.duration
            }
        }
        #expect(parsed > 1000, "seed \(seed)")
    }
}
