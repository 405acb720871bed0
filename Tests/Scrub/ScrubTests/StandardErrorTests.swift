import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Standard error holds this program's own sentences and nothing of FFmpeg's, whatever is wrong with a file.
@Suite struct StandardErrorTests {
    private static let clips = Clip.all.filter {
        $0.kind != .good || ["ts-lost.ts", "wmv2-skipped.avi", "truncated.mkv", "missing-times.mkv"].contains($0.file)
    }.map(\.file)

    @Test(arguments: Set(clips).sorted())
    func allLinesAreOurs(_ clip: String) throws {
        let folder = try TemporaryFolder()
        let path = Clip.folder + "/clips/" + clip
        let (strip, scenes) = (folder.path(of: "strip"), folder.path(of: "scenes"))
        try folder.write("{\"at\":\"f1\"}\n{\"id\":2,\"at\":\"50%\",\"hash\":true}\nf3\n".utf8, to: "requests")
        let commands: [[String]] = [
            ["info", path], ["frames", path], ["plan", path, "50%"],
            ["seek", path, "f1", "50%", "last", "-o", folder.path(of: "a-%03d.png")],
            ["poster", path, "--count", "2", "-o", folder.path(of: "p.jpg")],
            ["strip", path, "--count", "5", "-o", strip], ["strip", path, "--scenes", "-o", scenes],
            ["thumbs", path, "--profile", "web", "-o", folder.path(of: "thumbs")],
            ["sheet", path, "-o", folder.path(of: "sheet.jpg")],
            ["convert", strip, "--to", "hls", "-o", strip + "-hls"],
            ["verify-set", strip, "--against", path], ["verify", path, "--sample", "4"],
            ["bench", path, "--requests", "2"], ["gesture", path, "--made", "jump", "--seconds", "0.1"],
            ["index", path], ["drive", path],
        ]
        // A file that cannot be opened is refused at one place.
        let isRefused = Clip.all.contains { $0.file == clip && $0.kind == .refused }
        for words in commands where !isRefused || ["info", "seek", "strip", "bench", "drive"].contains(words[0]) {
            let result = try Tool.run(
                "sh", ["-c", "\"$0\" \"$@\" < '\(folder.path(of: "requests"))'", CommandTests.program] + words,
                environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache")])
            let lines = result.errors.split(separator: "\n")
            #expect(lines.allSatisfy { $0.hasPrefix("scrub: ") }, "\(words[0]): \(result.errors)")
            // "[h264 @ 0x5581]" is how FFmpeg's own begin, also in the middle of a line.
            #expect(!result.errors.contains(" @ 0x"), "\(words[0]): \(result.errors)")
            #expect(
                [0, 1, 65, 66, 69, 74].contains(result.status), "\(words[0]): \(result.status) \(result.errors)")
            if result.status != 0 { #expect(!lines.isEmpty, "\(words[0]): \(result.status)") }
        }
    }

    /// libjxl prints its own source lines past libav's log.
    @Test func librariesBehindLibavPrintNothing() throws {
        let folder = try TemporaryFolder()
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:d=0.04", "-frames:v", "1", "-c:v", "libjxl",
                folder.path(of: "whole.jxl"),
            ])
        // An FFmpeg without libjxl has nothing to print either.
        guard made.status == 0 else { return }
        let whole = try folder.bytes("whole.jxl")
        var random = SplitMix(7)
        for number in 0..<8 {
            var bytes = Array(whole)
            for _ in 0..<5 {
                bytes[Int.random(in: 40..<bytes.count, using: &random)] ^= UInt8(
                    1 << Int.random(in: 0..<8, using: &random))
            }
            let path = try folder.write(bytes, to: "\(number).jxl")
            for more in [[], ["--sandbox"]] {
                let result = try Tool.run(CommandTests.program, ["seek", path, "f0", "--no-cache"] + more)
                let lines = result.errors.split(separator: "\n")
                #expect(lines.allSatisfy { $0.hasPrefix("scrub: ") }, "\(number): \(result.errors)")
            }
        }
    }
}
