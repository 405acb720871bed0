import Foundation
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Key pictures that are copied, against ffmpeg's linear decode of the whole clip.
@Suite struct KeyframeMovieTests {
    private static let decode = ["-v", "error", "-nostdin", "-noautorotate"]
    private static let hash = [
        "-map", "0:v:0", "-fps_mode", "passthrough", "-copyts", "-enc_time_base", "-1", "-f", "framemd5", "-",
    ]

    /// The pictures that ffmpeg finds, their times in the file's own units, and its complaints.
    private struct Listing {
        let hashes: [String]
        let times: [Rational]
        let errors: String
    }

    private static func hashes(_ path: String, _ input: [String] = []) throws -> Listing {
        let result = try Tool.run("ffmpeg", decode + input + ["-i", path] + hash)
        let lines = result.output.split(separator: "\n")
        let unit = try lines.first { $0.hasPrefix("#tb 0: ") }
            .map { try $0.dropFirst(7).split(separator: "/").map { try #require(Int64($0)) } }
        // Index, decoding time, time, duration, size, hash.
        let rows = lines.filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
        return Listing(
            hashes: rows.compactMap(\.last),
            times: try rows.map { row in
                let unit = try #require(unit)
                return Rational(try #require(Int64(row[2])) * unit[0], unit[1])
            }, errors: result.errors)
    }

    /// The times and sizes that ffprobe finds, in seconds, and the codec's tag.
    private static func packets(_ path: String) throws -> [(time: Rational, flags: String)] {
        let result = try Tool.run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts,flags:stream=time_base", "-of",
                "csv=p=1", path,
            ])
        #expect(result.errors.isEmpty, "\(result.errors)")
        let rows = result.output.split(separator: "\n").map { $0.split(separator: ",") }
        let unit = try #require(rows.first { $0.first == "stream" }?[1].split(separator: "/").compactMap { Int64($0) })
        return try rows.filter { $0.first == "packet" }.map { row in
            (Rational(try #require(Int64(row[1])) * unit[0], unit[1]), String(row[2]))
        }
    }

    @Test(arguments: [
        "h264-bf3.mp4", "h264-open-gop.mp4", "h264-open-gop.ts", "hevc-open-gop.mp4", "av1-svt.mp4", "vp9-altref.webm",
        "h264-paff.ts", "hevc-open-gop.ts", "avc3-inband.mp4", "hevc-inband.mp4",
    ])
    func everyKeyPictureIsThatOfTheLinearDecode(_ file: String) throws {
        let clip = try KnownClip(file)
        let scratch = try TemporaryFolder()
        let path = scratch.path + "/keyframes.mp4"
        let report = try clip.asset.writeKeyframeMovie(to: path)
        let bytes = try scratch.bytes("keyframes.mp4")
        #expect(scratch.files == ["keyframes.mp4"])
        #expect(bytes.count == report.byteCount && report.entries.count > 1)

        let expected = report.entries.map { clip.hashes[$0.frameNumber] }
        // All of them in one go.
        let decoded = try Self.hashes(path)
        #expect(decoded.hashes == expected)
        #expect(decoded.errors.isEmpty, "\(decoded.errors)")
        let packets = try Self.packets(path)
        #expect(packets.map(\.time) == report.entries.map(\.time))
        #expect(packets.allSatisfy { $0.flags.hasPrefix("K") })
        var end = report.initialization.upperBound
        for (place, entry) in report.entries.enumerated() {
            #expect(entry.time == clip.asset.time(ofFrame: entry.frameNumber))
            #expect(entry.byteRange.lowerBound == end)
            end = entry.byteRange.upperBound
            // The range behind the initialization is a file of its own.
            let single = scratch.path + "/single.mp4"
            try (bytes[report.initialization] + bytes[entry.byteRange]).write(to: URL(filePath: single))
            #expect(try Self.hashes(single).hashes == [expected[place]], "#\(entry.frameNumber)")
        }

        // ffmpeg reads the playlist: all segments of one file, by their ranges.
        try Data(try report.iFramePlaylist(path: "keyframes.mp4").utf8).write(
            to: URL(filePath: scratch.path + "/iframes.m3u8"))
        let played = try Self.hashes(scratch.path + "/iframes.m3u8", ["-allowed_extensions", "ALL"])
        #expect(played.hashes == decoded.hashes, "\(played.errors)")
    }

    /// Whatever the clip: its key pictures and nothing else, or a refusal that says why.
    @Test(arguments: Clip.all.filter { $0.kind == .good })
    func everyClipIsCopiedOrRefused(_ clip: Clip) throws {
        let asset = try clip.open()
        let scratch = try TemporaryFolder()
        let path = scratch.path + "/keyframes.mp4"
        let report: ThumbnailSets.KeyframeMovie
        do throws(ScrubError) {
            report = try asset.writeKeyframeMovie(to: path)
        } catch {
            #expect(error.code == .unavailable, "\(error)")
            #expect(scratch.files.isEmpty)
            if ProcessInfo.processInfo.environment["SCRUB_SAY"] != nil { print("REFUSED", clip.file, error.cause) }
            return
        }
        let hashes = try clip.expectedHashes()
        let expected = report.entries.map { hashes[$0.frameNumber] }
        let decoded = try Self.hashes(path)
        if decoded.hashes != expected {
            // ffmpeg's command draws all pictures in the size of the first one.
            let bytes = try scratch.bytes("keyframes.mp4")
            #expect(clip.file.contains("size-change"), "\(clip.file): \(decoded.errors)")
            // Sets that change are in the samples, which avc1 does not allow.
            #expect(report.codec.hasPrefix("avc3"), "\(clip.file)")
            for (place, entry) in report.entries.enumerated() {
                let single = scratch.path + "/single.mp4"
                try (bytes[report.initialization] + bytes[entry.byteRange]).write(to: URL(filePath: single))
                #expect(try Self.hashes(single).hashes == [expected[place]], "\(clip.file) #\(entry.frameNumber)")
            }
        }
        if ProcessInfo.processInfo.environment["SCRUB_SAY"] != nil {
            print("COPIED", clip.file, report.codec, expected.count, decoded.hashes == expected ? "whole" : "single")
        }
        #expect(decoded.times == report.entries.map(\.time), "\(clip.file)")
    }

    @Test func atMostOneInEachInterval() throws {
        let clip = try KnownClip("h264-intra.mp4")
        let scratch = try TemporaryFolder()
        let interval = Rational(1, 3)
        let report = try clip.asset.writeKeyframeMovie(to: scratch.path + "/k.mp4", every: interval)
        let slots = report.entries.map { Int($0.time.doubleValue / interval.doubleValue + 1e-9) }
        #expect(Set(slots).count == slots.count && slots == slots.sorted() && slots.count > 2)
        #expect(try Self.hashes(scratch.path + "/k.mp4").hashes == report.entries.map { clip.hashes[$0.frameNumber] })
        #expect(throws: ScrubError.self) {
            try clip.asset.writeKeyframeMovie(to: scratch.path + "/n.mp4", every: .zero)
        }
        #expect(scratch.files == ["k.mp4"])
    }

    @Test func setsForHLSHaveKeyPictures() throws {
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options([.hls])
        options.request = ThumbnailPlan.Request(.every(Rational(1)), tolerance: .keyframe)
        let clip = try KnownClip("h264-bf3.mp4")
        let report = try clip.asset.writeThumbnailSets(into: scratch.path, options: options)
        #expect(report.warnings.isEmpty)
        let master = try scratch.text("hls/master.m3u8")
        #expect(master.contains(/#EXT-X-I-FRAME-STREAM-INF:.*CODECS="avc1\.[0-9a-f]{6}",URI="iframes.m3u8"\n/))
        #expect(try scratch.text("hls/iframes.m3u8").contains("#EXT-X-VERSION:5\n"))
        let played = try Self.hashes(scratch.path + "/hls/iframes.m3u8", ["-allowed_extensions", "ALL"])
        #expect(!played.hashes.isEmpty && played.hashes.allSatisfy(clip.hashes.contains))

        let other = TemporaryFolder.unmade()
        let refused = try KnownClip("mpeg2-open.ts").asset.writeThumbnailSets(into: other.path, options: options)
        #expect(refused.warnings.count == 1 && !other.files.contains("hls/keyframes.mp4"))
        // The thumbnails are I-frames all the same.
        let streams = try other.text("hls/master.m3u8").matches(of: /I-FRAME-STREAM-INF:.*CODECS="([^"]*)"/)
        #expect(streams.map(\.output.1) == ["mjpg"])
    }
}
