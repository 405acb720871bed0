#if CommandLine
internal import ArgumentParser
internal import ScrubFileIO
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// The place of results and their state.
struct BatchFolderArguments: ParsableArguments {
    @Option(
        help:
            "The folder for the results, or s3://BUCKET/PREFIX. Default: with --beside, ROOT/.scrub; with --previews, whose pictures go into the cache, a folder for records next to the state file."
    )
    var to: String?

    @Option(
        help:
            "The file that records what was done, on a disk of this machine; it can be deleted at any time. Default: one for each results folder, in $XDG_STATE_HOME or ~/.local/state."
    )
    var state: String?

    func validate() throws { try OptionRange.checkFolder(to, "--to") }

    /// Returns the folder of existing results.
    func folder() throws(ScrubError) -> String {
        guard let to else {
            throw ScrubError.wrongRequest(
                "no folder is specified",
                advice: "specify the results folder with --to DIR (ROOT/.scrub with --beside)"
            )
        }
        return ObjectStoreOptions.isName(to) ? try ObjectStore.workFolder(to) : to
    }

    /// Returns the state of existing results.
    ///
    /// - Throws: `noInput` if no batch has run there.
    func open() throws(ScrubError) -> BatchState {
        let folder = try folder()
        let path = state ?? BatchState.standardPath(forFolder: folder)
        // A lost state is recreated, but not for a folder in which no batch has run.
        guard FileFacts(path: path) != nil || FileFacts(path: folder + "/" + BatchState.folderName)?.kind == .folder
        else {
            throw ScrubError(
                .noInput, "there are no batch results here", file: folder,
                advice: "check --to; after a run with only --beside it is ROOT/.scrub")
        }
        return try BatchState(path: path, isOwn: state == nil)
    }
}
#endif
