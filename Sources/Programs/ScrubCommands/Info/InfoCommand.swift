#if CommandLine
internal import ArgumentParser
internal import Scrub
internal import ScrubReports
internal import ScrubBase
internal import ScrubMedia

/// `scrub info`: the facts about a video, and about the rest of its file.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describe videos, the contents of their files, and the decoding cost of exact frames.",
        discussion: """
            The decoding cost of exact frames is counted for short videos and estimated for long ones, unless an \
            earlier command with --cost counted it. If one of several files cannot be described, this is reported and \
            the others are still described. The highest exit code of all files is returned.
            """)

    @OptionGroup var input: FilesArguments
    @OptionGroup var following: FollowArguments

    @Flag(
        help:
            "Count the pictures that must be decoded for each exact frame, and save the counts. This reads every picture's header."
    )
    var cost = false

    @Flag(help: "Print one JSON object for each file.")
    var json = false

    @OptionGroup var network: NetworkArguments

    func run() throws {
        var isFirst = true
        let ahead = workAhead()
        try forEachFile(input.files, json: json) { (file) throws(ScrubError) in
            if following.follow {
                try follow(file, isFirst: &isFirst)
                return nil
            }
            let text: String
            if let ahead, let described = ahead.next() {
                let described = try described.get()
                sayWarnings(of: described.asset)
                text = try described.text.get()
            } else {
                let (asset, info) = try read(file)
                text = InfoCommand.text(asset, info, file, json: json)
            }
            if !json, !isFirst { Terminal.print("") }
            isFirst = false
            Terminal.print(text)
            return nil
        }
    }

    /// A file's text, and the video whose warnings come before it.
    private struct Described: Sendable {
        let asset: VideoAsset
        let text: Result<String, ScrubError>
    }

    /// Begins to describe several files in parallel; `nil` if they are described one after another, because remote
    /// files report their fetches, and longer work shows a bar.
    private func workAhead() -> OrderedParallelMap<Result<Described, ScrubError>>? {
        let (files, json) = (input.files, json)
        guard files.count > 1, Processors.count > 1, !cost, !following.follow,
            !files.contains(where: { $0.isRemote || HLSVideo.isPlaylist(path: $0.typed) })
        else { return nil }
        var options = VideoAsset.OpenOptions(stream: input.stream, cache: input.cache.choice)
        options.limits = input.access(network).limits
        return try? OrderedParallelMap(files.count, threads: Processors.count) { [options] number in
            Result { () throws(ScrubError) in
                let file = files[number]
                let asset = try VideoAsset(path: file.typed, options: options, savesBeside: true)
                let text = Result { () throws(ScrubError) in
                    InfoCommand.text(asset, try asset.info(), file, json: json)
                }
                return Described(asset: asset, text: text)
            }
        }
    }

    private static func text(_ asset: VideoAsset, _ info: VideoInfo, _ file: MediaName, json: Bool) -> String {
        json ? InfoJSON(asset, info, file: file.shown).text : InfoText(asset, info).text
    }

    /// Reports a recording after each extension.
    private func follow(_ file: MediaName, isFirst: inout Bool) throws(ScrubError) {
        let recording = try following.open(file, stream: input.stream, cache: input.cache, limits: network.mediaLimits)
        try following.follow(recording) { (step) throws(ScrubError) in
            guard let step, let asset = step.asset else { return true }
            let info = try asset.info(includesSeekCost: cost)
            if !json, !isFirst { Terminal.print("") }
            isFirst = false
            Terminal.print(
                json
                    ? InfoJSON(asset, info, file: file.shown, isFinished: step.isFinished).text
                    : InfoText(asset, info).text)
            try Terminal.flush()
            return true
        }
        if let asset = recording.asset { sayWarnings(of: asset) }
    }

    private func read(_ file: MediaName) throws(ScrubError) -> (VideoAsset, VideoInfo) {
        // Counting takes long enough that warnings are printed first.
        if cost {
            let asset = try input.open(file, network)
            let bar = ProgressBar("counting")
            return (asset, try asset.info(includesSeekCost: true, progress: { bar.show($0) }))
        }
        let asset = try input.begin(file, network)
        // A new index is saved in the meantime.
        let info = Result { () throws(ScrubError) in try asset.info() }
        sayWarnings(of: asset)
        return (asset, try info.get())
    }
}

extension VideoInfo {
    /// Stills that are in the file.
    var covers: [VideoInfo.Stream] { streams.filter(\.isCover) }
    /// Tags that people look for, beginning with the film's own.
    static let soughtTags = [
        "title", "artist", "album", "date", "creation_time", "encoder", "comment", "com.apple.quicktime.make",
        "com.apple.quicktime.model", "location",
    ]
}
#endif
