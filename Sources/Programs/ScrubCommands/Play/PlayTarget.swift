#if CommandLine
internal import ScrubFileIO
internal import Scrub
internal import ScrubPlayers
internal import ScrubTerminal
internal import ScrubBase

/// The target of `scrub play`'s frames.
enum PlayTarget {
    case y4m(path: String, times: String?, replacesFiles: Bool)
    case raw(path: String, isRGB: Bool, hasRecords: Bool, replacesFiles: Bool)
    case png(folder: String, pattern: String, replacesFiles: Bool)
    case terminal
    case null

    /// - Throws: `usage` if the target is a file that must not be replaced.
    init(_ command: PlayCommand) throws(ScrubError) {
        let replacesFiles = command.others.replace
        for path in [command.y4m, command.raw] where path != "-" {
            if let path { _ = try OutputFile(path, .stream, replacesFiles: replacesFiles) }
        }
        if let path = command.times { _ = try OutputFile(path, .times, replacesFiles: replacesFiles) }
        if let path = command.y4m {
            self = .y4m(path: path, times: command.times, replacesFiles: replacesFiles)
        } else if let path = command.raw {
            self = .raw(
                path: path, isRGB: command.rgb, hasRecords: command.records, replacesFiles: replacesFiles)
        } else if let path = command.png {
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
            let folder = slash.map { String(path[..<$0]) } ?? "."
            let pattern = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
            self = .png(folder: folder.isEmpty ? "/" : folder, pattern: pattern, replacesFiles: replacesFiles)
        } else if command.terminal || (!command.null && !command.json && !command.events && Terminal.isOutputWatched) {
            self = .terminal
        } else {
            self = .null
        }
    }

    /// Whether a person is watching, for whom a wait is worse than a missing frame.
    var isWatched: Bool { if case .terminal = self { true } else { false } }

    /// Whether frames go to standard output, so that there is no room for text.
    var takesStandardOutput: Bool {
        switch self {
        case .y4m(let path, _, _), .raw(let path, _, _, _): path == "-" || path == "/dev/stdout" || path == "/dev/fd/1"
        case .png, .terminal, .null: false
        }
    }

    /// Opens the target; a terminal is opened by its session.
    func open() throws(ScrubError) -> any FrameSink {
        switch self {
        case .y4m(let path, let times, let replacesFiles):
            let options = Y4MSink.Options(timesPath: times, replacesFiles: replacesFiles)
            try makeFolders(above: [path, times])
            return path == "-"
                ? try Y4MSink(descriptor: 1, options: options) : try Y4MSink(path: path, options: options)
        case .raw(let path, let isRGB, let hasRecords, let replacesFiles):
            let (format, header) = (
                isRGB ? RawFrameSink.Format.rgb24 : .native, hasRecords ? RawFrameSink.Header.record : .none
            )
            try makeFolders(above: [path])
            return path == "-"
                ? RawFrameSink(descriptor: 1, format: format, header: header)
                : try RawFrameSink(path: path, format: format, header: header, replacesFiles: replacesFiles)
        case .png(let folder, let pattern, let replacesFiles):
            return try PNGSequenceSink(folder: folder, pattern: pattern, replacesFiles: replacesFiles)
        case .terminal: return try TerminalSink(TerminalSession())
        case .null: return NullSink()
        }
    }

    /// As for every output, missing parent folders are created.
    private func makeFolders(above paths: [String?]) throws(ScrubError) {
        for path in paths {
            if let path, path != "-", let folder = Folder.folder(of: path) { try Folder.make(folder) }
        }
    }
}
#endif
