import Foundation
import ScrubBase
import ScrubMedia
import ScrubStreams
import ScrubTestSupport
import Testing

/// Discontinuities, renditions, growing playlists, and the names that a playlist may use.
struct PlaylistSourceTests {
    /// Two films of two sizes, one behind the other: two timelines, the second one with other timestamps and another
    /// start.
    @Test(arguments: [[], ["-hls_segment_type", "fmp4"]])
    func discontinuityOfTwoSizes(_ options: [String]) throws {
        let folder = try TemporaryFolder()
        let sizes = ["192x108", "128x96"]
        var hashes: [String] = []
        var lists: [[String]] = []
        for (place, size) in sizes.enumerated() {
            let film = "film\(place).mp4"
            hashes += try StreamSet.film(film, in: folder, seconds: 7, size: size)
            let initial = options.isEmpty ? [] : ["-hls_fmp4_init_filename", "init\(place).mp4"]
            try FFmpeg.run(
                ["-i", film, "-c", "copy", "-f", "hls", "-hls_time", "2", "-hls_list_size", "0"] + options + initial
                    + (place == 1 && options.isEmpty ? ["-output_ts_offset", "1000"] : []) + ["part\(place).m3u8"],
                in: folder.path)
            lists.append(try folder.text("part\(place).m3u8").split(separator: "\n").map(String.init))
        }
        let second = lists[1].filter { line in
            line.hasPrefix("#EXTINF") || line.hasPrefix("#EXT-X-MAP") || !line.hasPrefix("#")
        }
        let text = lists[0].dropLast() + ["#EXT-X-DISCONTINUITY"] + second + ["#EXT-X-ENDLIST"]
        try folder.write((text.joined(separator: "\n") + "\n").utf8, to: "index.m3u8")
        let set = StreamSet(folder: folder, hashes: hashes)
        #expect(try HLSVideo(path: set.path).discontinuityCount == 1)
        print("discontinuity:", options, try set.check(seed: 31))
        var reader = HLSVideo.Reader(try HLSVideo(path: set.path))
        #expect(try reader.frame(at: .seconds(8)).picture?.width == 128)
        #expect(try reader.frame(at: .seconds(6)).picture?.width == 192)
    }

    @Test func fractionsAreThoseOfTheFilm() throws {
        let set = try StreamSet(["-hls_flags", "round_durations"])
        let film = try VideoAsset(path: set.folder.path(of: "film.mp4"), options: VideoAsset.OpenOptions(cache: .none))
        var reader = HLSVideo.Reader(try HLSVideo(path: set.path))
        #expect(try reader.duration() == film.duration)
        var random = SplitMix(32)
        for _ in 0..<40 {
            let position = FramePosition.fraction(Rational(Int64.random(in: 0...100_000, using: &random), 100_000))
            let expected = try film.presentedFrame(at: position).number
            #expect(try reader.frame(at: position).picture?.md5() == set.hashes[expected], "seed 32: \(position)")
        }
        // More digits than a ratio with the film's length has room for.
        let long = try FramePosition("0.123456789012345678")
        #expect(try reader.frame(at: long).picture?.md5() == set.hashes[try film.presentedFrame(at: long).number])
        for (outside, expected) in [(100.0, set.hashes.count - 1), (-1, 0), (-0.002, 0)] {
            let clamped = try reader.frame(at: .seconds(outside), clamps: true)
            #expect(try clamped.isClamped && clamped.picture?.md5() == set.hashes[expected])
            for position in [
                .seconds(outside), .time(Rational(approximating: outside) ?? 0), try FramePosition("\(outside)s"),
            ] {
                let error = #expect(throws: ScrubError.self) { try reader.frame(at: position) }
                #expect(error?.code == .usage && error?.cause.contains(" 0:00.000") == true)
            }
        }
        let end = try reader.frame(at: .time(film.duration))
        #expect(try !end.isClamped && end.picture?.md5() == set.hashes.last)
        // Every frame by its own time, as it is computed, printed, and in a float.
        for frame in film.frames where frame.number % 7 == 0 {
            let times: [FramePosition] = [
                .seconds(frame.seconds), .seconds(Double(frame.number) / 25), .seconds(Double(Float(frame.seconds))),
                try FramePosition(frame.timeText),
            ]
            for time in times { #expect(try reader.frame(at: time).time == frame.time, "\(time)") }
        }
        for (outside, expected) in [(Rational(-1), 0), (Rational(3, 2), set.hashes.count - 1)] {
            let clamped = try reader.frame(at: .fraction(outside), clamps: true)
            #expect(try clamped.isClamped && clamped.picture?.md5() == set.hashes[expected])
            let error = #expect(throws: ScrubError.self) { try reader.frame(at: .fraction(outside)) }
            #expect(error?.code == .usage && error?.cause.contains("0 to 1") == true)
        }
        #expect(throws: ScrubError.self) { try reader.frame(at: .frame(set.hashes.count)) }
        #expect(throws: ScrubError.self) { try reader.frame(at: .frame(-set.hashes.count - 1)) }
    }

    @Test func numbersAreSaidOnlyWhereTheyAreKnown() throws {
        let set = try StreamSet([])
        var reader = HLSVideo.Reader(try HLSVideo(path: set.path))
        let middle = try reader.frame(at: .seconds(7.1))
        #expect(middle.number == nil && middle.frameCount == nil && middle.segment == 3)
        let start = try reader.frame(at: .seconds(0.5))
        #expect(start.number == 12 && start.frameCount == nil)
        #expect(try reader.frame(at: .frame(200)).number == 200)
        // Every segment up to there is counted now.
        #expect(try reader.frame(at: .seconds(7.1)).number == 177)
        #expect(try reader.frame(at: .last).number == nil)
        #expect(try reader.frame(at: .frame(349)).frameCount == 350)
    }

    @Test func renditionsByBudget() throws {
        let folder = try TemporaryFolder()
        var hashes: [String: [String]] = [:]
        var master = "#EXTM3U\n"
        for (name, size, bits) in [("small", "96x54", 100_000), ("large", "192x108", 900_000)] {
            try FileManager.default.createDirectory(
                atPath: folder.path(of: name), withIntermediateDirectories: false)
            hashes[name] = try StreamSet.film("\(name)/film.mp4", in: folder, seconds: 4, size: size)
            try FFmpeg.run(
                ["-i", "\(name)/film.mp4", "-c", "copy", "-f", "hls", "-hls_time", "2", "\(name)/index.m3u8"],
                in: folder.path)
            master +=
                "#EXT-X-STREAM-INF:BANDWIDTH=\(bits),RESOLUTION=\(size),CODECS=\"avc1.64000a\"\n\(name)/index.m3u8\n"
        }
        master += "#EXT-X-STREAM-INF:BANDWIDTH=50000,CODECS=\"mp4a.40.2\"\nsound.m3u8\n"
        try folder.write(master.utf8, to: "master.m3u8")
        var options = HLSVideo.Options()
        func taken() throws -> String? {
            let video = try HLSVideo(path: folder.path(of: "master.m3u8"), options: options)
            var reader = HLSVideo.Reader(video)
            let answer = try reader.frame(at: .seconds(3))
            let name = answer.rendition?.uri.split(separator: "/").first.map(String.init)
            #expect(try answer.picture?.md5() == name.flatMap { hashes[$0]?[75] })
            return name
        }
        #expect(try taken() == "large")
        options.preferredMaximumWidth = 100
        #expect(try taken() == "small")
        options = HLSVideo.Options()
        options.peakBitRate = 500_000
        #expect(try taken() == "small")
        options.peakBitRate = 1
        #expect(try taken() == "small")
    }

    @Test func growingPlaylist() throws {
        let set = try StreamSet([])
        let lines = try set.folder.text("index.m3u8").split(separator: "\n").map(String.init)
        let head = lines.prefix { !$0.hasPrefix("#EXTINF") }
        let segments = lines.drop { !$0.hasPrefix("#EXTINF") }.dropLast()
        func write(_ range: Range<Int>, isComplete: Bool = false) throws {
            let pairs = Array(segments)[range.lowerBound * 2..<range.upperBound * 2]
            let first = head.map {
                $0.hasPrefix("#EXT-X-MEDIA-SEQUENCE") ? "#EXT-X-MEDIA-SEQUENCE:\(range.lowerBound)" : $0
            }
            let text = first + pairs + (isComplete ? ["#EXT-X-ENDLIST"] : [])
            try set.folder.write((text.joined(separator: "\n") + "\n").utf8, to: "index.m3u8")
        }
        try write(0..<3)
        let video = try HLSVideo(path: set.path)
        #expect(!video.isComplete && video.warnings.count == 1)
        var reader = HLSVideo.Reader(video)
        #expect(try reader.frame(at: .frame(149)).picture?.md5() == set.hashes[149])
        #expect(throws: ScrubError.self) { try reader.frame(at: .frame(150)) }
        #expect(try reader.frame(at: .last).picture?.md5() == set.hashes[149])
        // The first segments slide out of the playlist; known frames keep their numbers and times.
        try write(2..<5)
        #expect(try reader.reload() == 2)
        let later = try reader.frame(at: .frame(240))
        #expect(try later.picture?.md5() == set.hashes[240] && later.time == Rational(240, 25))
        #expect(try reader.frame(at: .frame(10)).picture?.md5() == set.hashes[10])
        #expect(try reader.frame(at: .last).picture?.md5() == set.hashes[249])
        #expect(try reader.reload() == 0)
        try write(3..<7, isComplete: true)
        #expect(try reader.reload() == 2)
        #expect(try reader.frame(at: .frame(349)).frameCount == 350)
        #expect(try reader.reload() == 0)
        // Numbers that were not seen are missing.
        try write(0..<2)
        var other = HLSVideo.Reader(try HLSVideo(path: set.path))
        try write(4..<6)
        #expect(throws: ScrubError.self) { try other.reload() }
    }

    /// A playlist on disk names files below its own folder, and nothing else.
    @Test(arguments: [
        ("/etc/passwd", ScrubError.Code.badData), ("../film.ts", .badData), ("a/../../film.ts", .badData),
        ("file:///etc/passwd", .unavailable), ("concat:index0.ts", .unavailable), ("link.ts", .badData),
        ("http://127.0.0.1:9/x.ts", .unavailable), ("none.ts", .noInput), ("folder", .noInput),
        ("data:,x", .unavailable),
    ])
    func namesOutside(_ name: String, _ code: ScrubError.Code) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path(of: "set/folder"), withIntermediateDirectories: true)
        try folder.write([1], to: "film.ts")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "set/link.ts"), withDestinationPath: folder.path(of: "film.ts"))
        try folder.write("#EXTM3U\n#EXTINF:2,\n\(name)\n#EXT-X-ENDLIST\n".utf8, to: "set/index.m3u8")
        var reader = HLSVideo.Reader(try HLSVideo(path: folder.path(of: "set/index.m3u8")))
        let error = #expect(throws: ScrubError.self) { try reader.frame(at: .first) }
        #expect(error?.code == code, "\(String(describing: error))")
    }

    @Test func oddNames() throws {
        let set = try StreamSet(["-hls_segment_filename", "Teil %03d 50%% \u{E4}.ts"])
        try EncryptedSetTests.edit(set) {
            $0.replacing(" ", with: "%20").replacing("50%", with: "50%25").replacing("50%2525", with: "50%25")
        }
        var reader = HLSVideo.Reader(try HLSVideo(path: set.path))
        #expect(try reader.frame(at: .seconds(5)).picture?.md5() == set.hashes[125])
    }

    @Test func missingSegmentsAreErrors() throws {
        let set = try StreamSet([])
        try FileManager.default.removeItem(atPath: set.folder.path(of: "index3.ts"))
        var reader = HLSVideo.Reader(try HLSVideo(path: set.path))
        let error = #expect(throws: ScrubError.self) { try reader.frame(at: .seconds(7)) }
        #expect(error?.code == .noInput && error?.file == "index3.ts")
        // The line names the file once.
        #expect(error?.cause == "cannot be opened: No such file or directory", "\(String(describing: error))")
        // Frames that need nothing of it are there all the same.
        #expect(try reader.frame(at: .seconds(9)).picture?.md5() == set.hashes[225])
        try EncryptedSetTests.edit(set) {
            $0.replacing("#EXTINF:2.000000,\nindex3", with: "#EXT-X-GAP\n#EXTINF:2.000000,\nindex3")
        }
        var second = HLSVideo.Reader(try HLSVideo(path: set.path))
        #expect(throws: ScrubError.self) { try second.frame(at: .seconds(7)) }
        #expect(try second.frame(at: .seconds(9)).picture?.md5() == set.hashes[225])
    }

    @Test func keyPicturesAlone() throws {
        let folder = try TemporaryFolder()
        try folder.write("#EXTM3U\n#EXT-X-I-FRAMES-ONLY\n#EXTINF:2,\n#EXT-X-BYTERANGE:9@0\na.ts\n".utf8, to: "i.m3u8")
        let video = try HLSVideo(path: folder.path(of: "i.m3u8"))
        #expect(
            video.hasOnlyKeyPictures && video.warnings.contains { $0.description.contains("has only key pictures") })
        try folder.write("#EXTM3U\n#EXT-X-IMAGES-ONLY\n#EXTINF:2,\na.jpg\n".utf8, to: "p.m3u8")
        let error = #expect(throws: ScrubError.self) { try HLSVideo(path: folder.path(of: "p.m3u8")) }
        #expect(error?.code == .unavailable)
        #expect(HLSVideo.isPlaylist(path: folder.path(of: "i.m3u8")))
        #expect(!HLSVideo.isPlaylist(path: folder.path))
    }
}
