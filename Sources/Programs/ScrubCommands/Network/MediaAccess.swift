#if CommandLine
internal import ScrubBase
internal import ScrubFileIO
internal import Scrub
internal import ScrubPlayers
internal import ScrubSources

/// The access to media: the files that are kept, and the rules of the network.
struct MediaAccess {
    var cache: VideoAsset.IndexCache
    var network: NetworkArguments
    /// Whether previews that are made meanwhile are kept for the next time.
    var keepsPreviews = false

    /// Returns the source of a name, for commands that want its bytes and not a video.
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

    /// Returns the medium of a name, opened as far as it takes to tell a video from a playlist.
    func medium(_ name: MediaName, _ options: VideoAsset.OpenOptions) throws(ScrubError) -> OpenedMedium {
        // What is said about the network, such as a file of headers, is looked at where there is one.
        guard name.isRemote || HLSVideo.isPlaylist(path: name.typed) else {
            try checkStandardOutput()
            return .video(try MediaSource(path: name.typed))
        }
        // A playlist too has files of others in it.
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

    /// Returns the player's medium of a name: opened when it is needed.
    func media(_ name: MediaName, stream: Int?) throws(ScrubError) -> PlayerMedia {
        var options = VideoAsset.OpenOptions(stream: stream, cache: cache)
        options.limits = limits
        guard name.isRemote else { return PlayerMedia(path: name.typed, options: options) }
        network.beginSandboxByDefault()
        let media = PlayerMedia(named: name.typed, options: options, network: try network.options(usesCache: usesCache))
        FetchMeter.shared.watch { media.asset?.networkCost ?? NetworkCost() }
        return media
    }

    /// Rejects a film that standard output is appended to.
    private func checkStandardOutput() throws(ScrubError) {
        try OutputFile.check(descriptor: 1, name: "standard output")
    }

    /// The limits of files.
    var limits: MediaLimits { network.mediaLimits }

    private var usesCache: Bool { cache.path != nil }
}

/// Opens a named video as all commands do. A bar runs during a long pass, and a warning comes if its index cannot be
/// saved or if part of the file is missing.
func openVideo(
    _ name: MediaName, stream: Int? = nil, _ access: MediaAccess, saysMissing: Bool = true
) throws(ScrubError) -> VideoAsset {
    let asset = try beginVideo(name, stream: stream, access, savesBeside: false)
    sayWarnings(of: asset, saysMissing: saysMissing)
    return asset
}

/// Opens a named video and leaves the warnings to ``sayWarnings(of:saysMissing:)``.
///
/// - Parameter savesBeside: whether a new index may still be on its way to the disk when this returns.
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
