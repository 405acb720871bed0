#if CommandLine
internal import ArgumentParser
internal import ScrubFileIO
internal import Glibc
internal import Scrub
internal import ScrubTerminal
internal import ScrubBase
internal import ScrubPlayers

/// `scrub view --terminal`: films in the terminal, frame by frame, for machines without a browser.
enum TerminalViewer {
    /// Shows films until the user quits, and then reports those that could not be opened.
    ///
    /// - Parameters:
    ///   - media: files, folders of them, and addresses; one or more.
    ///   - stream: the stream's index in each file.
    ///   - memory: the MiB for pictures.
    ///   - graphics: the way pictures are shown; `nil` for the best one that the terminal supports.
    /// - Throws: an exit code, after the reason was printed.
    static func run(
        _ media: [MediaName], stream: Int? = nil, cache: VideoAsset.IndexCache = .standard, network: NetworkArguments,
        memory: Int = 256, graphics: TerminalGraphics? = nil
    ) throws {
        var failures: [(name: String, error: ScrubError)] = []
        try reportingErrors(nil) { () throws(ScrubError) in
            let session = try checkedTerminal()
            let access = MediaAccess(cache: cache, network: network)
            var options = VideoAsset.OpenOptions(stream: stream, cache: cache)
            options.limits = access.limits
            let films = try expanded(media).map { medium in
                TerminalScrubber.Film(name: medium.shown.lastPathComponent) {
                    @Sendable [options] () throws(ScrubError) in
                    // Nothing else may write while pictures use the terminal.
                    try VideoAsset(
                        try access.source(medium), options: options, savesBeside: true)
                }
            }
            let names = films.map(\.name)
            FetchMeter.shared.silence()
            let interrupt = Interrupt(nil)
            let scrubber = try TerminalScrubber(films, byteLimit: memory << 20, graphics: graphics, session: session)
            let failed = try scrubber.run { interrupt.isRequested }
            failures = failed.sorted { $0.key < $1.key }.map { (names[$0.key], $0.value) }
        }
        for (name, error) in failures { Terminal.complain(error.inFile(name).wording) }
        if let worst = failures.map(\.error.code.exitStatus).max() { throw ExitCode(worst) }
    }

    /// - Throws: `usage` if there is no terminal for pictures or keys.
    private static func checkedTerminal() throws(ScrubError) -> TerminalSession {
        guard isatty(STDOUT_FILENO) == 1 else {
            throw ScrubError.wrongRequest(
                "standard output is not a terminal",
                advice: "omit --terminal to use the browser, or write frames to files with scrub seek --output")
        }
        guard isatty(STDIN_FILENO) == 1 else {
            throw ScrubError.wrongRequest(
                "standard input is not a terminal, so keys cannot be read", advice: "redirect it: </dev/tty")
        }
        return try TerminalSession(options: .init(reportsMouse: true))
    }

    /// Folders, expanded to the files in them, which may or may not be videos.
    private static func expanded(_ media: [MediaName]) throws(ScrubError) -> [MediaName] {
        var all: [MediaName] = []
        for medium in media {
            guard !medium.isRemote, let found = try? Folder.files(in: medium.typed, depth: 0) else {
                all.append(medium)
                continue
            }
            let files = found.filter { !$0.hasPrefix(".") }
            guard !files.isEmpty else {
                throw ScrubError(
                    .noInput, "it contains no files", file: medium.said, advice: "specify files or another folder")
            }
            all += files.map { MediaName(argument: medium.typed + "/" + $0) }
        }
        return all
    }
}
#endif
