#if CommandLine
internal import ArgumentParser
internal import FoundationEssentials

/// The parser's description of the commands, with the help pages' additions: examples, groups of options, exit codes.
///
/// `scrub --experimental-dump-help` prints it for the manual (docs/tools/manual.py), so that both say the same.
struct HelpTree: Codable {
    var command: Command
    var topics: [Topic]?

    /// A command and those below it.
    struct Command: Codable {
        var commandName: String
        var abstract: String?
        var discussion: String?
        var shouldDisplay: Bool
        var defaultSubcommand: String?
        var subcommands: [Command]?
        var arguments: [Argument]?
        var examples: [Example]?
        var exits: String?

        /// The subcommands that are shown to people.
        var shown: [Command] { (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" } }
    }

    /// An argument, an option or a flag.
    struct Argument: Codable {
        var kind: String
        var shouldDisplay: Bool
        var isOptional: Bool
        var isRepeating: Bool
        var names: [Name]?
        var valueName: String?
        var defaultValue: String?
        var allValues: [String]?
        var abstract: String?
        var discussion: String?
        var sectionTitle: String?

        /// The name without its dashes.
        var longName: String? { names?.first { $0.kind == "long" }?.name }
        var isPositional: Bool { kind == "positional" }

        /// As typed: `-o, --output <path>`.
        var label: String {
            let value = "<\(valueName ?? "value")>"
            guard !isPositional else { return value }
            let names = (names ?? []).map(\.text).joined(separator: ", ")
            return kind == "option" ? "\(names) \(value)" : names
        }

        /// The complete description, with the default, and the values if the sentence does not name them.
        var sentence: String {
            var parts = [abstract, discussion].compactMap { $0 }.filter { !$0.isEmpty }
            let told = parts.joined(separator: " ")
            let untold = (allValues ?? []).filter { !told.contains($0) }
            if !untold.isEmpty { parts.append("One of \((allValues ?? []).joined(separator: ", ")).") }
            if let defaultValue, !defaultValue.isEmpty { parts.append("Default: \(defaultValue).") }
            return parts.joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    struct Name: Codable {
        var kind: String
        var name: String

        var text: String { (kind == "long" ? "--" : "-") + name }
    }

    /// A command line, and its result.
    struct Example: Codable {
        var words: String
        var does: String
    }

    /// A topic that several commands share, described once.
    struct Topic: Codable {
        var name: String
        var title: String
        var text: String
        var arguments: [Argument]
    }

    /// Returns everything, as of now.
    static func make() throws -> HelpTree {
        var tree = try JSONDecoder().decode(HelpTree.self, from: Data(ScrubCommand._dumpHelp().utf8))
        var shared: [Argument] = []
        tree.command.complete(path: [], shared: &shared)
        tree.topics = HelpTexts.topics.map { topic in
            var topic = topic
            topic.text = ProgramName.inCommands(of: topic.text)
            topic.arguments = shared.filter { HelpGroups.topic(of: $0) == topic.name }
            return topic
        }
        return tree
    }

    /// Returns the command for some words; `nil` if there is no such command.
    func command(_ path: [String]) -> Command? {
        var found = command
        for word in path {
            guard let next = found.subcommands?.first(where: { $0.commandName == word }) else { return nil }
            found = next
        }
        return found
    }
}

extension HelpTree.Command {
    /// Adds the parts that the parser does not know.
    fileprivate mutating func complete(path: [String], shared: inout [HelpTree.Argument]) {
        let texts = HelpTexts.verbs[path.joined(separator: " ")]
        examples = texts?.examples.map {
            HelpTree.Example(words: ProgramName.inCommands(of: $0.0), does: ProgramName.inCommands(of: $0.1))
        }
        abstract = abstract.map(ProgramName.inCommands)
        discussion = discussion.map(ProgramName.inCommands)
        exits = texts?.exits ?? (subcommands == nil && !path.isEmpty ? HelpTexts.usualExits : nil)
        arguments = arguments?.map { argument in
            var argument = argument
            argument.abstract = argument.abstract.map(ProgramName.inCommands)
            argument.discussion = argument.discussion.map(ProgramName.inCommands)
            argument.sectionTitle = HelpGroups.title(of: argument, in: path)
            if HelpGroups.topic(of: argument) != nil, argument.shouldDisplay,
                !shared.contains(where: { $0.longName == argument.longName })
            {
                shared.append(argument)
            }
            return argument
        }
        subcommands = subcommands?.map { command in
            var command = command
            command.complete(path: path + [command.commandName], shared: &shared)
            return command
        }
    }
}
#endif
