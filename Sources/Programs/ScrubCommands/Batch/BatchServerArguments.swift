#if CommandLine
internal import ArgumentParser
internal import ScrubFileIO
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// Results where media servers themselves look for them.
struct BatchServerArguments: ParsableArguments {
    @Flag(
        help:
            "Write sets next to the films, where Jellyfin (NAME.trickplay) and Emby (NAME-WIDTH-SECONDS.bif) look for them."
    )
    var beside = false

    @Option(
        help: ArgumentHelp(
            "Write index-sd.bif where Plex looks for it, in this Media folder of the Plex server.",
            valueName: "dir"))
    var plexMedia: String?

    @Flag(
        help:
            "Replace files that another program wrote: pictures next to films, Plex's pictures, and the file named by plan --manifest."
    )
    var replace = false

    func validate() throws {
        try OptionRange.checkFolder(plexMedia, "--plex-media")
    }

    /// Whether results go anywhere other than their folder.
    var areUsed: Bool { beside || plexMedia != nil }

    /// Returns the folder in which the batch keeps its own files.
    ///
    /// - Parameters:
    ///   - sources: the given names.
    ///   - what: the kind of results.
    func folder(_ to: String?, _ sources: [String], _ what: BatchWorkArguments) throws(ScrubError) -> String {
        if let to { return to }
        if what.previews, !beside, let folder = BatchState.previewFolder(for: sources) { return folder }
        guard beside else {
            throw ScrubError.wrongRequest(
                "no folder is specified", advice: "specify where the results go with --to DIR")
        }
        guard sources.count == 1, let root = sources.first, FileFacts(path: root)?.kind == .folder else {
            throw ScrubError.wrongRequest(
                "the batch has no folder for its lock files, because its source is not a single folder",
                advice: "specify a folder with --to DIR")
        }
        return (root.hasSuffix("/") ? root : root + "/") + ServerLocations.folderName
    }

    /// Returns the places that the arguments request; `nil` if all results go to their folder.
    func places(_ what: BatchWorkArguments) throws(ScrubError) -> ServerLocations? {
        guard areUsed else { return nil }
        guard let sets = try what.sets(fitsTrickplay: beside) else {
            throw ScrubError.wrongRequest(
                "only thumbnail sets can be written next to films or for Plex", advice: "use --profile jellyfin or plex"
            )
        }
        var places = try ServerLocations(isBeside: beside, plexMedia: plexMedia, sets: sets)
        places.replaces = replace
        return places
    }

    /// Returns the requested work, in the form that those places need.
    func work(_ what: BatchWorkArguments) throws(ScrubError) -> BatchWork {
        guard let places = try places(what) else { return try what.work() }
        return places.fitting(.thumbnailSets(places.sets))
    }

    /// Prints the facts that people need about a run's results.
    ///
    /// - Parameter count: the number of results that were made.
    func say(_ count: Int) {
        if plexMedia != nil, count > 0 {
            Terminal.say("Plex caches thumbnails in memory: restart it to see the new ones")
        }
    }
}
#endif
