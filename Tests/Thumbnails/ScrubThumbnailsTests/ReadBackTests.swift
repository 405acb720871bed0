import Foundation
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Thumbnail sets as programs that are not ours read them: Pillow, FFmpeg, GLib, Python's libraries for WebVTT and
/// MPDs, and readers of BIF and playlists written from their specifications (`Tests/Programs/Readers/readback.py`).
@Suite(.enabled(if: ReadBack.isPossible, "install-packages.sh has what reads the sets back: python3-webvtt and others"))
struct ReadBackTests {
    struct Example: CustomTestStringConvertible, Sendable {
        var clip: String
        var interval: Rational
        /// The width in a box of 320 x 180.
        var width = 320
        var testDescription: String { "\(clip) every \(interval)" }
    }

    /// In every format each thumbnail is compared with all frames of ffmpeg's linear decode. It is most like the one
    /// that ffprobe's times have on screen at the time which the format gives it. The clips carry their frames'
    /// numbers.
    @Test(arguments: [
        Example(clip: "demo.mp4", interval: Rational(1)), Example(clip: "vfr.mp4", interval: Rational(1), width: 308),
        Example(clip: "h264-bf3.mp4", interval: Rational(1, 2), width: 308),
        Example(clip: "ntsc.mp4", interval: Rational(1, 10), width: 308),
        Example(clip: "rotate-90.mp4", interval: Rational(1, 20), width: 106),
        Example(clip: "h264-sar-4-3.mp4", interval: Rational(1, 25)),
    ])
    func thumbnailsAreTheirTimes(_ example: Example) throws {
        let path = Clip.folder + "/clips/" + example.clip
        let scratch = TemporaryFolder.unmade()
        // Jellyfin counts in whole seconds.
        let profiles: [ThumbnailSets.Profile] = [.web, .plex, .roku, .hls, .dash]
        var options = ThumbnailSets.Options(example.interval == Rational(1) ? profiles + [.jellyfin] : profiles)
        options.request = ThumbnailPlan.Request(.every(example.interval))
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        let plan = try #require(try asset.writeThumbnailSets(into: scratch.path, options: options).plan)
        let duration = asset.duration.doubleValue

        let base = String(example.clip.dropLast(4))
        var places = [
            ("vtt", "web/thumbnails.vtt"), ("json", "web/thumbnails.json"), ("bif", "plex/index-sd.bif"),
            ("bif", "roku/\(base)-sd.bif"),
            ("bif", "roku/\(base)-hd.bif"), ("hls", "hls/master.m3u8"), ("dash", "dash/manifest.mpd"),
        ]
        if options.profiles.contains(.jellyfin) { places.append(("jellyfin", "jellyfin")) }
        let track: ReadBack.Tiles = try ReadBack.read(
            ["tiles", "mjpg", scratch.path + "/hls/master.m3u8", "--against", path])
        let own = plan.slots.filter { !$0.isRepeat }
        #expect(
            track.tiles.map(\.shows) == own.map(\.frameNumber) && track.tiles.map(\.shows) == track.tiles.map(\.due))
        #expect(track.tiles.map(\.start) == own.map(\.start.doubleValue))
        #expect(track.tiles.last?.end.map { abs($0 - duration) < 0.000_001 } == true)
        #expect(track.tiles.allSatisfy { $0.width == example.width })
        for (kind, place) in places {
            let found: ReadBack.Tiles = try ReadBack.read(
                ["tiles", kind, scratch.path + "/" + place, "--against", path])
            #expect(abs(found.duration - duration) < 0.001, "\(place)")
            #expect(found.tiles.map(\.shows) == found.tiles.map(\.due), "\(place)")
            #expect(found.tiles.map(\.shows) == plan.slots.map(\.frameNumber), "\(place)")
            #expect(found.tiles.map(\.start) == plan.slots.map(\.start.doubleValue), "\(place)")
            // Players on pages have a box for them; servers go by the width.
            let width = place == "roku/\(base)-sd.bif" ? 240 : kind == "bif" || kind == "jellyfin" ? 320 : example.width
            #expect(found.tiles.allSatisfy { $0.width == width }, "\(place)")
            // Without an end for the last one: BIF. In whole intervals: Jellyfin. Cues and images reach a second
            // beyond the film, since players look up its very end.
            let late = kind == "vtt" || kind == "json" ? 1.0 : 0
            if kind != "bif" && kind != "jellyfin" {
                let end = try #require(found.tiles.last?.end)
                #expect(end > duration + late - 0.0001 && end < duration + late + 0.001, "\(place)")
            }
        }
    }

    /// The same of JSON that names its sheets absolutely, which Mux's form always does.
    @Test func jsonBehindABaseURLIsItsTimes() throws {
        let path = Clip.folder + "/clips/demo.mp4"
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options([.web])
        // The place where the script expects the set.
        (options.request, options.baseURL) = (ThumbnailPlan.Request(.every(Rational(1))), "https://sets.example/t")
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        let plan = try #require(try asset.writeThumbnailSets(into: scratch.path, options: options).plan)
        for place in ["web/thumbnails.json", "web/storyboard.json"] {
            let found: ReadBack.Tiles = try ReadBack.read(
                ["tiles", "json", scratch.path + "/" + place, "--against", path])
            #expect(found.tiles.map(\.shows) == found.tiles.map(\.due), "\(place)")
            #expect(found.tiles.map(\.shows) == plan.slots.map(\.frameNumber), "\(place)")
            #expect(found.tiles.map(\.start) == plan.slots.map(\.start.doubleValue), "\(place)")
            // Images reach a second beyond the film, and a storyboard tells its duration.
            let late = place == "web/thumbnails.json" ? 1.0 : 0
            #expect(found.tiles.last?.end == asset.duration.doubleValue + late, "\(place)")
        }
    }

    /// The contact sheet's pictures are those of the times below them, and the preview's are the set's thumbnails, in
    /// order.
    @Test(arguments: ["demo.mp4", "vfr.mp4"])
    func picturesForPeopleAreTheirTimes(_ clip: String) throws {
        let path = Clip.folder + "/clips/" + clip
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options([.web, .contact])
        options.request = ThumbnailPlan.Request(.every(Rational(2)))
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        let plan = try #require(try asset.writeThumbnailSets(into: scratch.path, options: options).plan)
        let sheet: ReadBack.Tiles = try ReadBack.read(
            ["tiles", "contact", scratch.path + "/contact/contact.svg", "--against", path])
        #expect(sheet.tiles.map(\.shows) == sheet.tiles.map(\.due))
        // A picture that stays is there once.
        let frames = plan.slots.map(\.frameNumber).reduce(into: [Int]()) { if $0.last != $1 { $0.append($1) } }
        #expect(sheet.tiles.map(\.shows) == frames)
        let preview: ReadBack.Preview = try ReadBack.read(["preview", scratch.path + "/web/preview.webp"])
        #expect(preview.pictures.map { plan.slots[$0.shows].frameNumber } == frames)
        #expect(preview.pictures.allSatisfy { $0.milliseconds == 500 && $0.difference < 12 })
    }

    /// FFmpeg decodes sheets of every format, and finds the facts of the manifest; JPEG is baseline.
    @Test func sheetsAreDecoded() throws {
        let asset = try KnownClip("h264-bf3.mp4").asset
        let expected: [(ImageFormat, String, String)] = [
            (.jpeg, "mjpeg", "yuvj422p"), (.png, "png", "rgb24"), (.webp, "webp", "yuv420p"), (.avif, "av1", "yuv420p"),
        ]
        for (format, codec, pixels) in expected {
            let scratch = TemporaryFolder.unmade()
            var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(7)))
            options.thumbnails.widths = [96]
            (options.sheets.columns, options.sheets.rows, options.sheets.format) = (2, 2, format)
            let board = try #require(try asset.writeStrip(into: scratch.path, options: options).storyboards.first)
            #expect(board.sheets.count == 2)
            for sheet in board.sheets {
                let found: ReadBack.Picture = try ReadBack.read(["picture", scratch.path + "/" + sheet.name])
                #expect(found.width == sheet.width && found.height == sheet.height, "\(sheet.name)")
                #expect(found.codec == codec && found.format == pixels, "\(sheet.name)")
                #expect(found.baseline == (format == .jpeg ? true : nil))
            }
        }
    }

    /// File managers find their pictures by GLib's URI, and take them for valid; also for a name that needs escapes.
    @Test(arguments: ["clip.mp4", "Ärger im Büro #1 100% 'a' [b];c?&+~(d)=@!$,*:\"<>|\\^`{}\u{1}.mp4"])
    func fileManagersFindTheirPictures(_ name: String) throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path + "/" + name
        try FileManager.default.copyItem(atPath: Clip.folder + "/clips/demo.mp4", toPath: path)
        // Not the time of any other file, and with a fraction.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_234_567_890.75)], ofItemAtPath: path)
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        _ = try asset.writeThumbnailSets(into: scratch.path, options: ThumbnailSets.Options([.freedesktop]))

        let files: [String: ReadBack.File] = try ReadBack.read(["uri", path])
        let file = try #require(files[path])
        for (folder, side) in [("normal", 128), ("large", 256), ("x-large", 512), ("xx-large", 1024)] {
            let found: ReadBack.Thumbnail = try ReadBack.read(
                ["freedesktop", scratch.path + "/freedesktop/\(folder)/\(file.md5).png"])
            #expect(found.format == "PNG" && found.mode == "RGBA" && !found.interlaced)
            // The video is 640 x 360.
            #expect(found.width == min(640, side) && found.height == min(640, side) * 9 / 16)
            #expect(found.text["Thumb::URI"] == file.uri)
            #expect(found.text["Thumb::MTime"] == "1234567890" && file.mtime == 1_234_567_890)
            #expect(found.fileMode == 0o600 && found.folderMode == 0o700)
        }
        // GLib looks for thumbnails where the cache is.
        try FileManager.default.moveItem(
            atPath: scratch.path + "/freedesktop", toPath: scratch.path + "/thumbnails")
        let answer = try Tool.run(
            "gio", ["info", "-a", "thumbnail::*", path], environment: ["XDG_CACHE_HOME": scratch.path])
        #expect(answer.status == 0 && answer.output.contains("thumbnail::is-valid: TRUE"), "\(answer.output)")
        // The check means something: not after a change of the file.
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
        let later = try Tool.run(
            "gio", ["info", "-a", "thumbnail::*", path], environment: ["XDG_CACHE_HOME": scratch.path])
        #expect(later.output.contains("thumbnail::is-valid: FALSE"), "\(later.output)")
    }
}

/// `Tests/Programs/Readers/readback.py`, and its answers.
enum ReadBack {
    struct Tiles: Decodable {
        struct Tile: Decodable {
            var start: Double
            var end: Double?
            var width: Int
            var height: Int
            var shows: Int
            var due: Int
        }
        var duration: Double
        var tiles: [Tile]
    }

    struct Picture: Decodable {
        var codec: String
        var width: Int
        var height: Int
        var format: String
        var baseline: Bool?
    }

    struct Preview: Decodable {
        struct Picture: Decodable {
            var shows: Int
            var difference: Double
            var milliseconds: Int
        }
        var pictures: [Picture]
    }

    struct Thumbnail: Decodable {
        var format: String
        var mode: String
        var width: Int
        var height: Int
        var interlaced: Bool
        var text: [String: String]
        var fileMode: Int
        var folderMode: Int
    }

    struct File: Decodable {
        var uri: String
        var md5: String
        var mtime: Int
    }

    /// Debian's Python: the packages' modules are not in another one.
    private static let python = "/usr/bin/python3"
    private static let script = URL(filePath: Clip.folder).deletingLastPathComponent()
        .appending(path: "Tests/Programs/Readers/readback.py").path

    static let isPossible: Bool = {
        let modules = try? Tool.run(python, ["-c", "import PIL, webvtt, mpegdash, gi"])
        let gio = try? Tool.run("gio", ["version"])
        return modules?.status == 0 && gio?.status == 0
    }()

    static let hasGStreamer: Bool = {
        guard isPossible else { return false }
        // The demuxers and decoders are in packages of their own.
        return ["qtdemux", "hlsdemux", "dashdemux", "h264parse", "h265parse", "avdec_h264", "avdec_h265"].allSatisfy {
            (try? Tool.run("gst-inspect-1.0", ["--exists", $0]))?.status == 0
        }
    }()

    static func read<Answer: Decodable>(_ arguments: [String]) throws -> Answer {
        let result = try Tool.run(python, [script] + arguments)
        try #require(result.status == 0, "\(arguments): \(result.errors)")
        return try JSONDecoder().decode(Answer.self, from: result.bytes)
    }
}
