internal import ArgumentParser
internal import Scrub
internal import ScrubPlayers

/// `scrub view-terminal`: what `scrub view --terminal` does, by itself.
struct TerminalViewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view-terminal", abstract: "Look at videos in the terminal, frame by frame.", shouldDisplay: false)

    @OptionGroup var input: FilesArguments

    @Option(
        help: "How pictures are shown, whatever the terminal says it can: kitty, sixel, trueColor or indexedColor.",
        transform: {
            guard let graphics = TerminalGraphics(rawValue: $0) else { throw ValidationError("'\($0)' is no such way") }
            return graphics
        })
    var graphics: TerminalGraphics?

    @Option(help: "The most memory for decoded pictures, in MiB.")
    var memory = 256

    @OptionGroup var network: NetworkArguments

    func validate() throws { try OptionRange.check("--memory", memory, OptionRange.mebibytes) }

    func run() throws {
        try TerminalViewer.run(
            input.files, stream: input.stream, cache: input.cache.choice, network: network, memory: memory,
            graphics: graphics)
    }
}
