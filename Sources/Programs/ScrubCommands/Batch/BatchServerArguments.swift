#if CommandLine
internal import ArgumentParser
internal import ScrubFileIO
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// Results where media servers look for them by themselves.
struct BatchServerArguments: ParsableArguments {
    @Flag(
        help:
            "Put sets beside the films, where Jellyfin (NAME.trickplay) and Emby (NAME-WIDTH-SECONDS.bif) look for them."
    )
    var beside = false

    @Option(
        help: ArgumentHelp(
            "Put index-sd.bif where Plex looks for it: the folder Media of the server's data.",
            valueName: "dir"))
    var plexMedia: String?

    @Flag(help: "Replace pictures beside films and at Plex that another program made, and a list of plan --manifest.")
    var replace = false

    func validate() throws {
        try OptionRange.checkFolder(plexMedia, "--plex-media")
    }

    /// Whether results go anywhere else than into their folder.
    var areUsed: Bool { beside || plexMedia != nil }

    /// Returns the folder in which the batch keeps its own files.
    ///
    /// - Parameters:
    ///   - sources: the names that were given.
    ///   - what: what is made of them.
    func folder(_ to: String?, _ sources: [String], _ what: BatchWorkArguments) throws(ScrubError) -> String {
        if let to { return to }
        if what.previews, !beside, let folder = BatchState.previewFolder(for: sources) { return folder }
        guard beside else {
            throw ScrubError.wrongRequest("no folder is given", advice: "say where the results go with --to DIR")
        }
        guard sources.count == 1, let root = sources.first, FileFacts(path: root)?.kind == .folder else {
            throw ScrubError.wrongRequest(
                "there is no one folder of films in which the batch could keep its locks",
                advice: "give it a folder with --to DIR")
        }
        return (root.hasSuffix("/") ? root : root + "/") + ServerPlaces.folderName
    }

    /// Returns the places that the words ask for; `nil` if all results go into their folder.
    func places(_ what: BatchWorkArguments) throws(ScrubError) -> ServerPlaces? {
        guard areUsed else { return nil }
        guard let sets = try what.sets(fitsTrickplay: beside) else {
            throw ScrubError.wrongRequest(
                "only thumbnail sets have places beside films", advice: "give --profile jellyfin or plex")
        }
        var places = try ServerPlaces(isBeside: beside, plexMedia: plexMedia, sets: sets)
        places.replaces = replace
        return places
    }

    /// Returns the work that is asked for, as those places need it.
    func work(_ what: BatchWorkArguments) throws(ScrubError) -> BatchWork {
        guard let places = try places(what) else { return try what.work() }
        return places.fitting(.thumbnailSets(places.sets))
    }

    /// Tells people the facts that they need about a run's results.
    ///
    /// - Parameter count: results that were made.
    func say(_ count: Int) {
        if plexMedia != nil, count > 0 {
            Terminal.say("Plex keeps previews in its memory: it shows new ones after a restart")
        }
    }
}
#endif
