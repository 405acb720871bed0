import ArgumentParser
import CHeap
import FileIO
import Glibc
import ScrubBase
import ScrubMedia
import ScrubViewer
import ViewerOptions

MediaSandbox.workIfAsked()
// A reader of standard output that has seen enough ends nothing: the page is looked at, not the line.
signal(SIGPIPE, SIG_IGN)
// A heap for each of many threads keeps what they let go of: bounded memory wants few.
scrub_share_heaps(4)
let words = (0..<Int(CommandLine.argc)).dropFirst().compactMap {
    CommandLine.unsafeArgv[$0].map { String(systemName: $0) }
}
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
    ViewerCommand.exit(withError: error)
}
