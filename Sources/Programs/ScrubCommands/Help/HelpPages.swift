#if CommandLine
internal import ArgumentParser
internal import FoundationEssentials

/// Help on request: `scrub help …`, `--help`, and for the manual.
enum HelpPages {
    /// Returns the text for requests that the parser does not know: a topic, or everything for the manual. `nil` for
    /// everything else.
    static func answer(to words: [String]) -> String? {
        if words == ["--experimental-dump-help"] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            guard let tree = try? HelpTree.make(), let bytes = try? encoder.encode(tree) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        guard words.count == 2, words[0] == "help", let tree = try? HelpTree.make(),
            let topic = tree.topics?.first(where: { $0.name == words[1] })
        else { return nil }
        return page.text(topic)
    }

    /// Returns the page that replaces the parser's own; `nil` for other texts.
    static func page(insteadOf text: String) -> String? {
        guard text.hasPrefix("OVERVIEW: "), let usage = text.firstRange(of: "USAGE: \(ProgramName.current)"),
            let tree = try? HelpTree.make()
        else { return nil }
        var path: [String] = []
        for word in text[usage.upperBound...].prefix(while: { $0 != "\n" }).split(separator: " ") {
            guard tree.command(path + [String(word)]) != nil else { break }
            path.append(String(word))
        }
        return tree.command(path).map { page.text($0, path: path) }
    }

    private static var page: HelpPage { HelpPage(width: Terminal.isOutputWatched ? Terminal.width : 80) }
}
#endif
