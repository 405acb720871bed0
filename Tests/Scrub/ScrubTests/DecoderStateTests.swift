import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// State that decoders of H.264 and HEVC keep over a restart (docs/decoder-state.md): parameter sets, film grain,
/// long-term references. `testdata/tools/state-clips.py` makes the streams.
@Suite struct DecoderStateTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let codec: String
        let kind: String
        let containers: [String]
        var testDescription: String { "\(kind), \(codec), \(containers.joined(separator: " "))" }
    }

    static let kinds = [
        Kind(codec: "h264", kind: "sets", containers: ["raw", "mp4"]),
        Kind(
            codec: "h264", kind: "sets-pps-in-group", containers: ["avc3.mp4", "mov", "frag.mp4", "mkv", "ts", "avi"]),
        Kind(codec: "h264", kind: "sets-sps", containers: ["mkv", "flv"]),
        Kind(codec: "h264", kind: "sets-second-header", containers: ["flv"]),
        Kind(codec: "h264", kind: "grain", containers: ["raw", "mp4"]),
        Kind(codec: "h264", kind: "grain-open", containers: ["mkv", "ts"]),
        Kind(codec: "h264", kind: "long-term", containers: ["raw", "mp4", "mkv", "flv"]),
        Kind(codec: "hevc", kind: "sets", containers: ["raw", "mp4"]),
        Kind(codec: "hevc", kind: "sets-pps-in-group", containers: ["hev1.mp4", "mov", "frag.mp4", "mkv", "ts"]),
        Kind(codec: "hevc", kind: "grain", containers: ["raw", "mp4"]),
        Kind(codec: "hevc", kind: "grain-first", containers: ["mkv", "ts"]),
    ]

    /// Makes the streams of a kind.
    private func clips(
        _ kind: String, _ codec: String, _ containers: [String], in folder: TemporaryFolder
    ) throws -> [String] {
        let target = folder.path(of: "clips")
        let made = try Tool.run(
            "python3",
            [Repository.root + "/testdata/tools/state-clips.py", target, kind, "--codec", codec]
                + containers.flatMap { ["--container", $0] })
        try #require(made.status == 0, "\(made.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: target).sorted()
        try #require(!names.isEmpty)
        return names.map { target + "/" + $0 }
    }

    /// Streams of which a decoder complains: sets that were removed, and long-term references that it marks twice.
    private func isFaulty(_ name: String) -> Bool {
        if name.hasPrefix("long-term") { return true }
        return !name.hasSuffix(".h264") && !name.contains("-h264.")
            && ["sets-sps-alone", "sets-sps-then-pps", "sets-vps-alone", "sets-vps-header"].contains {
                name.hasPrefix($0)
            }
    }

    @Test(arguments: kinds) func everyExactFrameIsLinear(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        for path in try clips(kind.kind, kind.codec, kind.containers, in: folder) {
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            let asked = try LinearLines.expectLines(path, aloneEach: 3, opensEach: true)
            if !isFaulty(name) { #expect(asked.exact == asked.lines && asked.frames == asked.lines, "\(name)") }
        }
    }

    /// A leading picture that comes before its restart: a linear decode drops the restart, and has no line for it.
    @Test(arguments: ["raw", "mp4", "mkv"]) func restartsThatALinearDecodeDrops(_ container: String) throws {
        let folder = try TemporaryFolder()
        for path in try clips("moved", "hevc", [container], in: folder) {
            let lines = try LinearLines.all(of: path)
            let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
            #expect(lines.count < asset.frames.count)
            for number in asset.frames.indices {
                var reader = FrameReader(asset)
                let answer = try reader.frame(at: .frame(number))
                guard answer.verdict == .exact, let picture = answer.picture else { continue }
                #expect(lines.contains(try picture.streamMD5()), "\(container), f\(number)")
            }
        }
    }

    /// A linear decode that begins with film grain has it on one thread only.
    @Test func filmGrainDependsOnNoThreads() throws {
        let folder = try TemporaryFolder()
        for (codec, name) in [("h264", "grain-keys-kept.h264"), ("hevc", "grain-keys-kept.hevc")] {
            _ = try clips("grain-keys-kept", codec, ["raw"], in: folder)
            let path = folder.path(of: "clips/\(name)")
            let lines = try LinearLines.all(of: path)
            let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
            for threads in [1, 4] {
                var options = FrameReader.Options()
                options.threadCount = threads
                var reader = FrameReader(asset, options: options)
                for number in [20, 3, 9, 4] {
                    let answer = try reader.frame(at: .frame(number))
                    #expect(answer.verdict == .exact, "\(name) f\(number)")
                    #expect(try answer.picture?.streamMD5() == lines[number], "\(name) f\(number), \(threads) threads")
                }
            }
        }
    }
}
