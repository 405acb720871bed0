#if CommandLine
internal import ScrubBase
internal import ScrubFileIO
internal import Scrub
internal import ScrubPlayers
internal import ScrubSources

/// The access to media: the kept files, and the network rules.
struct MediaAccess {
    var cache: VideoAsset.IndexCache
    var network: NetworkArguments
    /// Whether previews made in the process are kept for the next time.
    var keepsPreviews = false

    /// Returns the source for a name, for commands that need its bytes and not a video.
    func source(_ name: MediaName) throws(ScrubError) -> MediaSource {
        guard name.isRemote else {
            try checkStandardOutput()
            return try MediaSource(path: name.typed)
        }
        network.beginSandboxByDefault()
        let source = try MediaSource(at: name.typed, cache: cache, network: try network.options(usesCache: usesCache))
        FetchMeter.shared.watch { source.networkCost ?? NetworkCost() }
        return source
    }

    /// Returns the medium for a name, opened far enough to distinguish a video from a playlist.
    func medium(_ name: MediaName, _ options: VideoAsset.OpenOptions) throws(ScrubError) -> OpenedMedium {
        // Network options, such as a file of headers, are checked only if the network is used.
        guard name.isRemote || HLSVideo.isPlaylist(path: name.typed) else {
            try checkStandardOutput()
            return .video(try MediaSource(path: name.typed))
        }
        // A playlist also contains files from others.
        network.beginSandboxByDefault()
        let medium = try OpenedMedium(name.typed, options: options, network: try network.options(usesCache: usesCache))
        switch medium {
        case .video(let source): FetchMeter.shared.watch { source.networkCost ?? NetworkCost() }
        case .playlist(let playlist):
            for warning in playlist.warnings { Terminal.say("\(name.said): warning: \(warning)") }
            if name.isRemote || playlist.networkCost != nil {
                FetchMeter.shared.watch { playlist.networkCost ?? NetworkCost() }
            }
        }
        return medium
    }

    /// Returns the player's medium for a name, which is opened when needed.
    func media(_ name: MediaName, stream: Int?) throws(ScrubError) -> PlayerMedia {
        var options = VideoAsset.OpenOptions(stream: stream, cache: cache)
        options.limits = limits
        guard name.isRemote else { return PlayerMedia(path: name.typed, options: options) }
        network.beginSandboxByDefault()
        let media = PlayerMedia(named: name.typed, options: options, network: try network.options(usesCache: usesCache))
        FetchMeter.shared.watch { media.asset?.networkCost ?? NetworkCost() }
        return media
    }

    /// Rejects a film to which standard output is being appended.
    private func checkStandardOutput() throws(ScrubError) {
        try OutputFile.check(descriptor: 1, name: "standard output")
    }

    /// The limits on files.
    var limits: MediaLimits { network.mediaLimits }

    private var usesCache: Bool { cache.path != nil }
}

/// Opens a named video as all commands do. It shows a bar during a long pass, and a warning if the index cannot be
/// saved or part of the file is missing.
func openVideo(
    _ name: MediaName, stream: Int? = nil, _ access: MediaAccess, saysMissing: Bool = true
) throws(ScrubError) -> VideoAsset {
    let asset = try beginVideo(name, stream: stream, access, savesBeside: false)
    sayWarnings(of: asset, saysMissing: saysMissing)
    return asset
}

/// Opens a named video and leaves the warnings to ``sayWarnings(of:saysMissing:)``.
///
/// - Parameter savesBeside: whether a new index may still be in the process of being saved when this returns.
func beginVideo(
    _ name: MediaName, stream: Int?, _ access: MediaAccess, savesBeside: Bool
) throws(ScrubError) -> VideoAsset {
    let bar = ProgressBar("indexing")
    var options = VideoAsset.OpenOptions(stream: stream, cache: access.cache, progress: { bar.show($0) })
    options.limits = access.limits
    options.keepsPreviews = access.keepsPreviews
    let source = try access.medium(name, options).mediaSource()
    return try VideoAsset(source, options: options, savesBeside: savesBeside)
}
#endif
