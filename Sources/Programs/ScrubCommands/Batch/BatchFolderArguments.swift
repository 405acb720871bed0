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
            "The folder that the results go into, or s3://BUCKET/PREFIX. Default: with --beside, ROOT/.scrub; with --previews, whose pictures go into the cache, a folder for records beside the state."
    )
    var to: String?

    @Option(
        help:
            "The file that remembers what was done, on a disk of this machine; it can be deleted at any time. Default: one for each folder of results, in $XDG_STATE_HOME or ~/.local/state."
    )
    var state: String?

    func validate() throws { try OptionRange.checkFolder(to, "--to") }

    /// Returns the folder of results that are there.
    func folder() throws(ScrubError) -> String {
        guard let to else {
            throw ScrubError.wrongRequest(
                "no folder is given",
                advice: "name the folder of results with --to DIR (ROOT/.scrub with --beside)"
            )
        }
        return ObjectStoreOptions.isName(to) ? try ObjectStore.workFolder(to) : to
    }

    /// Returns the state of results that are there.
    ///
    /// - Throws: `noInput` where no batch has been.
    func open() throws(ScrubError) -> BatchState {
        let folder = try folder()
        let path = state ?? BatchState.standardPath(forFolder: folder)
        // A state that was lost is made again, but not for a folder that no batch knows.
        guard FileFacts(path: path) != nil || FileFacts(path: folder + "/" + BatchState.folderName)?.kind == .folder
        else {
            throw ScrubError(
                .noInput, "no batch has put results here", file: folder,
                advice: "check --to; after a run with --beside alone it is ROOT/.scrub")
        }
        return try BatchState(path: path, isOwn: state == nil)
    }
}
#endif
