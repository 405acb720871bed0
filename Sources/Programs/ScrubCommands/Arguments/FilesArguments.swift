#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import Scrub
internal import ScrubReports

/// Several files, and how to open each.
struct FilesArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Videos: files, or http:// and https:// addresses.", valueName: "file"), completion: .file())
    var files: [MediaName]

    @Option(parsing: .unconditional, help: "The stream's index in each file, as in ffmpeg's -map 0:N.")
    var stream: Int?

    @OptionGroup var cache: CacheArguments

    /// Returns the access to the media.
    func access(_ network: NetworkArguments) -> MediaAccess { MediaAccess(cache: cache.choice, network: network) }

    func validate() throws { try FileArguments.check(stream: stream) }

    /// Opens one of the files.
    func open(_ file: MediaName, _ network: NetworkArguments) throws(ScrubError) -> VideoAsset {
        try openVideo(file, stream: stream, access(network))
    }

    /// Opens one of the files without its warnings, while a new index is saved.
    func begin(_ file: MediaName, _ network: NetworkArguments) throws(ScrubError) -> VideoAsset {
        try beginVideo(file, stream: stream, access(network), savesBeside: true)
    }
}

/// Runs a command's body for each file, even after one has failed, and prints a summary on standard error.
///
/// - Parameters:
///   - json: whether a failed file has its own JSON object, like every other file.
///   - body: returns a failure that the file's own object already reports.
/// - Throws: the highest exit code of all files; at once if standard output accepts no more.
func forEachFile(
    _ files: [MediaName], json: Bool, _ body: (MediaName) throws(ScrubError) -> ScrubError?
) throws {
    var (worst, failures) = (Int32(0), 0)
    for (done, file) in files.enumerated() {
        if files.count > 1 {
            Interrupt.leaves {
                "\(done) of \(files.count) files were processed; the others were interrupted or not started"
            }
        }
        do {
            try reportingErrors(file.said) { () throws(ScrubError) in
                let told: ScrubError?
                do throws(ScrubError) {
                    told = try body(file)
                } catch {
                    if json, !Terminal.isBroken { Terminal.print(FileFailure.json(of: error, in: file).text) }
                    throw error
                }
                if let told { throw told }
            }
        } catch let code as ExitCode {
            failures += 1
            worst = max(worst, code.rawValue)
            if Terminal.isBroken { break }
        }
    }
    guard failures > 0 else { return }
    if files.count > 1, !Terminal.isBroken {
        Terminal.complain("\(failures) of \(Amount.of(files.count, "file")) failed")
    }
    throw ExitCode(worst)
}

/// The object that programs receive for a failed file.
enum FileFailure {
    /// Returns an object with `file`, `error`, `hint` and `exit`.
    static func json(of error: ScrubError, in file: MediaName) -> JSONText {
        var line = JSONText()
        line.add(path: file.shown)
        add(error, in: file, to: &line)
        return line
    }

    /// Returns the object for a position without a frame, with `requested`, `error`, `hint` and `exit`.
    static func json(of error: ScrubError, requested: String, in file: MediaName) -> JSONText {
        var line = JSONText()
        line.add("requested", requested)
        add(error, in: file, to: &line)
        return line
    }

    /// Adds `error`, the message on standard error, `hint`, the advice, and `exit`, the exit code for this error alone.
    static func add(_ error: ScrubError, in file: MediaName, to line: inout JSONText) {
        line.add("error", error.inFile(file.said).description(for: .command))
        line.add("hint", ProgramName.inCommands(of: error.remedy(for: .command)))
        line.add("exit", Int(error.code.exitStatus))
    }
}
#endif
