#if CommandLine
internal import ArgumentParser
internal import ScrubFileIO
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// The rules for following a library, and for films that are gone.
struct BatchWatchArguments: ParsableArguments {
    @Flag(
        help:
            "Go on when all is done, and work on films as they come or change, until Ctrl-C or SIGTERM."
    )
    var watch = false

    @Option(
        help: "With --watch, how many seconds a film must have been unchanged before it is begun. Default: 5.")
    var settle: Int?

    @Flag(
        help:
            "Remove the results of films that are gone, unless their folder is missing or more than half of all films are gone at once."
    )
    var deleteGone = false

    @Option(
        help:
            "Answer GET /metrics on this port in Prometheus' text format; 0 takes any free port.")
    var metricsPort: Int?

    @Option(help: "The address that --metrics-port listens on. Default: 127.0.0.1, this machine alone.")
    var metricsHost: String?

    func validate() throws {
        try OptionRange.check("--settle", settle, 0...86_400)
        try OptionRange.check("--metrics-port", metricsPort, 0...65_535)
        if settle != nil, !watch {
            throw ValidationError("--settle says when a film that is followed is begun: give --watch too")
        }
        if metricsHost != nil, metricsPort == nil {
            throw ValidationError("--metrics-host is of no use without --metrics-port: give both")
        }
    }

    /// Returns the names of roots for films that may be found to be gone one day. They begin with `/`, whatever folder
    /// the command is given in.
    func names(_ typed: [String]) throws(ScrubError) -> [String] {
        guard watch || deleteGone else { return typed }
        return try typed.map { (name) throws(ScrubError) in
            guard FileFacts(path: name)?.kind == .folder else {
                guard FileFacts(path: name) != nil else { return name }
                let option = watch ? "--watch" : "--delete-gone"
                throw ScrubError(
                    .usage, "is not a folder: files that come and go are only seen in folders", file: name,
                    advice: "give \(option) the folders that the films are in, or leave \(option) out")
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
