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

LibraryLogging.begin()
// First of all, while there is nothing yet that a worker should not have.
if MediaSandbox.isOnCommandLine("--sandbox", "http://*", "https://*") { MediaSandbox.prepare() }
MediaSandbox.runWorkerIfNeeded()
// A closed standard output does not end the process: the page matters, not the line.
signal(SIGPIPE, SIG_IGN)
// With a heap for each of many threads, freed memory stays allocated; bounded memory requires few heaps.
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
        // Help, and shell completion scripts.
        var other = command
        try other.run()
    }
} catch {
    // As the parser ends a program, but without destructors: threads that fetch or decode may still be running.
    let (code, text) = (ViewerCommand.exitCode(for: error), ViewerCommand.fullMessage(for: error))
    if !text.isEmpty {
        _ = try? (code.isSuccess ? FileDescriptor.standardOutput : .standardError).writeAll((text + "\n").utf8)
    }
    fflush(nil)
    _exit(code.rawValue)
}
#else
fatalError("scrub-view was built without the package trait Viewer; build it with 'swift build --traits Viewer'")
#endif
