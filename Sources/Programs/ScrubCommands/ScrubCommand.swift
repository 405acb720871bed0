#if CommandLine
internal import ScrubBase
public import ArgumentParser
internal import ScrubFileIO
internal import Scrub
internal import ScrubLibAV
internal import ScrubMedia
internal import ScrubSources

/// The command `scrub`.
public struct ScrubCommand: ParsableCommand {
    /// The command's name, help and subcommands.
    public static let configuration = CommandConfiguration(
        commandName: ProgramName.current,
        abstract: "Find, view and index the exact frames of videos.",
        discussion: """
            FILE is a file's path, or an address that begins with http:// or https://. POSITION specifies one frame: \
            42%, 12.5s, 1:02.5, f1234, first or last. Parent folders of outputs are created if needed. --json prints \
            one JSON object per line, for other programs.
            'scrub --version' also lists the libraries in use.
            """,
        version: VersionReport.firstLine,
        subcommands: [
            SeekCommand.self, InfoCommand.self, FramesCommand.self, PlanCommand.self, IndexCommand.self,
            PreviewsCommand.self, StripCommand.self, PosterCommand.self, ThumbsCommand.self, SheetCommand.self,
            ScenesCommand.self,
            VerifySetCommand.self, ConvertCommand.self,
            GestureCommand.self, PlayCommand.self, ViewCommand.self, BatchCommand.self,
            VerifyCommand.self,
            BenchCommand.self, DriveCommand.self, CacheCommand.self,
        ])

    /// The prefix of usage errors, which is the same as for all other messages.
    public static var _errorLabel: String { "scrub" }

    /// Creates the command.
    public init() {}

    /// Runs the command with the process's arguments, and then terminates the process.
    public static func main() {
        LibraryLogging.begin()
        // First of all, while there is nothing yet that a worker should not have. The viewer's program, which replaces
        // this process, starts its own worker.
        if MediaSandbox.isOnCommandLine("--sandbox", "http://*", "https://*"),
            !MediaSandbox.isOnCommandLine("view") || MediaSandbox.isOnCommandLine("--terminal")
        {
            MediaSandbox.prepare()
        }
        MediaSandbox.runWorkerIfNeeded()
        Process.prepare()
        let words = Array(Process.arguments.dropFirst())
        if let page = VersionReport.answer(to: words) ?? HelpPages.answer(to: words) {
            print(page)
            Process.end()
        }
        if let complaint = UnknownCommand.complaint(about: Array(Process.arguments.dropFirst())) {
            Terminal.complain(complaint)
            Process.end(ScrubError.Code.usage.exitStatus)
        }
        if let verb = words.first, decodingVerbs.contains(verb), !words.contains("--help") { Libraries.loadAhead() }
        do {
            var command = try parseAsRoot(shieldingNegatives(Array(Process.arguments.dropFirst())))
            if let problem = CacheDirectory.limitProblem() { Terminal.say("warning: \(problem)") }
            CacheWarnings.shared.onWarning { Terminal.say("warning: \($0)") }
            try command.run()
        } catch {
            // As the parser ends a program, but without destructors. Threads that fetch or decode may still be running,
            // and would crash on freed objects.
            let (code, text) = (exitCode(for: error), fullMessage(for: error))
            if !text.isEmpty {
                let said = ProgramName.inCommands(of: code.isSuccess ? HelpPages.page(insteadOf: text) ?? text : text)
                code.isSuccess ? print(said) : Terminal.sayRaw(said + "\n")
            }
            Process.end(code.rawValue)
        }
        // Not `return`: the hundred libraries behind libavformat take milliseconds to clean up resources that the
        // system frees anyway. A command writes its output when its run ends.
        Process.end()
    }

    /// Commands that always decode. For the others, loading libav's libraries may be wasted.
    private static let decodingVerbs: Set = [
        "bench", "drive", "gesture", "play", "poster", "previews", "scenes", "seek", "sheet", "strip", "thumbs",
        "verify",
    ]

    /// The options of `seek` and `plan` that take the next word.
    private static let optionsWithValues: Set = [
        "-o", "--output", "--stream", "--format", "--width", "--height", "--quality", "--header", "--allow", "--deny",
        "--timeout", "--proxy", "--cacert", "--limit", "--sandbox-worker", "--patience", "--within",
    ]

    /// Moves the words that are not options behind `--` if one of them begins like a negative number. Otherwise, the
    /// parser would mistake `-1` or `-0.5s` for an option.
    static func shieldingNegatives(_ arguments: [String]) -> [String] {
        guard let name = arguments.first, name == "seek" || name == "plan" else { return arguments }
        var (options, others, hasNegative) = ([String](), [String](), false)
        var rest = arguments.dropFirst()
        while let word = rest.popFirst() {
            if word == "--" {
                others += rest
                break
            } else if optionsWithValues.contains(word) {
                options.append(word)
                if let value = rest.popFirst() { options.append(value) }
            } else if word.hasPrefix("-"), let second = word.dropFirst().first, !"0123456789.".contains(second) {
                options.append(word)
            } else {
                if word.hasPrefix("-"), word != "-" { hasNegative = true }
                others.append(word)
            }
        }
        return hasNegative ? [name] + options + ["--"] + others : arguments
    }
}

/// The file, and how to open it.
struct FileArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The video: a file, or an http:// or https:// address.", valueName: "file"),
        completion: .file())
    var medium: MediaName

    @Option(parsing: .unconditional, help: "The stream's index in the file, as in ffmpeg's -map 0:N.")
    var stream: Int?

    @OptionGroup var cache: CacheArguments

    /// The name in responses.
    var file: String { medium.shown }
    /// The name in messages.
    var said: String { medium.said }

    func validate() throws { try FileArguments.check(stream: stream) }

    /// Rejects numbers that no stream can have.
    static func check(stream: Int?) throws {
        if let stream, stream < 0 {
            throw ValidationError("--stream \(stream) is out of range: streams are counted from 0")
        }
        try OptionRange.check("--stream", stream, 0...Int(Int32.max))
    }

    /// Returns the access to the file.
    func access(_ network: NetworkArguments) -> MediaAccess { MediaAccess(cache: cache.choice, network: network) }

    /// Opens the file.
    func open(_ network: NetworkArguments) throws(ScrubError) -> VideoAsset {
        try openVideo(medium, stream: stream, access(network))
    }
}

/// Whether anything is kept for the next time.
struct CacheArguments: ParsableArguments {
    @Flag(
        help:
            "Do not use the cache, which contains saved indexes and fetched media (in $SCRUB_CACHE_DIR, or else $XDG_CACHE_HOME/scrub, or else ~/.cache/scrub)."
    )
    var noCache = false

    var choice: VideoAsset.IndexCache { noCache ? .none : .standard }
}

/// Prints the warnings from opening, once the index is saved.
func sayWarnings(of asset: VideoAsset, saysMissing: Bool = true) {
    if let problem = asset.openReport.cacheProblem { CacheWarnings.shared.tell(problem) }
    if saysMissing, let missing = asset.missingMedia { Terminal.say("\(asset.path): warning: \(missing)") }
}

/// Runs a command's body and turns its error into a sentence on standard error and an exit code.
///
/// - Parameter file: the file for errors that do not name one; `nil` while the command line itself is parsed.
func reportingErrors(_ file: String?, _ body: () throws(ScrubError) -> Void) throws {
    do throws(ScrubError) {
        defer { endFetching() }
        try body()
        try Terminal.flush()
        Interrupt.endIfRequested()
    } catch {
        // Findings before the failure are printed first, for readers that see both streams.
        try? Terminal.flush()
        Terminal.complain((file.map { error.inFile($0) } ?? error).wording)
        Interrupt.endIfRequested(saying: false)
        throw ExitCode(error.code.exitStatus)
    }
}

/// Saves fetched bytes, now that no work is waiting, and reports them.
func endFetching() {
    FetchMeter.shared.settle()
    NetworkService.shared.flush()
    FetchMeter.shared.sayNews()
}
#endif
