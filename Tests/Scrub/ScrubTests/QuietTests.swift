import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// `--quiet`: errors alone on standard error, by every command.
@Suite struct QuietTests {
    private let clip = Clip.folder + "/clips/h264-bf3.mp4"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func scrub(_ words: [String]) throws -> Tool.Result {
        try Tool.run(CommandTests.program, words, environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache")])
    }

    private struct Help: Decodable {
        struct Command: Decodable {
            struct Argument: Decodable {
                struct Name: Decodable { let name: String }
                let names: [Name]?
            }
            let commandName: String
            let arguments: [Argument]?
            let subcommands: [Command]?
        }
        let command: Command
    }

    @Test func everyCommandTakesIt() throws {
        let help = try JSONDecoder().decode(
            Help.self, from: Data(try scrub(["--experimental-dump-help"]).output.utf8))
        var open = [help.command], count = 0
        while let command = open.popLast() {
            let below = (command.subcommands ?? []).filter { $0.commandName != "help" }
            open += below
            guard below.isEmpty else { continue }
            count += 1
            let names = (command.arguments ?? []).flatMap { $0.names ?? [] }.map(\.name)
            #expect(names.contains("quiet") && names.contains("q"), "\(command.commandName): \(names)")
        }
        #expect(count > 20)
    }

    /// Notes and warnings go; what was asked for stays.
    @Test func notesGo() throws {
        for words in [
            ["seek", clip, "1.5", "--clamp", "--hash"],
            ["sheet", clip, "-c", "3", "-r", "1", "-o", folder.path + "/s.jpg"],
        ] {
            let (plain, quiet) = (try scrub(words), try scrub(words + ["--quiet"]))
            #expect(plain.status == 0 && !plain.errors.isEmpty, "\(words)")
            #expect(quiet.status == 0 && quiet.errors.isEmpty && quiet.output == plain.output, "\(quiet.errors)")
        }
    }

    @Test func errorsStay() throws {
        for words in [
            ["seek", "/nowhere.mp4", "f1"], ["info", "/nowhere.mp4", clip], ["strip", clip, "--at", "f999", "-o", "s"],
        ] {
            let (plain, quiet) = (try scrub(words), try scrub(words + ["-q"]))
            #expect(plain.status == quiet.status && quiet.status != 0)
            #expect(!quiet.errors.isEmpty && quiet.errors == plain.errors, "\(quiet.errors)")
        }
    }
}
