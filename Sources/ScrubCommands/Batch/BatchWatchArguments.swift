internal import ArgumentParser
internal import FileIO
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// How a library is followed, and what is done about films that are gone.
struct BatchWatchArguments: ParsableArguments {
    @Flag(
        help:
            "Go on when all is done: films that come, change or go are followed until the command is ended (Ctrl-C, SIGTERM)."
    )
    var watch = false

    @Option(
        help: "With --watch: seconds that nothing may have happened to a film before it is begun (else: 5).")
    var settle: Int?

    @Flag(
        help:
            "Remove the results of films that are gone: not of a folder that is missing or empty, and not of more than half of all films at once."
    )
    var deleteGone = false

    @Option(
        help:
            "Answer GET /metrics on this port while it runs, in Prometheus' text format; 0 for any port that is free.")
    var metricsPort: Int?

    @Option(help: "The address that the port is on, for other machines than this one; without it 127.0.0.1.")
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

    /// The names of roots as films are known by that may be found to be gone one day: from `/`, whatever folder the command is given in.
    func names(_ typed: [String]) throws(ScrubError) -> [String] {
        guard watch || deleteGone else { return typed }
        return try typed.map { (name) throws(ScrubError) in
            guard FileFacts(path: name)?.kind == .folder else {
                guard FileFacts(path: name) != nil else { return name }
                let option = watch ? "--watch" : "--delete-gone"
                throw ScrubError(
                    .usage, "is no folder: what comes and goes is seen in folders alone", file: name,
                    advice: "give \(option) the folders that the films are in, or leave \(option) out")
            }
            var path = Folder.absolute(name)
            while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
            return path
        }
    }

    /// The folders among sources.
    static func roots(_ sources: [BatchSource]) -> [WatchRoot] {
        sources.compactMap { source in
            guard case .folder(let path, let prefix) = source else { return nil }
            return WatchRoot(path: path, prefix: prefix)
        }
    }
}
