#if CommandLine
internal import ArgumentParser
internal import ScrubFileIO

/// A word that is not a command: the parser would call it and everything after it unexpected, and would show another
/// command's help.
enum UnknownCommand {
    /// Returns the error message for a command line's words; `nil` if they begin with a command, an option, or the
    /// parser's own words.
    static func complaint(about words: [String]) -> String? {
        guard let first = words.first else { return nil }
        guard first == "help" else { return complaint(about: first, below: ScrubCommand.configuration) }
        var configuration = ScrubCommand.configuration
        for word in words.dropFirst() where !word.hasPrefix("-") {
            if let complaint = complaint(about: word, below: configuration) { return complaint }
            guard let next = configuration.subcommands.first(where: { $0.configuration.commandName == word }) else {
                return nil
            }
            configuration = next.configuration
        }
        return nil
    }

    /// Returns the error message for a word that should be one of some commands.
    private static func complaint(about word: String, below configuration: CommandConfiguration) -> String? {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        guard !word.hasPrefix("-"), word != "help", !names.contains(word) else { return nil }
        if word.contains(".") || word.contains("/") {
            return
                "'\(word)' is not a command (specify a command, such as scrub seek '\(word)' 50%; scrub help lists all commands)"
        }
        let near = names.filter { distance(word, $0) <= max(1, $0.count / 3) }
        let guess = near.min { distance(word, $0) < distance(word, $1) }.map { "did you mean \($0)? " } ?? ""
        return "there is no command '\(word)' (\(guess)scrub help lists all commands)"
    }

    /// Returns the number of letters to change, add or remove to turn one word into another (Levenshtein 1965). A
    /// prefix of a word counts as one letter away from it.
    static func distance(_ word: String, _ other: String) -> Int {
        guard word.count <= 32 else { return .max }
        if word.count >= 2, other.hasPrefix(word) { return 1 }
        let letters = Array(other.lowercased())
        var row = Array(0...letters.count)
        for (index, letter) in word.lowercased().enumerated() {
            var corner = row[0]
            row[0] = index + 1
            for place in letters.indices {
                let changed = corner + (letters[place] == letter ? 0 : 1)
                corner = row[place + 1]
                row[place + 1] = min(changed, row[place] + 1, row[place + 1] + 1)
            }
        }
        return row[letters.count]
    }
}
#endif
