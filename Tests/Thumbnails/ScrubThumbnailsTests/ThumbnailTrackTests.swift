import Foundation
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The thumbnails of an HLS set as JPEG samples (`mjpg`), against the JPEG files that a BIF file of the same run holds,
/// and as FFmpeg and GStreamer read them.
@Suite struct ThumbnailTrackTests {
    /// A set with its BIF file, both of the same thumbnails.
    private struct Made {
        let scratch = TemporaryFolder.unmade()
        let asset: VideoAsset
        let board: Storyboard
        /// The JPEG file of each thumbnail.
        let pictures: [[UInt8]]
        let playlist: Storyboard.HLSIFramePlaylist
        let track: [UInt8]

        init(
            _ asset: VideoAsset, every interval: Rational, _ tolerance: ThumbnailPlan.Request.Tolerance = .exact,
            isDamaged: Bool = false
        ) throws {
            self.asset = asset
            var options = ThumbnailSets.Options([.hls, .plex])
            options.request = ThumbnailPlan.Request(.every(interval), tolerance: tolerance)
            // The same for both: HLS has a box of its own, and BIF a width.
            options.size = .width(320)
            _ = try asset.writeThumbnailSets(into: scratch.path, options: options)
            board = try Storyboard.JSON.storyboard(parsing: scratch.text("hls/manifest.json"))
            let bif = [UInt8](try scratch.bytes("plex/index-sd.bif"))
            pictures = try Storyboard.BIF(parsing: bif).entries.map { Array(bif[$0.byteRange]) }
            playlist = try Storyboard.HLSIFramePlaylist(parsing: scratch.text("hls/thumbnails.m3u8"))
            track = [UInt8](try scratch.bytes("hls/thumbnails.mp4"))
            let found = try asset.verifyThumbnailSets(in: scratch.path)
            // Copies of key pictures that no decoder can make are not proven.
            let problems = found.problems.filter { !isDamaged || $0.file != "hls/iframes.m3u8" }
            #expect(problems.isEmpty, "\(problems)")
            #expect(found.sets.contains { $0.file == "hls/thumbnails.m3u8" && $0.format == "hls-mjpg" })
        }

        /// The numbers of the thumbnails that have a picture of their own.
        var own: [Int] { board.thumbnails.indices.filter { $0 == 0 || !board.thumbnails[$0].isRepeat } }
    }

    private static func hashes(_ input: [String]) throws -> [String] {
        let result = try Tool.run(
            "ffmpeg", ["-v", "error", "-nostdin"] + input + ["-fps_mode", "passthrough", "-f", "framemd5", "-"])
        #expect(result.errors.isEmpty, "\(result.errors)")
        return result.output.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    /// Every sample is the thumbnail's JPEG, from the beginning of its slot to that of the next picture: for uneven
    /// frames, turned ones, and files whose first time is not 0.
    @Test(arguments: [
        ("h264-bf3.mp4", Rational(1, 4)), ("vfr.mp4", Rational(1)), ("nonzero.ts", Rational(1, 4)),
        ("rotate-90.mp4", Rational(1, 20)), ("ntsc.mp4", Rational(1, 10)),
    ])
    func samplesAreTheThumbnails(_ file: String, _ interval: Rational) throws {
        let made = try Made(KnownClip(file).asset, every: interval)
        let own = made.own
        try #require(own.count == made.playlist.segments.count && own.count > 2)
        let initialization = try #require(made.playlist.initialization)
        var (end, starts) = (initialization.upperBound, [Rational.zero])
        for (number, segment) in made.playlist.segments.enumerated() {
            // One fragment behind the other, and in each what players take from `mdat`.
            #expect(segment.byteRange.lowerBound == end)
            end = segment.byteRange.upperBound
            let bytes = made.track[segment.byteRange]
            #expect(bytes.dropFirst(104).prefix(4).elementsEqual("mdat".utf8))
            #expect(Array(bytes.dropFirst(108)) == made.pictures[own[number]], "\(number)")
            starts.append(try #require(starts[number].adding(segment.duration)))
        }
        #expect(end == made.track.count)

        // FFmpeg finds the times exactly, and every picture a key.
        let path = made.scratch.path + "/hls/thumbnails.mp4"
        let probed = try Tool.run(
            "ffprobe",
            [
                "-v", "error", "-show_entries",
                "packet=pts,duration,flags:stream=codec_name,codec_tag_string,time_base,duration_ts", "-of", "csv=p=1",
                path,
            ])
        let rows = probed.output.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
        let stream = try #require(rows.first { $0.first == "stream" })
        #expect(stream[1] == "mjpeg" && stream[2] == "mjpg" && probed.errors.isEmpty, "\(probed.errors)")
        let unit = try #require(Int64(stream[3].dropFirst(2)))
        // FFmpeg tells when the last one ends; the others end where the next begins.
        #expect(Rational(try #require(Int64(stream[4])), unit) == made.board.duration)
        let packets = try rows.filter { $0.first == "packet" }.map { row in
            (Rational(try #require(Int64(row[1])), unit), row[3])
        }
        #expect(packets.map(\.0) == own.map { made.board.thumbnails[$0].start })
        #expect(packets.allSatisfy { $0.1.hasPrefix("K") })
        // The playlist says the same to the nanosecond.
        let slack = Rational(1, 1_000_000_000)
        for (start, packet) in zip(starts, packets) {
            let (early, late) = (try #require(start.subtracting(slack)), try #require(start.adding(slack)))
            #expect((early...late).contains(packet.0))
        }

        // It decodes each to the picture of the JPEG file, by the file and by the playlist's ranges.
        for (number, picture) in own.enumerated() {
            let name = made.scratch.path + "/own-\(number).jpg"
            try Data(made.pictures[picture]).write(to: URL(filePath: name))
        }
        let expected = try Self.hashes(["-i", made.scratch.path + "/own-%d.jpg"])
        #expect(expected.count == own.count && Set(expected).count > 2)
        #expect(try Self.hashes(["-i", path]) == expected)
        let list = made.scratch.path + "/hls/thumbnails.m3u8"
        #expect(try Self.hashes(["-allowed_extensions", "ALL", "-i", list]) == expected)
        // A range behind the initialization is a file of its own.
        let single = made.scratch.path + "/single.mp4"
        let range = try #require(made.playlist.segments.last).byteRange
        try Data(made.track[initialization] + made.track[range]).write(to: URL(filePath: single))
        #expect(try Self.hashes(["-i", single]) == [expected[expected.count - 1]])
    }

    /// A picture that is repeated lasts longer, and is there once.
    @Test func repeatsLastLonger() throws {
        let made = try Made(KnownClip("h264-bf3.mp4").asset, every: Rational(1, 4), .keyframe)
        let own = made.own
        #expect(own.count < made.board.thumbnails.count && own.count > 1)
        let ends = own.dropFirst().map { made.board.thumbnails[$0].start } + [made.board.duration]
        let lengths = zip(own, ends).map { $1.subtracting(made.board.thumbnails[$0].start) }
        #expect(made.playlist.segments.map(\.duration) == lengths)
    }

    /// An interval beyond the film: one picture, for all of it.
    @Test func onePictureIsATrack() throws {
        let made = try Made(KnownClip("h264-bf3.mp4").asset, every: Rational(100))
        #expect(made.playlist.segments.map(\.duration) == [made.asset.duration])
        #expect(try Self.hashes(["-i", made.scratch.path + "/hls/thumbnails.mp4"]).count == 1)
    }

    /// A film whose first pictures cannot be decoded: the nearest one stands for them, from 0 on, and is there once.
    @Test func aDamagedStartIsShownFromZero() throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path + "/film.mp4"
        var film = try Data(contentsOf: URL(filePath: Clip.folder + "/clips/h264-intra.mp4"))
        let probed = try Tool.run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v", "-show_entries", "packet=pos,size", "-of", "csv=p=0",
                Clip.folder + "/clips/h264-intra.mp4",
            ])
        let packets = probed.output.split(separator: "\n").map { $0.split(separator: ",").compactMap { Int($0) } }
        for packet in packets.prefix(8) {
            let (size, place) = (packet[0], packet[1])
            film.replaceSubrange(place..<place + size, with: Data(repeating: 0, count: size))
        }
        try film.write(to: URL(filePath: path))
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        let made = try Made(asset, every: Rational(1, 25), isDamaged: true)
        let first = made.board.thumbnails[0]
        #expect(
            first.frameNumber == 8 && first.verdict == "approximate", "frame \(first.frameNumber), \(first.verdict)")
        #expect(made.board.thumbnails.prefix(9).dropFirst().allSatisfy { $0.isRepeat })
        #expect(made.playlist.segments.first?.duration == made.board.thumbnails[9].start)
    }

    /// Runs write the same bytes, whatever other sets they write, and an earlier set's track is replaced.
    @Test func bytesAreReproducible() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let (one, other) = (TemporaryFolder.unmade(), TemporaryFolder.unmade())
        for (scratch, profiles) in [(one, [.hls]), (other, [.plex, .hls, .roku])]
            as [(TemporaryFolder, [ThumbnailSets.Profile])]
        {
            for interval in [Rational(1), Rational(1, 2)] {
                var options = ThumbnailSets.Options(profiles)
                options.request = ThumbnailPlan.Request(.every(interval))
                _ = try clip.asset.writeThumbnailSets(into: scratch.path, options: options)
            }
        }
        for name in ["hls/thumbnails.mp4", "hls/thumbnails.m3u8", "hls/master.m3u8", "hls/manifest.json"] {
            #expect(try one.bytes(name) == other.bytes(name), "\(name)")
        }
        #expect(try one.text("hls/thumbnails.m3u8").contains("#EXTINF:0.500,\n"))
    }

    private struct Played: Decodable {
        struct Picture: Decodable {
            var seconds: Double
            var hash: String
        }
        var pictures: [Picture]
    }

    /// GStreamer shows each picture at its time: the very one that it makes of the JPEG file.
    @Test(.enabled(if: ReadBack.hasGStreamer, "install-packages.sh has GStreamer"), arguments: ["demo.mp4", "vfr.mp4"])
    func gstreamerPlaysIt(_ file: String) throws {
        let made = try Made(KnownClip(file).asset, every: Rational(2))
        let own = made.own
        var expected: [String] = []
        for (number, picture) in own.enumerated() {
            let name = made.scratch.path + "/own-\(number).jpg"
            try Data(made.pictures[picture]).write(to: URL(filePath: name))
            let played: Played = try ReadBack.read(["gstreamer", name])
            expected += played.pictures.map(\.hash)
        }
        #expect(expected.count == own.count && Set(expected).count > 2)
        for place in ["hls/thumbnails.mp4", "hls/thumbnails.m3u8"] {
            let played: Played = try ReadBack.read(["mjpg", made.scratch.path + "/" + place])
            #expect(played.pictures.map(\.hash) == expected, "\(place)")
            for (picture, number) in zip(played.pictures, own) {
                let start = made.board.thumbnails[number].start.doubleValue
                #expect(abs(picture.seconds - start) < 0.000_001, "\(place)")
            }
        }
    }
}
