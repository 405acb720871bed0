import Foundation
import ScrubTestSupport
import Testing

/// Ctrl-C on a terminal: the bar is gone, one line says what is left, and the process ends by the signal.
@Suite struct InterruptTests {
    private struct Outcome: Decodable {
        let status: Int32
        let screen: [String]
        let pressed: Bool
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A film that no verb is done with before a person could press a key.
    private func film() throws -> String {
        let path = folder.path(of: "film.mp4")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=120", "-c:v", "libx264", "-preset",
                "ultrafast", "-g", "500", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        return path
    }

    private func run(_ words: [String]) throws -> Outcome {
        let result = try Tool.run(
            "python3", [Repository.root + "/Tests/Programs/Terminal/interrupt.py", CommandTests.program] + words,
            environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache")])
        return try JSONDecoder().decode(Outcome.self, from: Data(result.output.utf8))
    }

    static let verbs: [([String], String)] = [
        (["seek", "first..last", "--hash"], "stopped by Ctrl-C; no partial files are left"),
        (["seek", "first..last", "-o", "OUT/p-%05d.png"], "written completely"),
        (["verify"], "stopped by Ctrl-C"), (["previews"], "previews made so far are kept"),
        (["strip", "--count", "3000", "-o", "OUT"], "cancelled after"),
        (["sheet", "--count", "1500", "-c", "40", "--tolerance", "exact", "-o", "OUT/s.png"], "cancelled after"),
    ]

    @Test(arguments: verbs) func oneLineIsLeft(_ verb: [String], _ words: String) throws {
        let film = try film()
        let output = folder.path(of: "out")
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        let outcome = try run(
            [verb[0], film] + verb.dropFirst().map { $0.replacingOccurrences(of: "OUT", with: output) })
        try #require(outcome.pressed)
        #expect(outcome.status == -2)
        #expect(outcome.screen.count == 1, "\(outcome.screen)")
        let line = try #require(outcome.screen.last)
        #expect(line.hasPrefix("scrub: ") && line.contains(words), "\(line)")
        // A strip's finished sheets stay for the same command to go on from, and the line says so.
        let isKept = line.contains("kept in \(output)/\(Self.finished)")
        let list = isKept ? try folder.bytes("out/\(Self.finished)/list") : Data()
        for name in try FileManager.default.subpathsOfDirectory(atPath: output) {
            if isKept, name == Self.finished || name == Self.finished + "/list" { continue }
            if isKept, name.hasPrefix(Self.finished + "/") {
                let sheet = try folder.bytes("out/" + name)
                let file = name.dropFirst(Self.finished.count + 1)
                let isListed = list.range(of: Data("piece\u{0}\(file)\u{0}0\u{0}\(sheet.count)\u{0}".utf8)) != nil
                let isWhole = sheet.suffix(2) == Data([0xFF, 0xD9])
                #expect(isListed && isWhole, "\(name) is half-written")
            } else {
                #expect(name.hasPrefix("p-") && name.hasSuffix(".png"), "\(name) is left")
            }
        }
    }

    private static let finished = ".scrub-thumbnails"

    /// A program that talks to `drive` has the terminal to itself, and so has a person who wants errors alone.
    @Test func otherProgramsHaveTheTerminal() throws {
        let film = try film()
        #expect(try run(["drive", film]).screen.allSatisfy { !$0.contains("scrub") })
        let quiet = try Tool.run(
            "script",
            ["-qec", "'\(CommandTests.program)' verify '\(film)' --sample 40 --quiet >/dev/null", "/dev/null"],
            environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache")])
        #expect(quiet.status == 0 && quiet.output.isEmpty, "\(quiet.output)")
    }
}
