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
            "The folder for the results, or s3://BUCKET/PREFIX. Default with --beside: ROOT/.scrub. Default with --previews and without --beside: a folder for records next to the state file; the previews themselves go into the cache."
    )
    var to: String?

    @Option(
        help:
            "The file that records which films are done. It must be on a local disk, and can be deleted at any time. Default: a separate file for each results folder, in $XDG_STATE_HOME or ~/.local/state."
    )
    var state: String?

    func validate() throws { try OptionRange.checkFolder(to, "--to") }

    /// Returns the folder of existing results.
    func folder() throws(ScrubError) -> String {
        guard let to else {
            throw ScrubError.wrongRequest(
                "no folder is specified",
                advice: "specify the results folder with --to DIR (after a run with --beside, --to ROOT/.scrub)"
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
                .noInput, "the folder has no batch results", file: folder,
                advice: "check --to: after a run with --beside and without --to, use ROOT/.scrub")
        }
        return try BatchState(path: path, isOwn: state == nil)
    }
}
#endif
