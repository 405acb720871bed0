import ScrubBase
import ScrubStoryboards
import Testing

@Suite struct PlaylistTests {
    private func set(
        _ count: Int, every step: Int64, duration: Rational, columns: Int, rows: Int,
        lastSheet: Storyboard.SheetOptions.LastSheet = .trimmed
    ) throws -> Storyboard {
        try SampleSets.set(
            count: count, columns: columns, rows: rows, duration: duration,
            starts: (0..<Int64(count)).map { Rational($0 * step) }, lastSheet: lastSheet)
    }

    /// Found by the fuzzer: the written text was not the one that is read again.
    @Test func aQuotationMarkWithinAValueIsAnError() {
        let line = "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,RESOLUTION=2x2,CODECS=\"a\",URI="
        #expect(throws: ScrubError.self) {
            try Storyboard.HLSStream.streams(parsing: "#EXTM3U\n" + line + "s\"i.m3u8\"\n")
        }
        #expect(throws: Never.self) { try Storyboard.HLSStream.streams(parsing: "#EXTM3U\n" + line + "\"i.m3u8\"\n") }
    }

    @Test func theImagePlaylistIsTheSpecifications() throws {
        let set = try set(17, every: 10, duration: Rational(164_054, 1000), columns: 5, rows: 3)
        #expect(
            try Storyboard.HLSImagePlaylist(set).text == """
                #EXTM3U
                #EXT-X-TARGETDURATION:150
                #EXT-X-VERSION:7
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-IMAGES-ONLY
                #EXTINF:150.000,
                #EXT-X-TILES:RESOLUTION=160x90,LAYOUT=5x3,DURATION=10.000
                sheet-000.jpg
                #EXTINF:14.054,
                #EXT-X-TILES:RESOLUTION=160x90,LAYOUT=5x3,DURATION=10.000
                sheet-001.jpg
                #EXT-X-ENDLIST

                """)
        // 1037 bytes in 14.054 s are the most.
        #expect(
            try Storyboard.HLSStream(set, playlist: "thumbs 1.m3u8").text
                == "#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=591,RESOLUTION=160x90,CODECS=\"jpeg\",URI=\"thumbs%201.m3u8\"\n")
    }

    @Test(arguments: [(1, 1), (1000, 1), (1001, 2), (54_054, 55)])
    func theTargetIsAtLeastTheLongestSegment(milliseconds: Int64, target: Int) throws {
        let set = try SampleSets.set(
            count: 1, columns: 1, rows: 1, duration: Rational(milliseconds, 1000), starts: [.zero])
        #expect(try Storyboard.HLSImagePlaylist(set).text.contains("#EXT-X-TARGETDURATION:\(target)\n"))
    }

    @Test func othersPlaylistsAreRead() throws {
        let text = """
            #EXTM3U
            # a comment
            #EXT-X-IMAGES-ONLY
            #EXTINF:6,title, with comma
            #EXT-X-BYTERANGE:100@50
            #EXT-X-TILES:DURATION=2, RESOLUTION=240×135,LAYOUT=3x1,X="a,b=c"
            a.jpg
            #EXTINF:2.5
            #EXT-X-BYTERANGE:7
            #EXT-X-GAP
            #EXT-X-TILES:RESOLUTION=240x135,LAYOUT=3x1,DURATION=2
            a.jpg
            """
        let tiles = Storyboard.HLSImagePlaylist.Tiles(
            width: 240, height: 135, columns: 3, rows: 1, duration: Rational(2))
        let playlist = try Storyboard.HLSImagePlaylist(parsing: text.replacing("\n", with: "\r\n"))
        #expect(
            playlist.segments == [
                .init(uri: "a.jpg", byteRange: 50..<150, duration: Rational(6), tiles: tiles),
                .init(uri: "a.jpg", byteRange: 150..<157, duration: Rational(5, 2), tiles: tiles, isGap: true),
            ])
        #expect(try Storyboard.HLSImagePlaylist(parsing: playlist.text) == playlist)
        for (old, new, line) in [("LAYOUT=3x1,X", "X", 6), ("2.5", "-1", 8), ("100@50", "100", 5), ("b=c\"", "b", 6)] {
            let error = #expect(throws: ScrubError.self) {
                try Storyboard.HLSImagePlaylist(parsing: text.replacing(old, with: new, maxReplacements: 1))
            }
            #expect(error?.place?.description == "line \(line)")
        }
    }

    @Test func theIFramePlaylistIsTheSpecifications() throws {
        let playlist = try Storyboard.HLSIFramePlaylist(
            path: "v.mp4", initialization: 0..<800,
            segments: [
                .init(duration: Rational(1001, 500), byteRange: 800..<900),
                .init(duration: Rational(2, 3), byteRange: 1000..<1010),
            ])
        #expect(
            playlist.text == """
                #EXTM3U
                #EXT-X-TARGETDURATION:3
                #EXT-X-VERSION:5
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-I-FRAMES-ONLY
                #EXT-X-MAP:URI="v.mp4",BYTERANGE="800@0"
                #EXTINF:2.002,
                #EXT-X-BYTERANGE:100@800
                v.mp4
                #EXTINF:0.666666667,
                #EXT-X-BYTERANGE:10@1000
                v.mp4
                #EXT-X-ENDLIST

                """)
        // 110 bytes in 2.669 s, of which 100 are in 2.002 s.
        let stream = Storyboard.HLSStream(
            playlist, codecs: "avc1.64001f", width: 1280, height: 720, playlist: "i.m3u8")
        #expect(
            stream.text
                == "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=400,AVERAGE-BANDWIDTH=330,RESOLUTION=1280x720,CODECS=\"avc1.64001f\",URI=\"i.m3u8\"\n"
        )
        let master = Storyboard.HLSStream.master([stream])
        #expect(try Storyboard.HLSStream.streams(parsing: master) == [stream])
        let plain = try Storyboard.HLSStream.streams(parsing: master.replacing("AVERAGE-BANDWIDTH=330,", with: ""))
        #expect(plain.map(\.averageBandwidth) == [nil])
        #expect(throws: ScrubError.self) {
            try Storyboard.HLSStream.streams(parsing: master.replacing("=330,", with: "=33x,"))
        }
        #expect(throws: ScrubError.self) {
            try Storyboard.HLSIFramePlaylist(
                path: "v.mp4", initialization: nil, segments: [.init(duration: .zero, byteRange: 0..<1)])
        }
    }

    @Test func thePresentationIsTheGuidelines() throws {
        let set = try set(17, every: 10, duration: Rational(164_054, 1000), columns: 5, rows: 3, lastSheet: .full)
        #expect(
            Storyboard.DASHTiles.presentation([try Storyboard.DASHTiles(set)]) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" \
                profiles="urn:mpeg:dash:profile:isoff-live:2011" mediaPresentationDuration="PT164.054S" minBufferTime="PT1S">
                  <Period id="0" start="PT0S" duration="PT164.054S">
                    <AdaptationSet id="0" contentType="image" mimeType="image/jpeg">
                      <SegmentTemplate media="sheet-$Number%03d$.jpg" timescale="1" duration="150" startNumber="0"/>
                      <Representation id="thumbnails_160x90" bandwidth="56" width="800" height="270">
                        <EssentialProperty schemeIdUri="http://dashif.org/guidelines/thumbnail_tile" value="5x3"/>
                      </Representation>
                    </AdaptationSet>
                  </Period>
                </MPD>

                """)
        let trimmed = try self.set(17, every: 10, duration: Rational(170), columns: 5, rows: 3)
        #expect(throws: ScrubError.self) { try Storyboard.DASHTiles(trimmed) }
    }

    @Test func othersPresentationsAreRead() throws {
        let text = """
            <?xml version='1.0'?><!-- <MPD> --><m:MPD mediaPresentationDuration="P1DT1H1M1.5S"><Period>
            <AdaptationSet mimeType="video/mp4"><Representation id="v" bandwidth="1"/></AdaptationSet>
            <AdaptationSet mimeType='image/png' ><EssentialProperty value="10x5" schemeIdUri="http://dashif.org/thumbnail_tile"/>
            <Representation id='a&amp;b' bandwidth="9" width="1000" height="250">
            <SegmentTemplate media="$RepresentationID$/$$$Number%04d$.png" duration="30"></SegmentTemplate></Representation>
            </AdaptationSet></Period></m:MPD>
            """
        let tiles = try #require(try Storyboard.DASHTiles.sets(parsing: text).first)
        #expect((tiles.columns, tiles.rows, tiles.mimeType, tiles.id) == (10, 5, "image/png", "a&b"))
        #expect(tiles.duration == Rational(180_123, 2))
        #expect(tiles.sheetDuration == Rational(30))
        #expect(tiles.url(ofSheet: 0) == "a&b/$0001.png")
        #expect(tiles.sheetCount == 3003)
    }

    /// Names that don't count up cannot be said; ones that are numbered somewhere else too can.
    @Test func sheetsAreNumbered() throws {
        var set = try set(3, every: 1, duration: Rational(3), columns: 1, rows: 1)
        let rows: [([String], String?)] = [
            (["8.jpg", "9.jpg", "10.jpg"], "$Number$.jpg"),
            (["t1/320x180-08", "t1/320x180-09", "t1/320x180-10"], "t1/320x180-$Number%02d$"),
            (["a.jpg", "b.jpg", "c.jpg"], nil), (["1.jpg", "3.jpg", "4.jpg"], nil),
            (["1/a.jpg", "2/a.jpg", "3/a.jpg"], nil),
            (["a1b.mp4.jpg", "a2b.mp4.jpg", "a3b.mp4.jpg"], nil),
        ]
        for (names, media) in rows {
            for (place, name) in names.enumerated() { set.sheets[place].name = name }
            #expect((try? Storyboard.DASHTiles(set))?.media == media)
        }
    }

    @Test func jellyfinsRules() throws {
        func folder(_ step: Rational, width: Int = 160, lastSheet: Storyboard.SheetOptions.LastSheet = .full) throws
            -> String
        {
            let starts = try (0..<5).map { try #require(step.multiplied(by: Rational($0))) }
            let end = try #require(step.multiplied(by: Rational(5)))
            let set = try SampleSets.set(
                count: 5, columns: 2, rows: 2, duration: end, starts: starts, lastSheet: lastSheet, tileWidth: width)
            return try Storyboard.JellyfinTrickplay(set).folderName
        }
        #expect(try folder(Rational(10)) == "160 - 2x2")
        #expect(throws: ScrubError.self) { try folder(Rational(5, 2)) }
        #expect(throws: ScrubError.self) { try folder(Rational(10), width: 161) }
        #expect(throws: ScrubError.self) { try folder(Rational(10), lastSheet: .trimmed) }
        for name in [
            "320-10x10", "320 - 10×10", " 320 - 10x10", "320 - 10x10 ", "-1 - 1x1", "0 - 1x1", "a - 1x1", "320 - 10x",
        ] {
            #expect(Storyboard.JellyfinTrickplay(folderName: name) == nil)
        }
        #expect(Storyboard.JellyfinTrickplay.fileName(sheet: 12) == "12.jpg")
        #expect(Storyboard.JellyfinTrickplay.mediaFolderName(base: "a.b") == "a.b.trickplay")
    }
}
