import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestSupport
import Testing

/// Real files against the system's ffmpeg, when `SCRUB_CORPUS` names a folder of them.
///
/// With a `manifest.tsv` beside the folder its labels say which files are damaged; those must only be honest.
@Suite(.enabled(if: Corpus.folder != nil), .serialized) struct CorpusTests {
    @Test(arguments: Corpus.files)
    func framesAreThoseOfTheLinearDecode(_ name: String) throws {
        let path = (Corpus.folder ?? "") + "/" + name
        let asset: VideoAsset
        do throws(ScrubError) {
            asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        } catch {
            #expect(!Corpus.isSound(name), "\(error)")
            #expect([65, 66, 69, 74].contains(error.code.exitStatus))
            #expect(!error.cause.isEmpty)
            return
        }
        let isSound = Corpus.isSound(name)
        let info = try asset.info()
        var generator = SplitMix(UInt64(asset.frames.count))
        var wanted = Set(asset.frames.indices.suffix(4)).union(asset.frames.indices.prefix(2))
        for _ in 0..<8 { wanted.insert(Int.random(in: asset.frames.indices, using: &generator)) }
        var shown = ShownPictures()
        var reader = FrameReader(asset)
        try reader.frames(numbered: wanted) { (answer) throws(ScrubError) in
            let number = answer.frame.number
            if isSound { #expect(answer.verdict == .exact, "#\(number)") }
            if answer.verdict == .exact { shown.add(number, try answer.picture?.streamMD5()) }
        }
        guard isSound else {
            let made = Set(try Corpus.linearDecode(path, stream: info.streamIndex))
            for (number, hash) in shown.hashes { #expect(made.contains(hash), "#\(number)") }
            return
        }
        if asset.duration > Rational(1) { try dragOver(asset, &shown, &generator) }
        try makeStrips(asset, &shown)
        let linear = try Corpus.linearDecode(path, info, frames: Set(shown.hashes.map(\.frame)), of: asset.frames.count)
        for (number, hash) in shown.hashes { #expect(hash == linear[number], "#\(number)") }
    }

    /// Pictures that were shown as frames: MD5s. Of long films ffmpeg hashes only those.
    private struct ShownPictures {
        private(set) var hashes: [(frame: Int, hash: String)] = []

        mutating func add(_ frame: Int, _ hash: String?) { hashes.append((frame, hash ?? "no picture")) }
    }

    /// Every thumbnail is the picture of the time that it claims, before it is made small.
    private func makeStrips(_ asset: VideoAsset, _ shown: inout ShownPictures) throws {
        for tolerance in [ThumbnailPlan.Request.Tolerance.exact, .keyframe] {
            let scratch = TemporaryFolder.unmade()
            var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(5), tolerance: tolerance))
            (options.thumbnails.widths, options.thumbnails.computesMD5) = ([32], true)
            let report = try asset.writeStrip(into: scratch.path, options: options)
            for thumbnail in try #require(report.storyboards.first).thumbnails {
                let own = try asset.presentedFrame(at: .time(thumbnail.requestedTime)).number
                if tolerance == .exact { #expect(thumbnail.frameNumber == own) }
                #expect(thumbnail.verdict == (thumbnail.frameNumber == own ? "exact" : "approximate"))
                #expect(thumbnail.time == asset.time(ofFrame: thumbnail.frameNumber))
                shown.add(thumbnail.frameNumber, report.hashes[thumbnail.frameNumber])
            }
        }
    }

    /// After a gesture, whatever it was, the picture shown last is exact and that of the frame the fraction names.
    private func dragOver(_ asset: VideoAsset, _ shown: inout ShownPictures, _ random: inout SplitMix) throws {
        let session = try ScrubSession(asset, budget: ScrubBudget(byteLimit: 1 << 30))
        let viewer = ScrubSessionTests.Viewer(session)
        var request = 0
        for gesture in 0..<4 {
            var scrub = ScrubGesture()
            let begin = Int64.random(in: 0...1000, using: &random)
            _ = scrub.began(at: Rational(begin, 1000), isPlaying: false)
            var expected = 0
            // Slow, backward, turning, jittering.
            for step in 1...24 {
                let dx: Int64 =
                    switch gesture {
                    case 0: Int64(step)
                    case 1: Int64(-8 * step)
                    case 2: Int64(step < 12 ? 20 * step : 20 * (24 - step))
                    default: Int64.random(in: -300...300, using: &random)
                    }
                let actions = scrub.changed(translation: .init(x: Double(dx), y: 0), width: 1000)
                let target = try #require(actions.target)
                let exact = Rational(min(1000, max(0, begin + dx)), 1000)
                #expect(target == exact)
                expected = try asset.presentedFrame(at: .fraction(exact)).number
                session.scrub(toFrame: try asset.presentedFrame(at: .fraction(target)).number)
                request += 1
            }
            session.rest()
            let last = try #require(viewer.wait(for: request))
            #expect(last.frame.number == expected && last.verdict == .exact, "gesture \(gesture)")
            shown.add(expected, try last.picture?.streamMD5())
        }
    }
}

enum Corpus {
    static let folder: String? = {
        guard let path = ProcessInfo.processInfo.environment["SCRUB_CORPUS"], !path.isEmpty else { return nil }
        let inner = path + "/files"
        return FileManager.default.fileExists(atPath: inner) ? inner : path
    }()

    static let files: [String] = {
        guard let folder else { return [] }
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }()

    /// Labels of files in which something is broken, missing or changes on the way.
    private static let unsound: Set<String> = [
        "damaged", "truncated", "encrypted", "no-decodable-frame", "starts-mid-gop", "decode-errors", "unopenable",
        "audio-only", "piff-encrypted", "unsupported-codec-vvc", "unsupported-codec-tag", "midstream-resize", "mv-hevc",
        "av1-resize", "spatial-layers", "more-packets-than-frames", "wrong-extension", "gif-disposal", "no-IDR",
    ]

    private static let soundFiles: Set<String> = {
        guard let folder,
            let text = try? String(contentsOfFile: folder + "/../manifest.tsv", encoding: .utf8)
        else { return Set(files) }
        let rows = text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        guard let header = rows.first, let labels = header.firstIndex(of: "labels"),
            let errors = header.firstIndex(of: "ffmpeg_null_errors")
        else { return Set(files) }
        return Set(
            rows.dropFirst().compactMap { row -> String? in
                guard row.count > max(labels, errors) else { return nil }
                let marks = Set(row[labels].split(separator: ",").map(String.init))
                let isClean =
                    row[errors].hasPrefix("clean") || row[errors].hasPrefix("not run")
                    || marks.contains("null-muxer-dts-warning")
                return isClean && marks.isDisjoint(with: unsound) ? String(row[0]) : nil
            })
    }()

    static func isSound(_ name: String) -> Bool { soundFiles.contains(name) }

    /// Returns the pictures of ffmpeg's linear decode of a stream: an MD5 for each.
    static func linearDecode(_ path: String, stream: Int) throws -> [String] {
        try hashes(path, stream: stream, threadCount: 1, filter: [])
    }

    /// Returns the MD5s of some frames of the linear decode of a sound stream. An MD5 takes longer than most decodes.
    ///
    /// The decode must have `count` frames, and the last of them must be among `frames`.
    fileprivate static func linearDecode(
        _ path: String, _ info: VideoInfo, frames: Set<Int>, of count: Int
    ) throws -> [Int: String] {
        let frames = frames.sorted()
        #expect(frames.last == count - 1)
        // A frame beyond the last one is one line too many.
        let terms = frames.map { "eq(n,\($0))" } + ["gte(n,\(count))"]
        // Of sound streams of these codecs threads change nothing, and long films take half the time.
        let usesThreads = ["h264", "hevc", "vp9", "av1"].contains(info.codec)
        let hashes = try Corpus.hashes(
            path, stream: info.streamIndex, threadCount: usesThreads ? 2 : 1,
            filter: ["-vf", "select='\(terms.joined(separator: "+"))'"])
        #expect(hashes.count == frames.count, "ffmpeg's decode has another number of frames than \(count)")
        return Dictionary(uniqueKeysWithValues: zip(frames, hashes))
    }

    private static func hashes(
        _ path: String, stream: Int, threadCount: Int, filter: [String]
    ) throws -> [String] {
        let words = [
            // Several threads know less of how an MPEG-4 encoder ends its pictures, and conceal other damage.
            "-v", "quiet", "-nostdin", "-threads", "\(threadCount)", "-noautorotate", "-i", path,
            "-map", "0:\(stream)",
        ]
        let result = try Tool.run("ffmpeg", words + filter + ["-fps_mode", "passthrough", "-f", "framemd5", "-"])
        return LinearLines.hashes(result.output)
    }
}
