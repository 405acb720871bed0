package import ScrubBase

// The library's errors name its options as a program's author writes them. A person at a command line has others.
extension String {
    /// A message of the library with the command line's options in the place of the library's.
    package var inCommandWords: String {
        var text = self
        if text.contains("MediaLimits.") {
            for name in MediaLimits.Name.allCases {
                let member = "MediaLimits.\(name.member)"
                text.replace("raise \(member) to ", with: "raise it with --limit \(name.rawValue)=")
                let option = "--limit \(name.rawValue)=\(name.isTime ? "SECONDS" : "NUMBER")"
                text.replace("raise \(member)", with: "raise it with \(option)")
                text.replace(member, with: option)
            }
        }
        for (library, command) in CommandWords.phrases { text.replace(library, with: command) }
        return text
    }
}

extension ScrubError {
    /// The error in the command line's words.
    package var inCommandWords: ScrubError {
        var error = self
        (error.cause, error.advice) = (cause.inCommandWords, advice?.inCommandWords)
        return error
    }
}

private enum CommandWords {
    /// The library's words, and the command line's.
    static let phrases = [
        ("call this again", "give the same command again"),
        ("the same call goes on", "the same command goes on"),
        ("wait for its end (waitsForOtherRuns)", "wait for its end, as --wait does,"),
        ("or have it replaced (replacesFiles)", "or have it replaced with --replace"),
        ("keep nothing (VideoAsset.IndexCache.none)", "keep nothing with --no-cache"),
        ("make its pictures JPEG", "make the set with --format jpeg"),
        ("or convert it with a quality", "or use scrub convert without --copy-only"),
        ("re-encoded (give a quality)", "re-encoded (without --copy-only)"),
        ("make smaller ones (longSide: ", "make smaller ones (--preview-side "),
        ("CoverArt.all(in:) reads the still", "scrub poster --cover writes the still"),
        ("CoverArt.all(in:) reads stream ", "write it with scrub poster --cover --stream "),
        ("(VideoAsset.OpenOptions.stream chooses)", "(--stream chooses)"),
        ("HLSVideo.Reader finds single frames of it", "scrub seek finds single frames of it"),
        ("(NetworkOptions.headers)", "(--header)"),
        ("(NetworkOptions.deniedHosts)", "(--deny)"),
        ("(NetworkOptions.allowedHosts)", "(--allow)"),
        ("(NetworkOptions.allowedHosts: ", "(--allow "),
        (
            "name a folder that writeStrip or writeThumbnailSets has written",
            "name a folder that scrub strip or thumbs has written"
        ),
        ("(Poster.Options.candidateCount looks at more)", "(look at more with --candidates)"),
        ("open it with VideoAsset.open(url:)", "fetch it first, and name the file"),
    ]
}
