#if CommandLine
public import ArgumentParser

/// The viewer's options, shared by `scrub view` and `scrub-view`.
public struct ViewOptions: ParsableArguments, Sendable {
    /// Files, folders and addresses, as typed.
    @Argument(
        help: ArgumentHelp(
            "Videos: files, folders of videos, or http:// and https:// addresses.", valueName: "file"),
        completion: .file())
    public var media: [String]

    /// The address to listen on.
    @Option(
        help: ArgumentHelp(
            "The address to listen on; if other machines can reach it, the printed address contains a token.",
            valueName: "address"))
    public var host = "127.0.0.1"

    /// The port to listen on.
    @Option(
        help: ArgumentHelp(
            "The port to listen on; 0 means any free port. Default: 8577, or the next free port.",
            valueName: "number"))
    public var port: Int?

    /// The default port, unless another program is using it. It is always the same, because the browser stores marks
    /// separately for each port.
    public static let usualPort = 8577

    /// Whether to open the page in the browser.
    @Flag(help: "Open the page in the browser.")
    public var open = false

    /// Whether the first line of output is a JSON object.
    @Flag(help: "Print one JSON object with the address as soon as the server accepts requests.")
    public var json = false

    /// Whether to show the videos in the terminal.
    @Flag(help: "Show the videos in this terminal, without a server.")
    public var terminal = false

    /// Whether a token is required even on this machine.
    @Flag(help: "Require a token even on this machine, for example because other people use it too.")
    public var token = false

    /// The maximum memory for decoded pictures.
    @Option(help: ArgumentHelp("The maximum memory for decoded pictures, in MiB.", valueName: "MiB"))
    public var memory = 512

    /// The stream's index in each file.
    @Option(parsing: .unconditional, help: "The stream's index in each file, as in ffmpeg's -map 0:N.")
    public var stream: Int?

    /// Whether to work without the cache.
    @Flag(
        help:
            "Do not use the cache, which contains saved indexes and fetched media (in $SCRUB_CACHE_DIR, or else $XDG_CACHE_HOME/scrub, or else ~/.cache/scrub)."
    )
    public var noCache = false

    /// A folder with page files, for developers of the page.
    @Option(help: ArgumentHelp("Serve the page's files from a folder.", visibility: .hidden))
    public var page: String?

    /// Creates options with default values.
    public init() {}

    /// Rejects values that are out of range.
    public func validate() throws {
        if let port, !(0...65535).contains(port) {
            throw ValidationError("--port \(port) is out of range: use 0 to 65535")
        }
        guard (64...65536).contains(memory) else {
            throw ValidationError("--memory \(memory) is out of range: use 64 to 65536 MiB")
        }
        if let stream, !(0...Int(Int32.max)).contains(stream) {
            throw ValidationError("--stream \(stream) is out of range: streams are counted from 0")
        }
    }
}
#endif
