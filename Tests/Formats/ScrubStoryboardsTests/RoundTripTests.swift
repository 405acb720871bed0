import ScrubBase
import ScrubStoryboards
import Testing

/// A written set is read as the same value, for 300 sets each.
@Suite struct RoundTripTests {
    private static let seeds: Range<UInt64> = 1000..<1300

    @Test func webVTT() throws {
        for seed in Self.seeds {
            let vtt = try Storyboard.WebVTT(try SampleSets.random(seed))
            #expect(try Storyboard.WebVTT(parsing: vtt.text) == vtt)
            #expect(zip(vtt.cues, vtt.cues.dropFirst()).allSatisfy { $0.end == $1.start })
        }
    }

    @Test func manifest() throws {
        for seed in Self.seeds {
            let set = try SampleSets.random(seed)
            #expect(try Storyboard.JSON.storyboard(parsing: try Storyboard.JSON.manifest(set)) == set)
        }
    }

    @Test func tiles() throws {
        var count = 0
        for seed in Self.seeds {
            let set = try SampleSets.random(seed)
            guard set.sheets.count == 1 else { continue }
            let tiles = try Storyboard.Tiles(set, baseURL: "http://a.example")
            #expect(try Storyboard.Tiles(parsing: tiles.text) == tiles)
            count += 1
        }
        #expect(count > 5)
    }

    @Test func images() throws {
        for seed in Self.seeds {
            let set = try SampleSets.random(seed)
            let base = seed % 3 == 0 ? "https://a.example/t" : nil
            var images = try Storyboard.JSONImages(set, baseURL: base)
            #expect(try Storyboard.JSONImages(parsing: images.text) == images)
            #expect(try Storyboard.JSONImages(Storyboard.WebVTT(set, baseURL: base)) == images)
            (images.images[0].end, images.images[0].region) = (nil, nil)
            #expect(try Storyboard.JSONImages(parsing: images.text) == images)
        }
    }

    @Test func heads() throws {
        for seed in Self.seeds {
            let set = try SampleSets.random(seed, single: true, format: .jpeg)
            let exact = try Storyboard.BIF(set, timing: .exact)
            #expect(try Storyboard.BIF(parsing: exact.header, byteCount: exact.byteCount) == exact)
            let interval = try Storyboard.BIF(
                try SampleSets.random(seed, spacing: .seconds, single: true, format: .jpeg))
            let file = interval.header + [UInt8](repeating: 0, count: interval.byteCount - interval.header.count)
            #expect(try Storyboard.BIF(parsing: file) == interval)
        }
    }

    @Test func imagePlaylists() throws {
        for seed in Self.seeds {
            let set = try SampleSets.random(seed, spacing: seed % 2 == 0 ? .count : .seconds)
            let playlist = try Storyboard.HLSImagePlaylist(set)
            #expect(try Storyboard.HLSImagePlaylist(parsing: playlist.text) == playlist)
            let total = playlist.segments.reduce(Rational.zero) { sum, segment in
                Rational(
                    sum.numerator * (1_000_000_000 / sum.denominator)
                        + segment.duration.numerator * (1_000_000_000 / segment.duration.denominator), 1_000_000_000)
            }
            #expect(abs(total.doubleValue - set.duration.doubleValue) < 2e-9)
            let stream = try Storyboard.HLSStream(set, playlist: "bilder 1.m3u8")
            #expect(try Storyboard.HLSStream.streams(parsing: Storyboard.HLSStream.master([stream])) == [stream])
        }
    }

    @Test func iFramePlaylists() throws {
        for seed in Self.seeds {
            let set = try SampleSets.random(seed)
            var offset = 812
            let segments = set.thumbnails.map { thumbnail in
                let slot = set.slot(of: thumbnail.index)
                let (a, b) = (slot.lowerBound, slot.upperBound)
                let length = Rational(
                    b.numerator * a.denominator - a.numerator * b.denominator, a.denominator * b.denominator)
                let count = 100 + thumbnail.frameNumber
                defer { offset += count }
                return Storyboard.HLSIFramePlaylist.Segment(duration: length, byteRange: offset..<offset + count)
            }
            let playlist = try Storyboard.HLSIFramePlaylist(
                path: "v 1.mp4", initialization: seed % 2 == 0 ? 0..<812 : nil, segments: segments)
            #expect(try Storyboard.HLSIFramePlaylist(parsing: playlist.text) == playlist)
            let stream = Storyboard.HLSStream(playlist, codecs: "mjpg", width: 320, height: 180, playlist: "i.m3u8")
            #expect(try Storyboard.HLSStream.streams(parsing: Storyboard.HLSStream.master([stream])) == [stream])
        }
    }

    @Test func dash() throws {
        for seed in Self.seeds {
            let set = try SampleSets.random(
                seed, spacing: seed % 2 == 0 ? .count : .seconds, lastSheet: .full)
            let tiles = try Storyboard.DASHTiles(set, baseURL: seed % 3 == 0 ? "https://a.example/x$y&z" : nil)
            let read = try #require(
                try Storyboard.DASHTiles.sets(parsing: Storyboard.DASHTiles.presentation([tiles])).first)
            #expect(abs(read.duration.doubleValue - set.duration.doubleValue) < 2e-9)
            #expect(read.sheetCount == set.sheets.count)
            #expect(read.url(ofSheet: set.sheets.count - 1) == tiles.url(ofSheet: set.sheets.count - 1))
            var same = read
            same.duration = tiles.duration
            #expect(same == tiles)
        }
    }

    @Test func folderNames() throws {
        var count = 0
        for seed in Self.seeds {
            let set = try SampleSets.random(seed, spacing: .seconds, lastSheet: .full, format: .jpeg)
            guard set.interval?.denominator == 1 else { continue }
            let folder = try Storyboard.JellyfinTrickplay(set)
            #expect(Storyboard.JellyfinTrickplay(folderName: folder.folderName) == folder)
            count += 1
        }
        #expect(count > 5)
    }
}
