#if CommandLine
public import ArgumentParser

/// The viewer's options: the same words for `scrub view` and `scrub-view`.
public struct ViewOptions: ParsableArguments, Sendable {
    /// Files, folders and addresses, as they were typed.
    @Argument(
        help: ArgumentHelp(
            "Videos: files, folders of them, or http:// and https:// addresses.", valueName: "file"),
        completion: .file())
    public var media: [String]

    /// The address on which it listens.
    @Option(
        help: ArgumentHelp(
            "The address to listen on; for other machines than this one, the printed address has a token in it.",
            valueName: "address"))
    public var host = "127.0.0.1"

    /// The port.
    @Option(
        help: ArgumentHelp(
            "The port to listen on; 0 takes any free one. Default: 8577, or the next free one.",
            valueName: "number"))
    public var port: Int?

    /// The default port, unless another program has it: always the same, so that the browser finds its marks again.
    public static let usualPort = 8577

    /// Whether a browser is told.
    @Flag(help: "Open the page in the browser.")
    public var open = false

    /// Whether the first line is an object.
    @Flag(help: "Print one JSON object with the address, as soon as it answers.")
    public var json = false

    /// Whether the terminal is the screen.
    @Flag(help: "Show the video in this terminal, without a server.")
    public var terminal = false

    /// Whether a token is asked for on this machine too.
    @Flag(help: "Ask for a token on this machine too, where other users are logged in.")
    public var token = false

    /// The most memory for decoded pictures.
    @Option(help: ArgumentHelp("The most memory for decoded pictures, in MiB.", valueName: "MiB"))
    public var memory = 512

    /// The stream's place in each file.
    @Option(parsing: .unconditional, help: "The stream's place in each file, as ffmpeg's -map 0:N counts.")
    public var stream: Int?

    /// Whether nothing is kept.
    @Flag(
        help:
            "Use and keep nothing in the cache: no saved indexes, no fetched media (the cache is $SCRUB_CACHE_DIR, else $XDG_CACHE_HOME/scrub, else ~/.cache/scrub)."
    )
    public var noCache = false

    /// The folder of the page's files, for developers of the page.
    @Option(help: ArgumentHelp("Serve the page's files from a folder.", visibility: .hidden))
    public var page: String?

    /// Makes options of nothing but defaults.
    public init() {}

    /// Refuses impossible values.
    public func validate() throws {
        if let port, !(0...65535).contains(port) {
            throw ValidationError("--port \(port) is out of range: give one from 0 to 65535")
        }
        guard (64...65536).contains(memory) else {
            throw ValidationError("--memory \(memory) is out of range: give 64 to 65536 MiB")
        }
        if let stream, !(0...Int(Int32.max)).contains(stream) {
            throw ValidationError("--stream \(stream) is out of range: streams are counted from 0")
        }
    }
}
#endif
