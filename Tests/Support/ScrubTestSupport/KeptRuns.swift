internal import Foundation
internal import Glibc
internal import ScrubHashing

/// The results of ffmpeg and ffprobe, by their command lines. A clip that several tests want is encoded once, a file is
/// decoded once, and the next run of the suite finds both.
///
/// The key has all that decides about the result: the version of FFmpeg, the words, and the bytes of each file that is
/// read. Of the file's name it has the extension, not the place. A command line whose files cannot all be told
/// (playlists, numbered pictures, several outputs) is run each time; so is one that fails. Entries lie in the user's
/// cache folder, for all clones: `~/.cache/scrub-kept-runs`. Entries that were not asked for in two weeks go.
/// `SCRUB_KEPT_RUNS=FOLDER` names another folder, and with `SCRUB_KEPT_RUNS=0` everything is run.
enum KeptRuns {
    /// The folder of the entries; `nil` if it cannot be made.
    private static let folder: String? = {
        let environment = ProcessInfo.processInfo.environment
        let word = environment["SCRUB_KEPT_RUNS"]
        guard word != "0" else { return nil }
        let caches = environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
        let path = word ?? caches + "/scrub-kept-runs"
        let files = FileManager.default
        try? files.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard files.isWritableFile(atPath: path) else { return nil }
        for name in TemporaryFolder.names(path) where age(path + "/" + name) > 14 * 86400 {
            try? files.removeItem(atPath: path + "/" + name)
        }
        return path
    }()

    private static func age(_ path: String) -> TimeInterval {
        let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        return -(date ?? Date()).timeIntervalSinceNow
    }

    /// The versions of the programs and the libraries.
    private static let version = (try? Tool.start("ffmpeg", ["-version"]))?.output ?? "unknown"

    static func run(_ program: String, _ words: [String], in place: String?) throws -> Tool.Result {
        guard let folder, let run = CommandLineFiles(program, words, in: place),
            let key = run.key(version: version)
        else { return try Tool.start(program, words, in: place) }
        let bytes = Array(key.utf8)
        let name = [0, 1].map { String(xxh3(bytes, seed: $0), radix: 16) }.joined(separator: "-")
        let entry = folder + "/" + name
        if let kept = try take(entry, key, run) { return kept }
        // A caller that wants the same at the same time waits, in this process and in others.
        let lock = open(folder + "/" + name + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard lock >= 0 else { return try Tool.start(program, words, in: place) }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 && errno == EINTR {}
        if let kept = try take(entry, key, run) { return kept }
        let result = try Tool.start(program, words, in: place)
        if result.status == 0 { try? keep(result, entry, key, run) }
        return result
    }

    /// Returns a kept result, with the file that was made in its place.
    private static func take(_ entry: String, _ key: String, _ run: CommandLineFiles) throws -> Tool.Result? {
        let files = FileManager.default
        guard files.contents(atPath: entry + "/key") == Data(key.utf8),
            let bytes = files.contents(atPath: entry + "/stdout"),
            let errors = files.contents(atPath: entry + "/stderr")
        else { return nil }
        try? files.setAttributes([.modificationDate: Date()], ofItemAtPath: entry)
        if let output = run.output {
            guard let made = files.contents(atPath: entry + "/made") else { return nil }
            // A new file: the present one may be open, or a link.
            unlink(output)
            try made.write(to: URL(filePath: output))
        }
        return Tool.Result(status: 0, bytes: bytes, errors: String(decoding: errors, as: UTF8.self))
    }

    /// Whether a path occurs in the output: pictures are many megabytes, and no text.
    private static func names(_ path: String, _ bytes: Data) -> Bool {
        bytes.range(of: Data(path.utf8)) != nil
    }

    private static func keep(_ result: Tool.Result, _ entry: String, _ key: String, _ run: CommandLineFiles) throws {
        // A result that names its input's place is true of that place only.
        guard result.bytes.count <= 64 << 20 else { return }
        let errors = Data(result.errors.utf8)
        guard !run.inputs.contains(where: { names($0, result.bytes) || names($0, errors) }) else { return }
        let files = FileManager.default
        let draft = entry + "." + UUID().uuidString
        defer { try? files.removeItem(atPath: draft) }
        try files.createDirectory(atPath: draft, withIntermediateDirectories: false)
        if let output = run.output {
            try Data(contentsOf: URL(filePath: output)).write(to: URL(filePath: draft + "/made"))
        }
        try result.bytes.write(to: URL(filePath: draft + "/stdout"))
        try errors.write(to: URL(filePath: draft + "/stderr"))
        try Data(key.utf8).write(to: URL(filePath: draft + "/key"))
        rename(draft, entry)
    }
}

/// The files that a command line of ffmpeg or ffprobe reads and makes.
struct CommandLineFiles {
    private(set) var inputs: [String] = []
    private(set) var output: String?
    /// The words, `nil` in the place of an input.
    private var words: [String?] = []
    private let program: String

    /// Inputs and outputs that are more than one file, or none of their own.
    private static let otherFormats: Set<String> = [
        "concat", "hls", "dash", "tee", "segment", "stream_segment", "ssegment", "image2", "smoothstreaming",
    ]
    private static let lists: Set<String> = ["m3u8", "mpd", "txt", "ffconcat", "sdp", "ism"]

    /// `nil` for a command line of which the files cannot all be told.
    init?(_ program: String, _ arguments: [String], in place: String?) {
        self.program = program
        let folder = place ?? FileManager.default.currentDirectoryPath
        func path(_ word: String) -> String { word.hasPrefix("/") ? word : folder + "/" + word }
        func isPlain(_ word: String) -> Bool {
            !word.contains("%") && !word.contains(":")
                && !CommandLineFiles.lists.contains(URL(filePath: word).pathExtension)
        }
        var (format, index) = ("", 0)
        while index < arguments.count {
            let word = arguments[index]
            let isLast = index == arguments.count - 1
            let isInput = index > 0 && arguments[index - 1] == "-i"
            if index > 0, arguments[index - 1] == "-f" { format = word }
            if CommandLineFiles.otherFormats.contains(format) { return nil }
            if isInput && format == "lavfi" {
                guard !word.contains("movie"), !word.contains("file") else { return nil }
                words.append(word)
            } else if isInput || (isLast && program == "ffprobe" && !word.hasPrefix("-")) {
                guard isPlain(word), CommandLineFiles.isFile(path(word)) else { return nil }
                inputs.append(path(word))
                words.append(nil)
            } else if isLast && program == "ffmpeg" && !word.hasPrefix("-") && word != "pipe:1" {
                guard isPlain(word), !inputs.contains(path(word)) else { return nil }
                if FileManager.default.fileExists(atPath: path(word)) && !arguments.contains("-y") { return nil }
                output = path(word)
                // ffmpeg chooses by the name what it makes; a few muxers write the name too.
                words.append(URL(filePath: word).lastPathComponent)
            } else {
                // Another file: a key, a cover, a second output.
                if word.hasPrefix("/") || word.contains(NSTemporaryDirectory()) { return nil }
                if !word.hasPrefix("-"), FileManager.default.fileExists(atPath: path(word)) { return nil }
                words.append(word)
            }
            if isInput { format = "" }
            index += 1
        }
    }

    private static func isFile(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType) == .typeRegular
    }

    /// Returns the key of all that decides about the result; `nil` if an input cannot be read.
    func key(version: String) -> String? {
        var lines = [version, program]
        var place = 0
        for word in words {
            if let word {
                lines.append("word " + word)
                continue
            }
            let input = inputs[place]
            place += 1
            guard let bytes = FileManager.default.contents(atPath: input).map({ Array($0) }) else { return nil }
            let hashes = [0, 1].map { String(xxh3(bytes, seed: $0), radix: 16) }.joined(separator: "-")
            lines.append("file \(hashes) \(bytes.count) \(URL(filePath: input).pathExtension)")
        }
        return lines.joined(separator: "\n")
    }
}
