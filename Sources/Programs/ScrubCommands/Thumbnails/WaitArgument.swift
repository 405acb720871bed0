#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import ScrubFileIO

/// The choice for a run while another one writes into its folder.
struct WaitArgument: ParsableArguments {
    @Flag(help: "Wait while another run writes into the same folder, instead of ending with an error (69).")
    var wait = false

    /// Says for whom, if the command is going to wait.
    func sayIfWaiting(for folder: String) {
        guard wait, let holder = FolderLock.holder(ofFolder: folder) else { return }
        Terminal.say("waiting for \(holder), which writes into \(folder)")
    }
}
#endif
