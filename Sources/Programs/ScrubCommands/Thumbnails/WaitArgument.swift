#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import ScrubFileIO

/// What a run does while another is writing to its folder.
struct WaitArgument: ParsableArguments {
    @Flag(help: "If another run is writing to the same folder, wait for it to end instead of exiting with code 69.")
    var wait = false

    /// Prints which run the command is going to wait for, if any.
    func sayIfWaiting(for folder: String) {
        guard wait, let holder = FolderLock.holder(ofFolder: folder) else { return }
        Terminal.say("waiting for \(holder), which is writing to \(folder)")
    }
}
#endif
