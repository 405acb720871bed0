/// Something that each face calls by its own name: an option, a call, a limit.
///
/// One row of ``words(for:)`` has its names in all of them.
package enum Term: Hashable, Sendable {
    /// The general remedy for a wrong request.
    case help
    /// A limit is to be raised, to a value that is enough if it is known.
    case raise(MediaLimits.Name, to: Int?)
    /// A limit's name.
    case limit(MediaLimits.Name)
    /// The same request once more.
    case sameCall
    /// A call is to be made once more.
    case callAgain
    /// Waits for another run into the same folder.
    case waitsForOtherRuns
    /// Replaces files that Scrub has not written.
    case replacesFiles
    /// Keeps no index in the cache.
    case keepsNothing
    /// Chooses the video stream.
    case stream
    /// Reads a still in the file; with its stream if it is not the only one.
    case coverArt(stream: Int?)
    /// Finds single frames of a playlist.
    case playlistFrames
    /// Opens an address.
    case openAddress
    /// Request headers.
    case headers
    /// Hosts that are never asked.
    case deniedHosts
    /// The only hosts that are asked, with one to add if it is known.
    case allowedHosts(String?)
    /// A folder with a strip or a set.
    case setFolder
    /// Looks at more candidates for posters.
    case candidateCount
    /// Makes a set of JPEG files.
    case jpegPictures
    /// Converts a set with new pictures; the first is a clause.
    case convertsWithQuality
    case reencoding
    /// Makes room in the cache.
    case freesCache
    /// Makes previews.
    case previews
    /// Checks a file against its linear decode.
    case verify
    /// A pattern for numbered names.
    case numberedNames
    /// Writes raw pictures each with a head.
    case records
    /// Writes YUV4MPEG2.
    case y4m
    /// The longer side of previews.
    case previewSide(Int)

    /// Returns its name in a face, as a part of a sentence.
    package func words(for face: Face) -> String {
        let (library, command, c, python) = names
        return switch face {
        case .library: library
        case .command: command
        case .c: c
        case .python: python
        }
    }

    private var names: (library: String, command: String, c: String, python: String) {
        switch self {
        case .help:
            (
                "ask for something else", "ask for something else; scrub help tells what can be asked for",
                "ask for something else; scrub.h tells what can be asked for",
                "ask for something else; help(scrub.open) tells what can be asked for"
            )
        case .raise(let name, let value): Term.raised(name, value)
        case .limit(let name):
            (
                "MediaLimits.\(name.member)", "--limit \(name.rawValue)=\(name.isTime ? "SECONDS" : "NUMBER")",
                Term.cField(name) ?? name.rawValue, "limits={\"\(name.rawValue)\": …}"
            )
        case .sameCall: ("the same call", "the same command", "the same call", "the same call")
        case .callAgain: ("call this again", "give the same command again", "call this again", "call this again")
        case .waitsForOtherRuns:
            ("wait for its end (waitsForOtherRuns)", "wait for its end, as --wait does,", Term.wait, Term.wait)
        case .replacesFiles: ("replacesFiles", "--replace", "SCRUB_REPLACE", "replace=True")
        case .keepsNothing: ("VideoAsset.IndexCache.none", "--no-cache", "SCRUB_NO_CACHE", "cache=False")
        case .stream: ("VideoAsset.OpenOptions.stream", "--stream", "stream", "stream=")
        case .coverArt(let stream): Term.coverArt(stream)
        case .playlistFrames:
            (
                "HLSVideo.Reader finds single frames of it", "scrub seek finds single frames of it",
                Term.playlistProgram, Term.playlistProgram
            )
        case .openAddress:
            (
                "open it with VideoAsset.open(url:)", "fetch it first, and name the file",
                "fetch it first, and name the file", "fetch it first, and name the file"
            )
        case .headers: ("NetworkOptions.headers", "--header", "headers", "headers=")
        case .deniedHosts: ("NetworkOptions.deniedHosts", "--deny", "deny", "deny=")
        case .allowedHosts(let host): Term.allowed(host)
        case .setFolder:
            (
                "a folder that writeStrip or writeThumbnailSets has written",
                "a folder that scrub strip or thumbs has written", Term.setProgram, Term.setProgram
            )
        case .candidateCount:
            (
                "Poster.Options.candidateCount looks at more", "look at more with --candidates",
                "the program's --candidates looks at more", "the program's --candidates looks at more"
            )
        case .jpegPictures: ("make its pictures JPEG", "make the set with --format jpeg", Term.jpeg, Term.jpeg)
        case .convertsWithQuality:
            (
                "convert it with a quality", "use scrub convert without --copy-only", "convert it with a quality",
                "convert it with a quality"
            )
        case .freesCache:
            (
                "free space in the cache's folder", "free space with 'scrub cache'",
                "free space in the cache's folder", "free space in the cache's folder"
            )
        case .reencoding: ("give a quality", "without --copy-only", "without copying only", "without copying only")
        case .previews: ("keepPreviews()", "'scrub previews'", Term.previewProgram, Term.previewProgram)
        case .verify: ("verify()", "scrub verify", "the program's verb verify", "the program's verb verify")
        case .numberedNames:
            ("frame-%05d.png", "frame-%05d.png: --png FOLDER/%05d.png", "frame-%05d.png", "frame-%05d.png")
        case .records: ("header: .record", "--records", "records", "records")
        case .y4m: ("Y4MSink", "--y4m", "YUV4MPEG2", "YUV4MPEG2")
        case .previewSide(let side):
            ("longSide: \(side)", "--preview-side \(side)", "at most \(side) wide", "at most \(side) wide")
        }
    }

    // What only the program does has one name in C and Python.
    private static let wait = "wait for its end"
    private static let previewProgram = "the program's verb previews"
    private static let jpeg = "make its pictures JPEG"
    private static let playlistProgram = "the program's verb seek finds single frames of it"
    private static let setProgram = "a folder that the program's verb strip or thumbs has written"

    private static func raised(
        _ name: MediaLimits.Name, _ value: Int?
    ) -> (library: String, command: String, c: String, python: String) {
        let to = value.map { " to \($0)" } ?? ""
        let number = value.map(String.init) ?? (name.isTime ? "SECONDS" : "NUMBER")
        let said = value.map(String.init) ?? "…"
        return (
            "raise MediaLimits.\(name.member)\(to)", "raise it with --limit \(name.rawValue)=\(number)",
            cField(name).map { "raise \($0)\(to)" } ?? "only the program can raise it, with \(name.rawValue)=\(number)",
            "raise it with limits={\"\(name.rawValue)\": \(said)}"
        )
    }

    /// Returns the member of `scrub_options` for a limit (scrub.h); `nil` for a limit that C can't set.
    private static func cField(_ name: MediaLimits.Name) -> String? {
        switch name {
        case .pixels: "pixel_limit"
        case .pictures: "picture_limit"
        case .pictureBytes: "picture_byte_limit"
        case .decoderBytes: "decoder_byte_limit"
        case .pictureTime: "picture_time_limit"
        default: nil
        }
    }

    private static func coverArt(_ stream: Int?) -> (library: String, command: String, c: String, python: String) {
        let program = "the program's verb poster writes it"
        guard let stream else {
            return ("CoverArt.all(in:) reads the still", "scrub poster --cover writes the still", program, program)
        }
        return (
            "CoverArt.all(in:) reads stream \(stream)", "write it with scrub poster --cover --stream \(stream)",
            program,
            program
        )
    }

    private static func allowed(_ host: String?) -> (library: String, command: String, c: String, python: String) {
        guard let host else { return ("NetworkOptions.allowedHosts", "--allow", "allow", "allow=") }
        return ("NetworkOptions.allowedHosts: \(host)", "--allow \(host)", "allow: \(host)", "allow=[\"\(host)\"]")
    }
}
