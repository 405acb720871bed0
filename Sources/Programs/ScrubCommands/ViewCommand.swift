#if CommandLine
internal import ArgumentParser
internal import ScrubFileIO
internal import Glibc
internal import Scrub
internal import ScrubBase
internal import ScrubViewerOptions

/// `scrub view`: the viewer in the browser.
///
/// The server is a separate program, `scrub-view`, which replaces this process. This way, other commands do not load
/// any of it.
struct ViewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view", abstract: "View videos in the browser, frame by frame.",
        discussion: """
            Serves a page on which you can drag through videos, hover over the time line, step through frames and \
            compare them. Only this machine can reach the page, unless --host specifies another address. For a folder, \
            the page lists all of its videos.
            """)

    @OptionGroup var options: ViewOptions
    @OptionGroup var network: NetworkArguments

    func run() throws {
        guard !options.terminal else {
            return try TerminalViewer.run(
                options.media.map { MediaName(argument: $0) }, stream: options.stream,
                cache: options.noCache ? .none : .standard, network: network, memory: options.memory)
        }
        try reportingErrors(nil) { () throws(ScrubError) in try ViewerProgram.replaceThisProcess() }
    }
}

/// The program `scrub-view`.
enum ViewerProgram {
    private static let name = "scrub-view"

    /// Runs it in place of this process, with the words that follow `view`.
    ///
    /// - Throws: `unavailable` if it is not found.
    static func replaceThisProcess() throws(ScrubError) {
        fflush(nil)
        // The exact bytes that were typed, whatever they are.
        var words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup(name)]
        for place in 2..<max(2, Int(CommandLine.argc)) { unsafe words.append(CommandLine.unsafeArgv[place]) }
        unsafe words.append(nil)
        // As they were when this process started: an ignored signal would stay ignored.
        signal(SIGPIPE, SIG_DFL)
        // Beside this program, whatever link it was called through; then in the usual program folders.
        if let own = Folder.resolved("/proc/self/exe"), let slash = own.lastIndex(of: "/") {
            unsafe execv(String(own[...slash]) + name, words)
        }
        unsafe execvp(name, words)
        throw ScrubError(
            .unavailable,
            "the viewer is a separate program, \(name), which is neither in this program's folder nor in $PATH",
            advice: "install the package \(name), or run 'bash Scripts/build.sh \(name)' in a clone of Scrub")
    }
}
#endif
