#if CommandLine
internal import Scrub

/// A help page as printed: examples first, then the usage, the description, the options by group, and the exit codes.
struct HelpPage {
    private let width: Int
    /// The column at which the description of an option begins.
    private static let column = 26

    /// - Parameter width: the terminal's columns.
    init(width: Int) { self.width = min(100, max(60, width)) }

    /// Returns the page of a command, with the options of its default subcommand.
    func text(_ own: HelpTree.Command, path: [String]) -> String {
        var command = own
        let meant = own.shown.first { $0.commandName == own.defaultSubcommand }
        if let meant { command.arguments = (own.arguments ?? []) + (meant.arguments ?? []) }
        let name = ([ProgramName.current] + path).joined(separator: " ")
        var parts = ["\(name): \(wrapped(command.abstract ?? "", indent: 0, first: name.count + 2))"]
        if let examples = command.examples, !examples.isEmpty {
            parts.append(section("Examples", examples.map { "  \($0.words)\n" + paragraph($0.does, indent: 6) }))
        }
        parts.append(section("Usage", [paragraph(usage(command, name), indent: 2)]))
        if let discussion = command.discussion, !discussion.isEmpty {
            parts += discussion.split(separator: "\n\n").map { paragraph(String($0), indent: 0) }
        }
        parts += groups(command.arguments ?? [], name)
        parts += commands(command, path)
        if let exits = command.exits { parts.append(section("Exit codes", [paragraph(exits, indent: 2)])) }
        return parts.joined(separator: "\n\n")
    }

    /// Returns the page of a topic that several commands share.
    func text(_ topic: HelpTree.Topic) -> String {
        var parts = [topic.title]
        // Lines that begin with a space are kept unchanged.
        parts += topic.text.split(separator: "\n\n").map {
            $0.hasPrefix(" ") ? String($0) : paragraph(String($0), indent: 0)
        }
        for title in HelpGroups.titles {
            let own = topic.arguments.filter { $0.sectionTitle == title }
            if !own.isEmpty { parts.append(section(title, rows(own))) }
        }
        return parts.joined(separator: "\n\n")
    }

    private func usage(_ command: HelpTree.Command, _ name: String) -> String {
        let shown = (command.arguments ?? []).filter(\.shouldDisplay)
        var words = [name]
        if shown.contains(where: { !$0.isPositional && $0.sectionTitle != nil }) { words.append("[options]") }
        for argument in shown where argument.isPositional {
            let word = argument.label + (argument.isRepeating ? " ..." : "")
            words.append(argument.isOptional ? "[\(word)]" : word)
        }
        if !command.shown.isEmpty, command.defaultSubcommand == nil { words.append("<command>") }
        return words.joined(separator: " ")
    }

    private func groups(_ arguments: [HelpTree.Argument], _ name: String) -> [String] {
        let shown = arguments.filter(\.shouldDisplay)
        var parts: [String] = []
        let positional = shown.filter(\.isPositional)
        if !positional.isEmpty { parts.append(section("Arguments", rows(positional))) }
        for title in HelpGroups.titles + [HelpGroups.other] {
            let own = shown.filter { $0.sectionTitle == title && HelpGroups.topic(of: $0) == nil }
            if !own.isEmpty { parts.append(section(title, rows(own))) }
        }
        let shared = shown.filter { HelpGroups.topic(of: $0) != nil }
        if !shared.isEmpty {
            let names = shared.compactMap { $0.longName.map { "--" + $0 } }.joined(separator: ", ")
            let text =
                "\(names): these options work the same way in all commands. See '\(ProgramName.current) help network'."
            parts.append(
                section(shared.count > 3 ? "Network and safety" : "Safety", [paragraph(text, indent: 2)]))
        }
        return parts
    }

    /// Returns options, each with its description. The two names of a switch share a row.
    private func rows(_ arguments: [HelpTree.Argument]) -> [String] {
        let names = Set(arguments.compactMap(\.longName))
        return arguments.compactMap { argument in
            let name = argument.longName ?? ""
            if name.hasPrefix("no-"), names.contains(String(name.dropFirst(3))) { return nil }
            return row(names.contains("no-" + name) ? "--\(name), --no-\(name)" : argument.label, argument.sentence)
        }
    }

    private func row(_ label: String, _ text: String) -> String {
        let body = paragraph(text, indent: HelpPage.column)
        guard label.count + 4 <= HelpPage.column else { return "  \(label)\n\(body)" }
        return "  " + label + body.dropFirst(label.count + 2)
    }

    private func commands(_ command: HelpTree.Command, _ path: [String]) -> [String] {
        guard !command.shown.isEmpty else { return [] }
        var left = command.shown
        var parts: [String] = []
        for (title, names) in path.isEmpty ? HelpTexts.commandGroups : [] {
            let own = names.compactMap { name in left.first { $0.commandName == name } }
            left.removeAll { command in names.contains(command.commandName) }
            if !own.isEmpty { parts.append(section(title, own.map { row($0.commandName, $0.abstract ?? "") })) }
        }
        if !left.isEmpty { parts.append(section("Commands", left.map { row($0.commandName, $0.abstract ?? "") })) }
        let topics = path.isEmpty ? HelpTexts.topics.map { "'\(ProgramName.current) help \($0.name)'" } : []
        let words = ([ProgramName.current, "help"] + path + ["COMMAND"]).joined(separator: " ")
        let ways =
            ["'\(words)' for a command"]
            + (topics.isEmpty ? [] : ["\(topics.joined(separator: " and ")) for topics that commands share"])
        return parts + [paragraph("More: \(ways.joined(separator: ", ")).", indent: 0)]
    }

    private func section(_ title: String, _ lines: [String]) -> String {
        ([title.uppercased() + ":"] + lines).joined(separator: "\n")
    }

    /// Returns text in indented lines.
    private func paragraph(_ text: String, indent: Int) -> String {
        String(repeating: " ", count: indent) + wrapped(text, indent: indent, first: indent)
    }

    /// - Parameter first: the column at which the first line begins.
    private func wrapped(_ text: String, indent: Int, first: Int) -> String {
        var (lines, used, isFirst) = ("", first, true)
        for word in text.split(whereSeparator: \.isWhitespace) {
            if !isFirst, used + 1 + word.count > width {
                lines += "\n" + String(repeating: " ", count: indent)
                used = indent
            } else if !isFirst {
                lines += " "
                used += 1
            }
            lines += word
            used += word.count
            isFirst = false
        }
        return lines
    }
}
#endif
