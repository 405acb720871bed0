import Foundation
import ScrubTestSupport
import Testing

/// Pages of help: examples first, options under titles, common options in one place, exit codes, sentences.
@Suite struct HelpTests {
    private struct Tree: Decodable {
        var command: Command
        var topics: [Topic]

        struct Command: Decodable {
            var commandName: String
            var abstract: String
            var shouldDisplay: Bool
            var subcommands: [Command]?
            var arguments: [Argument]?
            var examples: [Example]?
        }

        struct Argument: Decodable {
            var kind: String
            var names: [Name]?
            var shouldDisplay: Bool
            var abstract: String?
            var sectionTitle: String?
        }

        struct Name: Decodable { var name: String }

        struct Example: Decodable {
            var words: String
            var does: String
        }

        struct Topic: Decodable {
            var name: String
            var arguments: [Argument]
        }
    }

    private func scrub(_ words: [String]) throws -> Tool.Result { try Tool.run(CommandTests.program, words) }

    private func tree() throws -> Tree {
        let dump = try scrub(["--experimental-dump-help"])
        try #require(dump.status == 0, "\(dump.errors)")
        return try JSONDecoder().decode(Tree.self, from: dump.bytes)
    }

    /// Every command with the words that name it, those with commands below them too.
    private func commands(_ command: Tree.Command, _ path: [String] = []) -> [(path: [String], command: Tree.Command)] {
        [(path, command)]
            + (command.subcommands ?? []).filter { $0.commandName != "help" && $0.shouldDisplay }
            .flatMap { commands($0, path + [$0.commandName]) }
    }

    private static let shared = ["header", "allow", "deny", "timeout", "proxy", "cacert", "limit", "sandbox"]

    @Test func everyPageHasExamplesTitlesAndExitCodes() throws {
        for (path, command) in commands(try tree().command) {
            let pages = try [scrub(["help"] + path), scrub(path + ["--help"])]
            let page = pages[0].output
            #expect(pages.allSatisfy { $0.status == 0 && $0.errors.isEmpty && $0.output == page }, "\(path)")
            let name = (["scrub"] + path).joined(separator: " ")
            #expect(page.hasPrefix("\(name): \(command.abstract.prefix(20))"), "\(page)")
            // Examples come before everything else, and there are two or three of them.
            let places = ["EXAMPLES:", "USAGE:"].map { page.firstRange(of: $0)?.lowerBound }
            let (examples, usage) = (try #require(places[0], "\(path)"), try #require(places[1], "\(path)"))
            #expect(examples < usage && (2...3).contains(command.examples?.count ?? 0), "\(path)")
            #expect(!page.contains("OTHER OPTIONS"), "\(path): an option has no title: give it one in HelpGroups")
            #expect(page.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(path)")
            if !(command.arguments ?? []).isEmpty, command.subcommands == nil || path == ["batch"] || path.isEmpty {
                let codes =
                    page.firstRange(of: "EXIT CODES:").map { page[$0.upperBound...] }?
                    .split(whereSeparator: \.isWhitespace).joined(separator: " ") ?? ""
                for code in ["0 ", "64 ", "66 ", "69 ", "74 ", "130 "] {
                    #expect(codes.contains(code), "\(path): \(code)")
                }
            }
            // Options that all commands share are named there, and described elsewhere.
            for option in Self.shared { #expect(!page.contains("--\(option) <"), "\(path): \(option)") }
        }
    }

    @Test func sharedOptionsAreDescribedOnce() throws {
        let network = try scrub(["help", "network"])
        #expect(network.status == 0 && network.errors.isEmpty)
        for option in Self.shared {
            let rows = network.output.split(separator: "\n").filter { $0.hasPrefix("  --\(option)") }
            #expect(rows.count == 1, "\(option): \(rows)")
        }
        let positions = try scrub(["help", "positions"])
        #expect(positions.status == 0)
        for text in ["42%", "12.5s", "1:02.5", "01:00:03:12", "f1234", "f-1", "last"] {
            #expect(positions.output.contains(text), "\(text)")
        }
        #expect(try tree().topics.first { $0.name == "network" }?.arguments.count == 9, "sandbox has two names")
    }

    /// One sentence for each option, which begins as one and ends as one.
    @Test func optionsHaveSentences() throws {
        for (path, command) in commands(try tree().command) {
            for argument in command.arguments ?? [] where argument.shouldDisplay {
                let name = argument.names?.first?.name ?? "argument"
                let text = argument.abstract ?? ""
                #expect(text.hasSuffix(".") && text.first?.isUppercase == true, "\(path) \(name): \(text)")
                for phrase in ["without a word", "what it takes", "so many", " else:", "(else", "ithout it "]
                where !["every", "older-than"].contains(name) {
                    #expect(!text.contains(phrase), "\(path) \(name): \(text)")
                }
            }
        }
    }

    /// Examples name options and commands that there are.
    @Test func examplesCanBeTyped() throws {
        for (path, command) in commands(try tree().command) {
            for example in command.examples ?? [] {
                let own = example.words.components(separatedBy: " | ").first { $0.hasPrefix("scrub ") } ?? ""
                let words = own.split(separator: " ").map(String.init)
                try #require(words.count > 1, "\(path): \(example.words)")
                var (found, name) = (try tree().command, [String]())
                for word in words.dropFirst() {
                    guard let next = found.subcommands?.first(where: { $0.commandName == word }) else { break }
                    (found, name) = (next, name + [word])
                }
                if name == ["batch"], let run = found.subcommands?.first(where: { $0.commandName == "run" }) {
                    found = run
                }
                let known = Set((found.arguments ?? []).flatMap { ($0.names ?? []).map(\.name) })
                for word in words where word.hasPrefix("-") && word.count > 1 {
                    #expect(known.contains(String(word.drop { $0 == "-" })), "\(example.words): \(word)")
                }
            }
        }
    }

    /// Where `scrub` may be another program, people are not told to type that name.
    @Test func helpSaysTheNameThatTheProgramWasCalledBy() throws {
        let folder = try TemporaryFolder()
        let packaged = folder.path(of: "scrub-video")
        try FileManager.default.createSymbolicLink(atPath: packaged, withDestinationPath: CommandTests.program)
        let dump = try Tool.run(packaged, ["--experimental-dump-help"])
        for words in [[], ["help", "network"], ["seek", "--help"], ["seek", "--nosuch"], ["film.mp4"]] {
            let said = [packaged, CommandTests.program].map { try? Tool.run($0, words) }
            let (texts, usual) = (said[0].map { $0.output + $0.errors }, said[1].map { $0.output + $0.errors })
            let text = try #require(texts, "\(words)")
            #expect(said[0]?.status == said[1]?.status && text.contains("scrub-video "), "\(words): \(text)")
            #expect(usual?.contains("scrub-video") == false, "\(words)")
            for command in try tree().command.subcommands ?? [] {
                #expect(!text.contains("scrub \(command.commandName)"), "\(words): \(command.commandName)")
            }
        }
        #expect(dump.output.contains("\"commandName\":\"scrub-video\""))
        for command in try tree().command.subcommands ?? [] {
            #expect(!dump.output.contains("scrub \(command.commandName) "), "\(command.commandName)")
        }
    }
}
