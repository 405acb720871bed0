/// A term with a different name in each interface: an option, a call, a limit.
///
/// Its names are in one row of ``words(for:)``.
package enum Term: Hashable, Sendable {
    /// The general remedy for an invalid request.
    case help
    /// Raising a limit, to a sufficient value if it is known.
    case raise(MediaLimits.Name, to: Int?)
    /// A limit's name.
    case limit(MediaLimits.Name)
    /// Making the same request again.
    case sameCall
    /// Calling again.
    case callAgain
    /// Waiting for another run that uses the same folder.
    case waitsForOtherRuns
    /// Replacing files that were not written by Scrub.
    case replacesFiles
    /// Keeping no index in the cache.
    case keepsNothing
    /// Choosing the video stream.
    case stream
    /// Reading a still in the file, with its stream if it is not the only one.
    case coverArt(stream: Int?)
    /// Finding single frames of a playlist.
    case playlistFrames
    /// Opening an address.
    case openAddress
    /// Request headers.
    case headers
    /// The hosts that are never contacted.
    case deniedHosts
    /// The only hosts that are contacted, with one to add if it is known.
    case allowedHosts(String?)
    /// A folder with a strip or a set.
    case setFolder
    /// Examining more candidates for posters.
    case candidateCount
    /// Making a set of JPEG files.
    case jpegPictures
    /// Converting a set with new pictures; the first is a clause.
    case convertsWithQuality
    case reencoding
    /// Making room in the cache.
    case freesCache
    /// Making previews.
    case previews
    /// Checking a file against its linear decode.
    case verify
    /// A pattern for numbered names.
    case numberedNames
    /// Writing raw pictures, each with a header.
    case records
    /// Writing YUV4MPEG2.
    case y4m
    /// The longer side of previews.
    case previewSide(Int)

    /// Returns the term's name in an interface, as part of a sentence.
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
                "change the request", "change the request; see scrub help for the valid requests",
                "change the request; see scrub.h for the valid requests",
                "change the request; see help(scrub.open) for the valid requests"
            )
        case .raise(let name, let value): Term.raised(name, value)
        case .limit(let name):
            (
                "MediaLimits.\(name.member)", "--limit \(name.rawValue)=\(name.isTime ? "SECONDS" : "NUMBER")",
                Term.cField(name) ?? name.rawValue, "limits={\"\(name.rawValue)\": …}"
            )
        case .sameCall: ("the same call", "the same command", "the same call", "the same call")
        case .callAgain: ("call this again", "run the same command again", "call this again", "call this again")
        case .waitsForOtherRuns:
            (
                "wait for that run with waitsForOtherRuns", "wait for that run with --wait",
                "wait for that run with SCRUB_WAIT", "wait for that run with wait=True"
            )
        case .replacesFiles: ("replacesFiles", "--replace", "SCRUB_REPLACE", "replace=True")
        case .keepsNothing: ("VideoAsset.IndexCache.none", "--no-cache", "SCRUB_NO_CACHE", "cache=False")
        case .stream: ("VideoAsset.OpenOptions.stream", "--stream", "stream", "stream=")
        case .coverArt(let stream): Term.coverArt(stream)
        case .playlistFrames:
            (
                "use HLSVideo.frame(at:) for single frames", "use scrub seek for single frames",
                Term.playlistProgram, Term.playlistProgram
            )
        case .openAddress:
            (
                "open it with VideoAsset.open(url:)", "download it first, then open the file",
                "download it first, then open the file", "download it first, then open the file"
            )
        case .headers: ("NetworkOptions.headers", "--header", "headers", "headers=")
        case .deniedHosts: ("NetworkOptions.deniedHosts", "--deny", "deny", "deny=")
        case .allowedHosts(let host): Term.allowed(host)
        case .setFolder:
            (
                "a folder written by writeStrip or writeThumbnailSets",
                "a folder written by scrub strip or scrub thumbs",
                "a folder written by scrub_write_strip or scrub_write_sets",
                "a folder written by strip() or thumbs()"
            )
        case .candidateCount:
            (
                "examine more with Poster.Options.candidateCount", "examine more with --candidates",
                "examine more with scrub_poster_options.candidates", "examine more with candidates="
            )
        case .jpegPictures: ("make the set with JPEG pictures", "make the set with --format jpeg", Term.jpeg, Term.jpeg)
        case .convertsWithQuality:
            (
                "convert it with a quality setting", "use scrub convert without --copy-only",
                "use scrub_convert_set without SCRUB_COPY_ONLY", "use scrub.convert() with copy_only=False"
            )
        case .freesCache:
            (
                "free space in the cache folder", "free space with 'scrub cache'",
                "free space in the cache folder", "free space in the cache folder"
            )
        case .reencoding: ("set a quality", "without --copy-only", "without SCRUB_COPY_ONLY", "with copy_only=False")
        case .previews: ("keepPreviews()", "'scrub previews'", "scrub_make_previews()", "Video.previews()")
        case .verify: ("verify()", "scrub verify", "scrub_verify()", "Video.verify()")
        case .numberedNames:
            ("frame-%05d.png", "frame-%05d.png: --png FOLDER/%05d.png", "frame-%05d.png", "frame-%05d.png")
        case .records: ("header: .record", "--records", "records", "records")
        case .y4m: ("Y4MSink", "--y4m", "YUV4MPEG2", "YUV4MPEG2")
        case .previewSide(let side):
            ("longSide: \(side)", "--preview-side \(side)", "a side of \(side)", "side=\(side)")
        }
    }

    // Terms that exist only on the command line have the same name in C and Python.
    private static let jpeg = "make the set with JPEG pictures"
    private static let playlistProgram = "use the scrub program's seek command for single frames"

    private static func raised(
        _ name: MediaLimits.Name, _ value: Int?
    ) -> (library: String, command: String, c: String, python: String) {
        let to = value.map { " to \($0)" } ?? ""
        let number = value.map(String.init) ?? (name.isTime ? "SECONDS" : "NUMBER")
        let said = value.map(String.init) ?? "…"
        return (
            "raise MediaLimits.\(name.member)\(to)", "raise the limit with --limit \(name.rawValue)=\(number)",
            cField(name).map { "raise \($0)\(to)" }
                ?? "only the scrub program can raise the limit, with \(name.rawValue)=\(number)",
            "raise the limit with limits={\"\(name.rawValue)\": \(said)}"
        )
    }

    /// Returns the member of `scrub_options` for a limit (scrub.h); `nil` for a limit that C cannot set.
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
        guard let stream else {
            return (
                "read the still with CoverArt.load(from:)", "write the still with scrub poster --cover",
                "write the still with scrub_write_cover_of", "write the still with scrub.write_cover()"
            )
        }
        return (
            "read stream \(stream) with CoverArt.load(from:)", "write it with scrub poster --cover --stream \(stream)",
            "write it with scrub_write_cover and stream \(stream)", "write it with write_cover(stream=\(stream))"
        )
    }

    private static func allowed(_ host: String?) -> (library: String, command: String, c: String, python: String) {
        guard let host else { return ("NetworkOptions.allowedHosts", "--allow", "allow", "allow=") }
        return ("NetworkOptions.allowedHosts: \(host)", "--allow \(host)", "allow: \(host)", "allow=[\"\(host)\"]")
    }
}
