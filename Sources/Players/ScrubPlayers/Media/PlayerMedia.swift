internal import ScrubBase

/// The medium of a player's item: a video that may not be open yet.
///
/// Making one costs nothing. Its parts are loaded by key, each with its own status and error:
///
/// ```swift
/// let media = PlayerMedia(path: "film.mp4")
/// try await media.load(.tracks, .isPlayable)
/// if media.isPlayable == true { print(media.tracks ?? []) }
/// ```
///
/// Callers that load the same key at the same time share the work. A caller that is cancelled leaves, and the work
/// stops when no caller waits for it.
///
/// Thread safety: safe from any task and thread. Nothing blocks the threads that tasks share.
/// Memory: loaded parts stay as long as this does: the index (``VideoAsset``) and one small picture.
public final class PlayerMedia: Sendable {
    /// A part of a medium that has to be loaded.
    public enum Key: String, Sendable, Hashable, CaseIterable {
        /// The streams of the file: ``PlayerMedia/tracks``.
        case tracks
        /// Whether the first frame can be decoded, by decoding it: ``PlayerMedia/isPlayable``. A medium that holds no
        /// video, is encrypted or has no decoder here is not playable, and the key is loaded. It fails where the bytes
        /// cannot be read.
        case isPlayable
        /// From the first frame's time to the end of the last one: ``PlayerMedia/duration``.
        case duration
        /// The frames, how many and when: ``PlayerMedia/asset``.
        case frames
        /// A small picture to show until there is another: ``PlayerMedia/poster``.
        case poster
    }

    /// The loading state of a key.
    public enum Status: Sendable, Hashable {
        /// No caller has asked for it, or all callers that did have left.
        case unloaded
        /// It is being read or decoded.
        case loading
        /// It is there.
        case loaded
        /// It cannot be loaded; loading it again tries again.
        case failed(ScrubError)
    }

    /// Which video it is.
    public let identifier: PlayerMedia.Identifier
    /// The name that errors use: a file's path as the caller wrote it, or a source's name.
    public let name: String
    private let frames: SharedLoad<VideoAsset>
    private let information: SharedLoad<VideoInfo>
    private let first: SharedLoad<FirstPicture>
    private let playability: SharedLoad<Playability>
    private let givenPoster: FramePicture?
    private let decoders: Locked<DecoderPool?>

    /// A file.
    ///
    /// - Parameters:
    ///   - identifier: which video it is; `nil` for ``PlayerMedia/Identifier/init(path:)``.
    ///   - poster: a picture of the caller's for ``Key/poster``, which need not be loaded then.
    ///   - options: the options for opening it.
    public convenience init(
        path: String, identifier: PlayerMedia.Identifier? = nil, poster: FramePicture? = nil,
        options: VideoAsset.OpenOptions = .init()
    ) {
        self.init(
            name: path, identifier: identifier ?? PlayerMedia.Identifier(path: path), poster: poster,
            frames: SharedLoad { try await VideoAsset.open(path: path, options: options) })
    }

    /// Creates a medium that is opened in a way of its own when it is needed.
    ///
    /// - Parameters:
    ///   - name: its name in errors.
    ///   - identifier: which video it is.
    ///   - open: opens it; cancelled when no caller waits for it.
    package convenience init(
        name: String, identifier: PlayerMedia.Identifier, poster: FramePicture? = nil,
        opening open: @escaping @Sendable () async throws -> VideoAsset
    ) {
        self.init(name: name, identifier: identifier, poster: poster, frames: SharedLoad { try await open() })
    }

    /// Creates a medium that is not in a file.
    ///
    /// - Parameters:
    ///   - source: the bytes; kept as long as the medium. Its reads may block: they are called on threads of the
    ///     library's own.
    ///   - name: its name in errors.
    ///   - identifier: which video it is; `nil` for ``PlayerMedia/Identifier/init(source:)``.
    ///   - poster: a picture of the caller's for ``Key/poster``.
    ///   - options: the options for opening it.
    public convenience init(
        source: any ByteSource, name: String, identifier: PlayerMedia.Identifier? = nil, poster: FramePicture? = nil,
        options: VideoAsset.OpenOptions = .init()
    ) {
        self.init(
            name: name, identifier: identifier ?? PlayerMedia.Identifier(source: source), poster: poster,
            frames: SharedLoad { try await VideoAsset.open(source: source, name: name, options: options) })
    }

    /// A video that is open; ``Key/frames`` and ``Key/duration`` are loaded.
    ///
    /// - Parameters:
    ///   - identifier: which video it is; `nil` for ``PlayerMedia/Identifier/init(_:)-(VideoAsset)``.
    ///   - poster: a picture of the caller's for ``Key/poster``.
    public convenience init(_ asset: VideoAsset, identifier: PlayerMedia.Identifier? = nil, poster: FramePicture? = nil)
    {
        self.init(
            name: asset.path, identifier: identifier ?? PlayerMedia.Identifier(asset), poster: poster,
            frames: SharedLoad(loaded: asset))
    }

    /// The result of checking whether the medium can be played.
    private struct Playability: Sendable {
        /// Why not; `nil` when it can.
        let problem: String?
    }

    private init(
        name: String, identifier: PlayerMedia.Identifier, poster: FramePicture?, frames: SharedLoad<VideoAsset>
    ) {
        (self.name, self.identifier, self.frames, givenPoster) = (name, identifier, frames, poster)
        let decoders = Locked<DecoderPool?>(nil)
        self.decoders = decoders
        information = SharedLoad {
            let asset = try await frames.value()
            return try await BlockingWork.run { try asset.info() }
        }
        let first = SharedLoad {
            let asset = try await frames.value()
            // What decodes counts as the players' decoders do.
            let lease = try await decoders.withLock({ $0 })?.acquire()
            defer { lease?.release() }
            return try await BlockingWork.run { try FirstPicture(of: asset) }
        }
        self.first = first
        playability = SharedLoad {
            do {
                return Playability(problem: try await first.value().problem)
            } catch let error as ScrubError where error.code == .badData || error.code == .unavailable {
                // That is what was asked.
                return Playability(problem: error.description)
            }
        }
    }

    /// Makes the decoding for ``Key/isPlayable`` and ``Key/poster`` wait for a lease.
    package func useDecoders(of pool: DecoderPool) { decoders.withLock { $0 = pool } }

    /// Loads keys, one after the other, and stops at the first that fails; those after it stay as they were. The result
    /// of each is in ``status(of:)``, with its own error.
    ///
    /// A loaded key costs nothing more. ``Key/duration`` and ``Key/frames`` are one reading, ``Key/isPlayable`` and
    /// ``Key/poster`` one decoded picture; all others open the video first.
    ///
    /// - Throws: ``ScrubError`` of the key that failed, as ``VideoAsset/open(path:options:)`` says; for
    ///   ``Key/isPlayable`` only if it cannot be read. `CancellationError` when the task was cancelled.
    public func load(_ keys: Key...) async throws { try await load(keys) }

    /// Loads keys: ``load(_:)-(PlayerMedia.Key...)``.
    public func load(_ keys: [Key]) async throws {
        for key in keys {
            try Task.checkCancellation()
            switch key {
            case .tracks: _ = try await information.value()
            case .duration, .frames: _ = try await frames.value()
            case .isPlayable: _ = try await playability.value()
            case .poster:
                guard givenPoster == nil, try await first.value().poster == nil else { continue }
                throw missingPoster
            }
        }
    }

    /// Returns the loading state of a key.
    public func status(of key: Key) -> Status {
        switch key {
        case .tracks: Status(information.status)
        case .duration, .frames: Status(frames.status)
        case .isPlayable: Status(playability.status)
        case .poster:
            if givenPoster != nil {
                .loaded
            } else if let first = first.loaded, first.poster == nil {
                .failed(missingPoster)
            } else {
                Status(first.status)
            }
        }
    }

    private var missingPoster: ScrubError {
        ScrubError(
            .badData, "no picture can be made of it: \(first.loaded?.problem ?? "nothing was decoded")", file: name,
            advice: "give a poster")
    }
}

// What was loaded.
extension PlayerMedia {
    /// The video; `nil` until ``Key/frames`` is loaded.
    public var asset: VideoAsset? { frames.loaded }
    /// In seconds; `nil` until ``Key/duration`` is loaded.
    public var duration: Rational? { asset?.duration }
    /// The file's streams; `nil` until ``Key/tracks`` is loaded.
    public var tracks: [VideoInfo.Stream]? { information.loaded?.streams }
    /// Information about the video; `nil` until ``Key/tracks`` is loaded.
    public var info: VideoInfo? { information.loaded }
    /// A Boolean value that indicates whether the medium can be played: it is a video whose first frame can be decoded.
    /// `nil` until ``Key/isPlayable`` is loaded.
    public var isPlayable: Bool? { playability.loaded.map { $0.problem == nil } }
    /// Why it is not playable; `nil` when it is, and until ``Key/isPlayable`` is loaded.
    public var playbackProblem: String? { playability.loaded?.problem }
    /// A picture with a long side of at most 320 samples, or the caller's own; `nil` until ``Key/poster`` is loaded.
    public var poster: FramePicture? { givenPoster ?? first.loaded?.poster }

    /// The video, loaded if it is not.
    ///
    /// - Throws: as ``load(_:)-(PlayerMedia.Key...)``.
    public func loadAsset() async throws -> VideoAsset { try await frames.value() }
}

extension PlayerMedia.Status {
    fileprivate init<Value>(_ status: SharedLoad<Value>.Status) {
        switch status {
        case .unloaded: self = .unloaded
        case .loading: self = .loading
        case .loaded: self = .loaded
        case .failed(let error): self = .failed(error)
        }
    }
}
