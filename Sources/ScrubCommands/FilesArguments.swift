internal import ArgumentParser
internal import Scrub

/// Several files, and how each is opened.
struct FilesArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Videos: files, or http:// and https:// addresses.", valueName: "file"), completion: .file())
    var files: [MediaName]

    @Option(parsing: .unconditional, help: "The stream's place in each file, as ffmpeg's -map 0:N counts.")
    var stream: Int?

    @OptionGroup var cache: CacheArguments

    /// How they are reached.
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

/// Runs a command's body for each file, also after one of them failed, and sums up on standard error.
///
/// - Throws: the greatest exit code of all files; at once when standard output takes no more.
func forEachFile(_ files: [MediaName], _ body: (MediaName) throws(ScrubError) -> Void) throws {
    var (worst, failures) = (Int32(0), 0)
    for file in files {
        do {
            try reportingErrors(file.said) { () throws(ScrubError) in try body(file) }
        } catch let code as ExitCode {
            failures += 1
            worst = max(worst, code.rawValue)
            if Terminal.isBroken { break }
        }
    }
    guard failures > 0 else { return }
    if files.count > 1, !Terminal.isBroken {
        Terminal.say("\(failures) of \(Amount.of(files.count, "file")) failed")
    }
    throw ExitCode(worst)
}
