#if Viewer
import ArgumentParser
import CScrubHeap
import ScrubFileIO
import Glibc
import ScrubBase
import ScrubCommands
import ScrubMedia
import ScrubViewer
import SystemPackage
import ScrubViewerOptions

QuietLibraries.begin()
// First of all, while there is nothing yet that a worker should not know.
if MediaSandbox.isOnCommandLine("--sandbox", "http://*", "https://*") { MediaSandbox.prepare() }
MediaSandbox.workIfAsked()
// A reader of standard output that has seen enough ends nothing: the page is looked at, not the line.
signal(SIGPIPE, SIG_IGN)
// A heap for each of many threads keeps what they free: bounded memory wants few.
scrub_share_heaps(4)
let words = (0..<Int(CommandLine.argc)).dropFirst().compactMap {
    unsafe CommandLine.unsafeArgv[$0].map { unsafe String(systemName: $0) }
}
if let answer = VersionReport.answer(to: words) {
    Output.say(answer)
    _exit(0)
}
CacheWarnings.shared.onWarning { Output.complain("warning: \($0)") }
do {
    let command = try ViewerCommand.parseAsRoot(words)
    if let viewer = command as? ViewerCommand {
        try await viewer.serve()
    } else {
        // Help, and the scripts of shells.
        var other = command
        try other.run()
    }
} catch {
    // As the parser ends a program, but without destructors: threads that fetch or decode may be at work still.
    let (code, text) = (ViewerCommand.exitCode(for: error), ViewerCommand.fullMessage(for: error))
    if !text.isEmpty {
        _ = try? (code.isSuccess ? FileDescriptor.standardOutput : .standardError).writeAll((text + "\n").utf8)
    }
    fflush(nil)
    _exit(code.rawValue)
}
#else
fatalError("scrub-view was built without the package's trait Viewer; build it with 'swift build --traits Viewer'")
#endif
