import ScrubBase
import ScrubStoryboards
import Testing

/// The thumbnail that players show at a time is the one whose slot has that time.
@Suite struct PlayerTests {
    /// Times well inside each slot: a millisecond or a hundredth of it from the borders, and its middle.
    private func probes(_ set: Storyboard) -> [(Storyboard.Thumbnail, Double)] {
        set.thumbnails.flatMap { thumbnail in
            let slot = set.slot(of: thumbnail.index)
            let (start, end) = (slot.lowerBound.doubleValue, slot.upperBound.doubleValue)
            // Times in WebVTT are whole milliseconds.
            guard end - start > 0.004 else { return [(Storyboard.Thumbnail, Double)]() }
            return [start + 0.001, (start + end) / 2, end - 0.001].map { (thumbnail, $0) }
        }
    }

    private func picture(_ thumbnail: Storyboard.Thumbnail, _ url: String) -> ShownPicture {
        .init(url: url, x: thumbnail.x, y: thumbnail.y, width: thumbnail.width, height: thumbnail.height)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func everyWebPlayerShowsTheSlotsPicture(seed: UInt64) throws {
        let set = try SampleSets.random(seed)
        let vtt = try Storyboard.WebVTT(set, baseURL: seed % 2 == 0 ? nil : "https://a.example/b")
        let (plyr, mediaChrome) = (try CueRules.plyr(vtt.text), try CueRules.mediaChrome(vtt.text))
        let (vidstack, shaka) = (try CueRules.vidstack(vtt.text), try CueRules.shaka(vtt.text))
        for (thumbnail, time) in probes(set) {
            let cue = vtt.cues[thumbnail.index]
            let name = set.sheets[thumbnail.sheet].name
            #expect(cue.path == (seed % 2 == 0 ? name : "https://a.example/b/" + name))
            let expected = picture(thumbnail, cue.url)
            #expect(plyr.picture(at: time) == expected)
            #expect(mediaChrome.picture(at: time) == expected)
            #expect(vidstack.picture(at: time) == expected)
            #expect(shaka.picture(at: time) == expected)
        }
        // Hovering at the very end: the last thumbnail, and of Shaka too, where a cue's end is not in it.
        let last = try #require(set.thumbnails.last)
        let expected = picture(last, vtt.cues[last.index].url)
        for time in [set.end.doubleValue, set.end.doubleValue + 0.5] {
            for rules in [plyr, mediaChrome, vidstack, shaka] { #expect(rules.picture(at: time) == expected) }
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func shakaShowsTheSlotsPictureOfAnImagePlaylist(seed: UInt64) throws {
        let set = try SampleSets.random(seed, spacing: seed % 2 == 0 ? .count : .seconds)
        let playlist = try Storyboard.HLSImagePlaylist(set)
        let sheets = try GridRules.shakaHLS(playlist.text)
        #expect(sheets.count == set.sheets.count)
        for (thumbnail, time) in probes(set) {
            let expected = picture(thumbnail, playlist.segments[thumbnail.sheet].uri)
            let sheet = sheets.last { $0.start <= time }
            #expect(sheet?.picture(at: time) == expected)
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func dashPlayersShowTheSlotsPicture(seed: UInt64) throws {
        let set = try SampleSets.random(seed, spacing: seed % 2 == 0 ? .count : .seconds, lastSheet: .full)
        let tiles = try Storyboard.DASHTiles(set)
        let urls = try Storyboard.WebVTT(set).cues.map(\.url)
        let sheets = try GridRules.dash(Storyboard.DASHTiles.presentation([tiles]), count: set.sheets.count)
        for (thumbnail, time) in probes(set) {
            let expected = picture(thumbnail, urls[thumbnail.index])
            let sheet = sheets.last { $0.start <= time }
            #expect(sheet?.picture(at: time) == expected)
            #expect(tiles.url(ofSheet: thumbnail.sheet) == urls[thumbnail.index])
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func jellyfinShowsTheSlotsPicture(seed: UInt64) throws {
        let set = try SampleSets.random(seed, spacing: .seconds, lastSheet: .full, format: .jpeg)
        let interval = try #require(set.interval)
        // Jellyfin's are whole seconds; a set of one thumbnail has its duration for one.
        guard interval.denominator == 1 else {
            #expect(set.thumbnails.count == 1)
            return
        }
        let folder = try Storyboard.JellyfinTrickplay(set).folderName
        for (thumbnail, time) in probes(set) {
            let expected = picture(thumbnail, Storyboard.JellyfinTrickplay.fileName(sheet: thumbnail.sheet))
            let shown = try GridRules.jellyfin(
                folder: folder, interval: Int(interval.numerator), height: set.tileHeight, at: time)
            #expect(shown == expected)
        }
    }

    /// hls.js and Shaka take JPEG I-frames by the codec's name and add durations up.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func playersOfIFramesShowTheSlotsPicture(seed: UInt64) throws {
        let set = try SampleSets.random(seed, spacing: .count)
        let step = try #require(set.interval)
        let playlist = try Storyboard.HLSIFramePlaylist(
            path: "i.mp4", initialization: 0..<500,
            segments: set.thumbnails.map { .init(duration: step, byteRange: 500 + $0.index * 9..<509 + $0.index * 9) })
        let line = Storyboard.HLSStream(playlist, codecs: "mjpg", width: 160, height: 90, playlist: "i.m3u8").text
        #expect(line.contains(/^#EXT-X-I-FRAME-STREAM-INF:.*CODECS="mjpg".*URI="i.m3u8"\n$/))
        var (starts, end) = ([Double](), 0.0)
        for match in playlist.text.matches(of: /#EXTINF:([0-9.]+),\n#EXT-X-BYTERANGE:9@(\d+)\ni.mp4\n/) {
            #expect(Int(match.output.2) == 500 + starts.count * 9)
            starts.append(end)
            end += try #require(Double(match.output.1))
        }
        for (thumbnail, time) in probes(set) { #expect(starts.lastIndex { $0 <= time } == thumbnail.index) }
    }

    /// Televisions take the picture by the interval; other readers look for the last one that has begun.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func readersOfBIFShowTheSlotsPicture(seed: UInt64) throws {
        let regular = try SampleSets.random(seed, spacing: .seconds, single: true, format: .jpeg)
        let interval = try Storyboard.BIF(regular)
        for (thumbnail, time) in probes(regular) {
            #expect(Int(time * 1000) / Int(interval.multiplier) == thumbnail.index)
        }
        let uneven = try SampleSets.random(seed, spacing: .uneven, single: true, format: .jpeg)
        let exact = try Storyboard.BIF(uneven, timing: .exact)
        for (thumbnail, time) in probes(uneven) {
            let shown = exact.entries.indices.last { Double(exact.milliseconds(of: $0)) <= time * 1000 }
            #expect(shown == thumbnail.index)
        }
    }

    /// Vidstack and Mux: the last tile that has begun.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func readersOfTilesShowTheSlotsPicture(seed: UInt64) throws {
        let set = try SampleSets.random(seed)
        guard set.sheets.count == 1 else {
            #expect(throws: ScrubError.self) { try Storyboard.Tiles(set, baseURL: "https://a.example/") }
            return
        }
        let tiles = try Storyboard.Tiles(set, baseURL: "https://a.example/")
        for (thumbnail, time) in probes(set) {
            let tile = try #require(tiles.tiles.last { $0.start.doubleValue <= time })
            #expect((tile.x, tile.y) == (thumbnail.x, thumbnail.y))
        }
        let vidstack = try JSONRules.storyboard(tiles.text)
        for (thumbnail, time) in probes(set) {
            #expect(vidstack.picture(at: time) == picture(thumbnail, tiles.url))
        }
    }

    /// Vidstack with the array, on a page in the set's folder, or anywhere when there is a base URL.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func readersOfImagesShowTheSlotsPicture(seed: UInt64) throws {
        let set = try SampleSets.random(seed)
        let folder = "https://a.example/sets"
        let isBased = seed % 2 == 0
        let images = try Storyboard.JSONImages(set, baseURL: isBased ? folder : nil)
        let vidstack = try JSONRules.array(
            images.text, page: isBased ? "https://b.example/page?a=b" : folder + "/index.html")
        let urls = try Storyboard.WebVTT(set, baseURL: folder).cues.map(\.url)
        for (thumbnail, time) in probes(set) {
            #expect(vidstack.picture(at: time) == picture(thumbnail, urls[thumbnail.index]))
        }
        // The very end of a film is looked up too, by a player whose own duration is a little longer.
        for late in [0, 0.02, 0.9] { #expect(vidstack.picture(at: set.duration.doubleValue + late) != nil) }
        #expect(vidstack.picture(at: set.duration.doubleValue + 1.002) == nil)
    }
}
