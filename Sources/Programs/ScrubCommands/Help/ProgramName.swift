#if CommandLine
internal import ArgumentParser
internal import Scrub

/// The name of the program: `scrub`, or `scrub-video` if it was called by that name.
///
/// Debian has a disk wiper called scrub, which overwrites the files that it is given. Therefore, the packages call this
/// program `scrub-video`, and all commands in its messages then begin with that name.
enum ProgramName {
    private static let usual = "scrub"
    private static let packaged = "scrub-video"

    /// The name of this process.
    static let current = name(calledBy: Process.arguments.first ?? usual)

    /// Returns the name of a process.
    ///
    /// - Parameter word: its first word, a path or a name.
    static func name(calledBy word: String) -> String { word.lastPathComponent == packaged ? packaged : usual }

    /// A text with this process's name in its commands, such as `scrub seek`.
    static func inCommands(of text: String) -> String {
        guard current != usual else { return text }
        var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        for place in words.indices.dropLast() where isName(words[place]) && isCommand(words[place + 1]) {
            words[place] = String(words[place].dropLast(usual.count)) + current
        }
        return words.joined(separator: " ")
    }

    /// Whether a word ends with the program's name, possibly after a quote, a bracket or a line break.
    private static func isName(_ word: String) -> Bool {
        guard word.hasSuffix(usual) else { return false }
        return word.dropLast(usual.count).last.map { !$0.isLetter && !"-_./".contains($0) } ?? true
    }

    private static func isCommand(_ word: String) -> Bool {
        let name = word.prefix { $0.isLetter || $0 == "-" }
        return name == "help" || name == "COMMAND" || name.hasPrefix("--") || commands.contains(String(name))
    }

    private static let commands = Set(
        ScrubCommand.configuration.subcommands.compactMap { $0.configuration.commandName })
}
#endif
