import Foundation
import Scrub
import ScrubThumbnails
import ScrubPictures
import ScrubTestSupport
import Testing

/// A page's player over a `web` set: which cue it takes for a place of its time line, by its own source.
private enum WebPlayer: CaseIterable {
    case plyr, mediaChrome, shaka, vidstack, videoJS, fluid

    struct Cue {
        var start: Double
        var end: Double
        var sheet: String
        var region: [Int]
    }

    /// Returns the cue that is shown for a place from 0 to 1 on the time line of a film of some length.
    func cue(at place: Double, of duration: Double, in cues: [Cue]) -> (cue: Cue, time: Double)? {
        var time = place * duration
        let found: Cue?
        switch self {
        case .plyr:
            // A second before the end at most; both ends of a cue are in it.
            time = min(time, duration - 1)
            found = cues.first { time >= $0.start && time <= $0.end }
        case .fluid: found = cues.first { time >= $0.start && time <= $0.end }
        case .mediaChrome:
            found =
                cues.enumerated().first { number, cue in
                    number == 0 ? cue.end > time : cue.start <= time && (number == cues.count - 1 || cue.end > time)
                }?.element
        case .shaka:
            // Whole seconds at the ends, and the end is not in the cue.
            time = min(time, duration.rounded(.down))
            found = cues.first { time >= $0.start && time < $0.end }
        case .vidstack: found = cues.last { time >= $0.start && time < $0.end }
        case .videoJS: found = cues.first { time >= $0.start && time < $0.end }
        }
        return found.map { ($0, time) }
    }

    static func cues(_ text: String) throws -> [Cue] {
        try text.split(separator: "\n\n").dropFirst().filter { !$0.hasPrefix("NOTE ") }.map { block in
            let lines = block.split(separator: "\n")
            let times = try lines[0].split(separator: " --> ").map { text in
                try text.split(separator: ":").reduce(0.0) { $0 * 60 + (try #require(Double($1))) }
            }
            let parts = lines[1].components(separatedBy: "#xywh=")
            return Cue(
                start: times[0], end: times[1], sheet: parts[0],
                region: parts[1].split(separator: ",").compactMap { Int($0) })
        }
    }
}

/// Players show the very picture of a time: over films that begin at 0 and late, wide and high. Each frame has its
/// number in it, in 12 bright and dark bars.
@Suite struct PlayerHoverTests {
    private static let bars = 12
    private static let rate = 10.0

    private struct Film: CustomTestStringConvertible {
        var name: String
        var size = "384x216"
        var start = 0.0
        var arguments = ["-c:v", "libx264", "-g", "25", "-bf", "2", "-pix_fmt", "yuv420p"]
        var testDescription: String { name }
    }

    private static let vp8 = ["-c:v", "libvpx", "-g", "25", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "1M"]
    private static let films = [
        Film(name: "early.mp4"), Film(name: "early.webm", arguments: vp8),
        Film(name: "late.mp4", start: 5.3), Film(name: "late.webm", start: 5.3, arguments: vp8),
        Film(name: "late.mkv", start: 0.7), Film(name: "portrait.mp4", size: "216x384"),
        Film(name: "late-portrait.webm", size: "216x384", start: 5.3, arguments: vp8),
        // Later than an interval, and than two. ffmpeg keeps the beginning only where the header is written late.
        Film(
            name: "fragments.mp4", start: 2.4,
            arguments: films0 + ["-movflags", "frag_keyframe+delay_moov+default_base_moof"]),
        Film(name: "wide.mp4", size: "384x160"), Film(name: "stream.ts", start: 7.2),
    ]
    private static let films0 = ["-c:v", "libx264", "-g", "25", "-bf", "0", "-pix_fmt", "yuv420p"]

    private func make(_ film: Film, in folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/" + film.name
        let source =
            "color=black:s=\(film.size):r=\(Int(Self.rate)):d=12,format=gray,"
            + "geq=lum='235*mod(floor(N/pow(2,floor(X*\(Self.bars)/W))),2)'"
        let made = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-y", "-f", "lavfi", "-i", source] + film.arguments
                + ["-output_ts_offset", "\(film.start)", path])
        try #require(made.status == 0, "\(made.errors)")
        return path
    }

    /// The number in a picture.
    private func number(_ image: RasterImage, _ region: [Int]) -> Int {
        (0..<Self.bars).reduce(0) { sum, bar in
            let x = region[0] + (2 * bar + 1) * region[2] / (2 * Self.bars)
            let y = region[1] + region[3] / 2
            return sum + (image.bytes[(y * image.width + x) * image.channels] > 120 ? 1 << bar : 0)
        }
    }

    @Test(arguments: films) private func theVeryPicture(_ film: Film) throws {
        let folder = try TemporaryFolder()
        let path = try make(film, in: folder)
        for (tolerance, interval) in [("auto", 2.0), ("exact", 2.0), ("auto", 0.7)] {
            let set = "\(folder.path)/\(tolerance)-\(interval)"
            let made = try Tool.run(
                CommandTests.program,
                [
                    "thumbs", path, "--profile", "web", "--every", "\(interval)", "--tolerance", tolerance, "-o", set,
                    "--no-cache",
                ])
            try #require(made.status == 0, "\(made.errors)")
            let cues = try WebPlayer.cues(try String(contentsOfFile: set + "/web/thumbnails.vtt", encoding: .utf8))
            var sheets: [String: RasterImage] = [:]
            // Transport streams are played by scripts that count from their beginning.
            let start = film.name.hasSuffix(".ts") ? 0 : film.start
            let duration = start + 12
            #expect(cues.first?.start == 0 && zip(cues, cues.dropFirst()).allSatisfy { $0.end == $1.start })
            for player in WebPlayer.allCases {
                for step in 0...24 {
                    let place = Double(step) / 24
                    let found = player.cue(at: place, of: duration, in: cues)
                    let (cue, time) = try #require(found, "\(player) shows nothing at \(place)")
                    // Drawn as large as it is, a tile is in the place that pages leave for it.
                    #expect(cue.region[2] <= 320 && cue.region[3] <= 180)
                    if sheets[cue.sheet] == nil {
                        sheets[cue.sheet] = try JPEG.decode(
                            [UInt8](Data(contentsOf: URL(filePath: set + "/web/" + cue.sheet))))
                    }
                    let shown = start + Double(number(try #require(sheets[cue.sheet]), cue.region)) / Self.rate
                    let isWithin = shown < cue.end && shown + 1 / Self.rate > cue.start - 0.001
                    // Before the film there is nothing but its first frame.
                    let isBefore = cue.end <= start + 0.001 && shown == start
                    #expect(
                        isWithin || isBefore,
                        "\(player), \(tolerance): \(time) s, from \(cue.start) to \(cue.end), shows \(shown)")
                }
            }
        }
    }

    /// Formats with one interval count in the players' time too: picture i is shown from i intervals on. Players of
    /// playlists count from the first frame.
    @Test(arguments: ["jellyfin", "plex", "roku", "hls", "dash"]) func intervalsOfLateFilms(_ profile: String) throws {
        let folder = try TemporaryFolder()
        let path = try make(Film(name: "late.mkv", start: 5.3), in: folder)
        let made = try Tool.run(
            CommandTests.program,
            ["thumbs", path, "--profile", profile, "--every", "2", "-o", folder.path + "/set", "--no-cache"])
        try #require(made.status == 0, "\(made.errors)")
        let names = ["plex": "index-sd.bif.json", "roku": "late-hd.bif.json"]
        let name = "\(folder.path)/set/\(profile)/\(names[profile] ?? "manifest.json")"
        let board = try Storyboard.JSON.storyboard(parsing: try String(contentsOfFile: name, encoding: .utf8))
        let isPlaylist = ["hls", "dash"].contains(profile)
        let start = isPlaylist ? Rational.zero : Rational(53, 10)
        #expect(board.interval == Rational(2) && board.thumbnails.count == (isPlaylist ? 6 : 9))
        #expect(board.playerStart == start && board.end == start.adding(Rational(12)))
        for thumbnail in board.thumbnails {
            #expect(thumbnail.start == Rational(Int64(2 * thumbnail.index)))
            let shown = thumbnail.time.doubleValue + start.doubleValue
            let slot = board.slot(of: thumbnail.index)
            let isWithin =
                shown < slot.upperBound.doubleValue && shown > slot.lowerBound.doubleValue - 1 / Self.rate
            #expect(isWithin || thumbnail.frameNumber == 0, "\(thumbnail.index) shows \(shown)")
        }
        let proof = try Tool.run(
            CommandTests.program, ["verify-set", folder.path + "/set/" + profile, "--against", path])
        #expect(proof.status == 0, "\(proof.output) \(proof.errors)")
    }

    /// One call writes sets of both times, twice, and each is what a call for its profile alone writes.
    @Test func bothTimesAtOnce() throws {
        let folder = try TemporaryFolder()
        let path = try make(Film(name: "late.mkv", start: 5.3), in: folder)
        for (profiles, place) in [("web,hls,plex,dash", "all"), ("hls", "one"), ("plex", "one"), ("dash", "one")] {
            for _ in 0..<2 {
                let made = try Tool.run(
                    CommandTests.program,
                    [
                        "thumbs", path, "--profile", profiles, "--every", "2", "-o", "\(folder.path)/\(place)",
                        "--no-cache",
                    ])
                try #require(made.status == 0, "\(made.errors)")
            }
        }
        for name in [
            "hls/manifest.json", "hls/thumbnails.m3u8", "hls/iframes.m3u8", "dash/manifest.json",
            "plex/index-sd.bif",
        ] {
            let both = try Data(contentsOf: URL(filePath: "\(folder.path)/all/\(name)"))
            #expect(try Data(contentsOf: URL(filePath: "\(folder.path)/one/\(name)")) == both, "\(name)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/all").sorted()
        #expect(left == ["dash", "hls", "plex", "web"])
        let proof = try Tool.run(CommandTests.program, ["verify-set", folder.path + "/all", "--against", path])
        #expect(proof.status == 0, "\(proof.output) \(proof.errors)")
    }

    /// A strip of a late film becomes the sets of other players, each in its own time. One that would show a picture
    /// outside its slot is refused.
    @Test(arguments: [("hls", 0), ("dash", 0), ("bif", 0), ("jellyfin", 64)])
    func conversionsOfLateStrips(_ format: String, _ status: Int) throws {
        let folder = try TemporaryFolder()
        let path = try make(Film(name: "late.mkv", start: 0.7), in: folder)
        let made = try Tool.run(
            CommandTests.program, ["strip", path, "--every", "2", "-o", folder.path + "/strip", "--no-cache"])
        try #require(made.status == 0, "\(made.errors)")
        let converted = try Tool.run(
            CommandTests.program,
            ["convert", folder.path + "/strip", "--to", format, "--quality", "80", "-o", folder.path + "/set"])
        // Jellyfin shows nothing after the last slot, which begins 0.7 s before the film's end.
        #expect(converted.status == status, "\(converted.errors)")
        guard status == 0 else { return }
        let proof = try Tool.run(
            CommandTests.program, ["verify-set", folder.path + "/set", "--against", path])
        #expect(proof.status == 0, "\(proof.output) \(proof.errors)")
        if format == "hls" {
            let text = try String(contentsOfFile: folder.path + "/set/images.m3u8", encoding: .utf8)
            #expect(text.contains("#EXTINF:12.000") && text.contains("DURATION=2.000"))
        }
    }

    /// `strip` counts from the first frame, and its cues are the players'.
    @Test func stripsOfLateFilms() throws {
        let folder = try TemporaryFolder()
        let path = try make(Film(name: "late.mkv", start: 5.3), in: folder)
        let made = try Tool.run(
            CommandTests.program, ["strip", path, "--every", "2", "-o", folder.path + "/strip", "--json", "--no-cache"])
        try #require(made.status == 0, "\(made.errors)")
        let board = try Storyboard.JSON.storyboard(parsing: made.output)
        #expect(board.thumbnails.map(\.requestedTime) == (0..<6).map { Rational(2 * $0) })
        let text = try String(contentsOfFile: folder.path + "/strip/thumbnails.vtt", encoding: .utf8)
        let cues = try WebPlayer.cues(text)
        #expect(cues.map(\.start) == [0, 7.3, 9.3, 11.3, 13.3, 15.3] && cues.last?.end == 18.3)
        let proof = try Tool.run(
            CommandTests.program, ["verify-set", folder.path + "/strip", "--against", path])
        #expect(proof.status == 0, "\(proof.output) \(proof.errors)")
    }

    /// One size for all profiles that have none by name.
    @Test func sizes() throws {
        let folder = try TemporaryFolder()
        let path = try make(Film(name: "portrait.mp4", size: "216x384"), in: folder)
        func sizes(_ arguments: [String]) throws -> [String] {
            let out = folder.path + "/" + arguments.joined(separator: "_")
            let made = try Tool.run(
                CommandTests.program,
                [
                    "thumbs", path, "--profile", "web,hls,dash,jellyfin,plex,roku", "--every", "2", "-o", out,
                    "--no-cache",
                ]
                    + arguments)
            try #require(made.status == 0, "\(made.errors)")
            return try [
                "web/manifest.json", "hls/manifest.json", "dash/manifest.json", "jellyfin/manifest.json",
                "plex/index-sd.bif.json", "roku/portrait-sd.bif.json", "roku/portrait-hd.bif.json",
            ].map { name in
                let text = try String(contentsOfFile: out + "/" + name, encoding: .utf8)
                let board = try Storyboard.JSON.storyboard(parsing: text)
                return "\(board.tileWidth)x\(board.tileHeight)"
            }
        }
        let roku = ["240x426", "320x568"]
        #expect(try sizes([]) == Array(repeating: "102x180", count: 3) + ["320x568", "320x568"] + roku)
        #expect(try sizes(["--width", "160"]) == Array(repeating: "160x284", count: 5) + roku)
        #expect(try sizes(["--height", "90"]) == Array(repeating: "50x90", count: 5) + roku)
        #expect(try sizes(["--width", "200x100"]) == Array(repeating: "56x100", count: 5) + roku)
        let wrong = try Tool.run(
            CommandTests.program,
            ["thumbs", path, "--profile", "web", "--width", "160,320", "-o", folder.path + "/no", "--no-cache"])
        #expect(wrong.status == 64)
    }
}
