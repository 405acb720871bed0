package import ScrubSourcesLogic
internal import ScrubFileIO
internal import ScrubHLSPlaylists
internal import ScrubMedia
public import ScrubBase
public import ScrubSources

/// An HLS presentation (RFC 8216): a playlist whose segments are fetched as frames are requested.
///
/// Only playlists are fetched until a frame is requested. One rendition is selected when the presentation is opened,
/// and it does not change.
///
/// ```swift
/// let film = try await HLSVideo.open(path: "set/index.m3u8")
/// let frame = try await film.frame(at: .seconds(12.5))
/// print(frame.time, frame.verdict)
/// ```
///
/// Segments may be fragmented MP4 or MPEG-TS. They may be whole resources or byte ranges, either unencrypted or
/// encrypted with AES-128. SAMPLE-AES and other DRM (`unavailable`), variables (`EXT-X-DEFINE`), delta updates and
/// partial segments are not supported. In low-latency playlists, whole segments are read instead of partial ones.
///
/// Thread safety: safe from any task and thread. Frames are decoded in the order of the requests, on a library thread
/// that exists only while there are requests. No asynchronous call blocks a thread of the cooperative pool.
///
/// Memory: once a frame has been requested, up to three videos of one or a few segments each, with their share of
/// ``HLSVideo/Options/reader``, and 16 bytes for each counted segment. For presentations on the network, the 2 ·
/// ``MediaLimits/maximumOpenFileCount`` most recently opened segments stay open. Each has a thread, and keeps at most
/// ``NetworkOptions/memoryByteLimit`` fetched bytes.
public final class HLSVideo: Sendable {
    /// The playlist's path, as passed by the caller.
    public let path: String
    /// The selected rendition; `nil` if there was no master playlist.
    public let rendition: HLSVideo.Rendition?
    /// All renditions of the master playlist, in playlist order.
    public let renditions: [HLSVideo.Rendition]
    let options: HLSVideo.Options
    let access: any StreamAccess
    let address: StreamAddress
    /// The segments that the playlist had when it was opened.
    let timeline: StreamTimeline
    /// The reader of all asynchronous calls.
    let reader = SharedStreamReader()
    private let playlist: MediaPlaylist

    /// Opens a playlist file synchronously.
    ///
    /// The playlist may refer to files below its own folder. This initializer rejects URLs in the playlist, although
    /// the command line opens them.
    ///
    /// - Throws: ``ScrubError``: `noInput` if there is no such file, `badData` with the line number if the file is not
    ///   a valid playlist, `unavailable` for an unsupported playlist.
    @available(*, noasync, message: "this blocks; in async code, use 'try await HLSVideo.open(path:)'")
    public convenience init(path: String, options: HLSVideo.Options = .init()) throws(ScrubError) {
        try self.init(path: path, options: options, network: nil)
    }

    /// Opens a playlist file, without blocking the caller's thread. The call stops if its task is cancelled.
    ///
    /// The call reads only the playlist, no segments. URLs in the playlist are rejected, as in ``init(path:options:)``.
    ///
    /// - Throws: the errors of ``init(path:options:)``; `CancellationError` if the task was cancelled.
    public static func open(path: String, options: HLSVideo.Options = .init()) async throws -> HLSVideo {
        try await BlockingWork.run(on: .shared) { try HLSVideo(path: path, options: options) }
    }

    /// Opens a playlist file or an http or https URL, and waits for it.
    ///
    /// - Parameters:
    ///   - name: a path or a URL.
    ///   - network: creates the access that opens URLs, when the first one is needed. It receives the address that the
    ///     caller named, `nil` for a file.
    package static func open(
        _ name: String, options: HLSVideo.Options = .init(),
        network: @escaping @Sendable (RemoteURL?) throws(ScrubError) -> any StreamAccess
    ) throws(ScrubError) -> HLSVideo {
        guard StreamReference(name) == .web else {
            return try HLSVideo(path: name, options: options) { () throws(ScrubError) in try network(nil) }
        }
        let url = try RemoteURL(name)
        return try HLSVideo(.url(url), access: try network(url), options: options)
    }

    /// The network cost so far; `nil` if the network was not used.
    public var networkCost: NetworkCost? { access.cost }

    /// Opens a playlist.
    ///
    /// - Parameter network: creates the access that opens the URLs of the playlist.
    package convenience init(
        path: String, options: HLSVideo.Options = .init(), network: LocalStreamAccess.Network?
    ) throws(ScrubError) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
        // The playlist itself is the caller's, and may be a link; the files that it names may not.
        let file = try FileSource(path: path)
        file.noteAsRead()
        let access = LocalStreamAccess(folder: try ConfinedFolder(path: folder), network: network)
        try self.init(
            text: HLSVideo.text(file, name: path), address: .file(name), access: access, name: path, options: options)
    }

    /// Opens a playlist at any address.
    package convenience init(
        _ address: StreamAddress, access: any StreamAccess, options: HLSVideo.Options = .init()
    ) throws(ScrubError) {
        let found = try access.contents(of: address, for: .playlist, limit: PlaylistLimits.bytes)
        try self.init(
            text: found.bytes, address: found.address, access: access, name: address.name, options: options)
    }

    private init(
        text: [UInt8], address: StreamAddress, access: any StreamAccess, name: String, options: HLSVideo.Options
    ) throws(ScrubError) {
        try options.reader.check()
        try options.openOptions.limits.check()
        (path, self.access, self.options) = (name, access, options)
        switch try HLSVideo.parse(text, name) {
        case .media(let media):
            (playlist, self.address, rendition, renditions) = (media, address, nil, [])
        case .master(let master):
            let budget = RenditionBudget(
                width: options.preferredMaximumWidth, height: options.preferredMaximumHeight,
                peakBitRate: options.peakBitRate)
            let offered = master.choices
            guard let place = budget.choose(among: offered) else {
                throw ScrubError(
                    .badData, "the master playlist has no renditions", file: name,
                    advice: "it may be truncated: download it again")
            }
            let chosen = offered[place]
            let found = try access.contents(
                of: try access.resolve(chosen.uri, from: address), for: .playlist, limit: PlaylistLimits.bytes)
            // One level only: a master playlist in a master playlist is not valid.
            playlist = try HLSVideo.media(found.bytes, found.address.name)
            self.address = found.address
            renditions = offered.map(HLSVideo.Rendition.init)
            rendition = renditions[place]
        }
        guard !playlist.segments.isEmpty else {
            throw ScrubError(
                .badData, "has no segments\(playlist.isComplete ? "" : " yet")", file: name,
                advice: playlist.isComplete
                    ? "it may be truncated: download it again" : "try again when the stream has begun")
        }
        timeline = StreamTimeline(playlist)
    }

    /// The maximum size of a playlist; longer files are not playlists.
    package static let mostPlaylistBytes = Int64(PlaylistLimits.bytes)

    /// Returns whether a file begins like a playlist, or false if the file cannot be read.
    public static func isPlaylist(path: String) -> Bool {
        guard let file = try? FileSource(path: path) else { return false }
        return isPlaylist(file)
    }

    /// Returns whether a source begins like a playlist.
    package static func isPlaylist(_ source: any ByteSource) -> Bool {
        guard let head = try? source.read(at: 0, count: Int(min(16, max(0, source.byteCount)))) else { return false }
        return HLSPlaylist.isPlaylist(head)
    }

    /// The number of segments, as of the last ``reload()``.
    public var segmentCount: Int { reader.known?.segmentCount ?? timeline.segments.count }
    /// The sum of the segment durations that the playlist specifies, in seconds, as of the last ``reload()``. The
    /// actual duration may differ.
    public var playlistDuration: Rational { reader.known?.duration ?? timeline.duration }
    /// Whether the playlist is complete (`EXT-X-ENDLIST`), as of the last ``reload()``. No segments are added to a
    /// complete playlist.
    public var isComplete: Bool { reader.known?.isComplete ?? timeline.isComplete }
    /// Whether each segment is a single key picture (`EXT-X-I-FRAMES-ONLY`), which stays on screen until the next one.
    /// If so, frame numbers count these key pictures.
    public var hasOnlyKeyPictures: Bool { playlist.hasOnlyKeyPictures }
    /// Whether any segment that the playlist had when it was opened is encrypted.
    public var isEncrypted: Bool { timeline.segments.contains { $0.keySet != nil } }
    /// The number of discontinuities that the playlist had when it was opened. At a discontinuity, the timestamps start
    /// over, and the codec and the picture size may change.
    public var discontinuityCount: Int { timeline.runs.count - 1 }
    /// The maximum segment duration that the playlist specifies, in whole seconds.
    public var targetDuration: Int64? { playlist.targetDuration }

    /// Human-readable warnings about the playlist, as it was when it was opened.
    public var warnings: [Wording] {
        var warnings: [Wording] = []
        if hasOnlyKeyPictures {
            warnings.append(
                "the playlist has only key pictures (EXT-X-I-FRAMES-ONLY), so frame numbers count key pictures")
        }
        if !timeline.isComplete {
            warnings.append("the playlist is not complete: frames added later have no number yet")
        }
        let gaps = timeline.segments.count { $0.isGap }
        if gaps > 0 {
            warnings.append(
                "\(PlainText.amount(gaps, "segment")) of the playlist \(gaps == 1 ? "is" : "are") missing (EXT-X-GAP)")
        }
        return warnings
    }

    /// Returns the index of a new reader, which has not fetched anything.
    func newIndex() -> StreamIndex {
        StreamIndex(timeline, library: SegmentOpener(access, base: address), options: options, name: path)
    }

    /// Reads the playlist again. It stops if the work on this thread is cancelled.
    func currentPlaylist() throws(ScrubError) -> MediaPlaylist {
        try HLSVideo.media(
            access.contents(of: address, for: .playlist, limit: PlaylistLimits.bytes).bytes, address.name)
    }

    private static func text(_ file: FileSource, name: String) throws(ScrubError) -> [UInt8] {
        try file.contents(limit: PlaylistLimits.bytes)
    }

    private static func parse(_ text: [UInt8], _ name: String) throws(ScrubError) -> HLSPlaylist {
        do throws(ScrubError) {
            return try HLSPlaylist(parsing: text)
        } catch {
            throw error.inFile(name)
        }
    }

    private static func media(_ text: [UInt8], _ name: String) throws(ScrubError) -> MediaPlaylist {
        guard case .media(let media) = try parse(text, name) else {
            throw ScrubError(
                .badData, "this is a master playlist, but a media playlist was expected", file: name,
                advice:
                    "a master playlist must refer to media playlists: correct it, or open one of the media playlists")
        }
        return media
    }
}

extension HLSVideo.Rendition {
    init(_ rendition: MasterPlaylist.Rendition) {
        self.init(
            uri: rendition.uri, bandwidth: rendition.bandwidth, width: rendition.width, height: rendition.height,
            codecs: rendition.codecs)
    }
}
