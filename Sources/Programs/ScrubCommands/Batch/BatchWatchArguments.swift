#if CommandLine
internal import ArgumentParser
internal import ScrubFileIO
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// The rules for watching a library, and for missing films.
struct BatchWatchArguments: ParsableArguments {
    @Flag(
        help:
            "Keep running when everything is done, and process films as they arrive or change, until Ctrl-C or SIGTERM."
    )
    var watch = false

    @Option(
        help: "With --watch, how many seconds a film must stay unchanged before it is processed. Default: 5.")
    var settle: Int?

    @Flag(
        help:
            "Remove the results of deleted films, unless the films' folder is missing or more than half of all films disappear at the same time."
    )
    var deleteGone = false

    @Option(
        help:
            "Serve GET /metrics on this port in Prometheus text format; 0 means any free port.")
    var metricsPort: Int?

    @Option(help: "The address that --metrics-port listens on. Default: 127.0.0.1, which only this machine can reach.")
    var metricsHost: String?

    func validate() throws {
        try OptionRange.check("--settle", settle, 0...86_400)
        try OptionRange.check("--metrics-port", metricsPort, 0...65_535)
        if settle != nil, !watch {
            throw ValidationError("--settle needs --watch: add --watch, or omit --settle")
        }
        if metricsHost != nil, metricsPort == nil {
            throw ValidationError("--metrics-host needs --metrics-port: use both")
        }
    }

    /// Returns the names of roots whose films may later be found missing. They begin with `/`, whatever the working
    /// directory.
    func names(_ typed: [String]) throws(ScrubError) -> [String] {
        guard watch || deleteGone else { return typed }
        return try typed.map { (name) throws(ScrubError) in
            guard FileFacts(path: name)?.kind == .folder else {
                guard FileFacts(path: name) != nil else { return name }
                let option = watch ? "--watch" : "--delete-gone"
                throw ScrubError(
                    .usage, "is not a folder: only folders can be watched for new and deleted files", file: name,
                    advice: "use \(option) with the films' folders, or omit \(option)")
            }
            var path = Folder.absolute(name)
            while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
            return path
        }
    }

    /// Returns the folders among sources.
    static func roots(_ sources: [BatchSource]) -> [WatchRoot] {
        sources.compactMap { source in
            guard case .folder(let path, let prefix) = source else { return nil }
            return WatchRoot(path: path, prefix: prefix)
        }
    }
}
#endif
