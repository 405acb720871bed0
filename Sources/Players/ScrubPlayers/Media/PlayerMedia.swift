internal import ScrubBase

/// The medium of a player's item: a video that need not be open yet.
///
/// Creating a medium does not open the video. Its parts are loaded by key, and each key has a separate status and
/// error:
///
/// ```swift
/// let media = PlayerMedia(path: "film.mp4")
/// try await media.load(.tracks, .isPlayable)
/// if media.isPlayable == true { print(media.tracks ?? []) }
/// ```
///
/// Callers that load the same key at the same time share the work. A cancelled caller stops waiting. The work is
/// cancelled when no caller is waiting for it.
///
/// Thread safety: safe from any task and thread. No call blocks a thread of the cooperative pool. Memory: the loaded
/// parts, which are the index (``VideoAsset``) and one small picture, are retained until the medium is released.
public final class PlayerMedia: Sendable {
    /// A part of a medium that is loaded on request.
    public enum Key: String, Sendable, Hashable, CaseIterable {
        /// The streams of the file: ``PlayerMedia/tracks``.
        case tracks
        /// Whether the first frame can be decoded: ``PlayerMedia/isPlayable``. Loading this key decodes the frame. If
        /// the medium contains no video, is encrypted or has no available decoder, the key is loaded with the value
        /// false. Loading fails only if the bytes cannot be read.
        case isPlayable
        /// The time from the first frame's start to the last frame's end: ``PlayerMedia/duration``.
        case duration
        /// The frames and their times: ``PlayerMedia/asset``.
        case frames
        /// A small picture to show until another is available: ``PlayerMedia/poster``.
        case poster
    }

    /// The loading state of a key.
    public enum Status: Sendable, Hashable {
        /// No caller has requested the key, or all callers that requested it were cancelled.
        case unloaded
        /// The part is being read or decoded.
        case loading
        /// The part is available.
        case loaded
        /// The part could not be loaded. The next call to load it tries again.
        case failed(ScrubError)
    }

    /// The video's identifier.
    public let identifier: PlayerMedia.Identifier
    /// The name used in errors: a file's path as the caller wrote it, or a source's name.
    public let name: String
    private let frames: SharedLoad<VideoAsset>
    private let information: SharedLoad<VideoInfo>
    private let first: SharedLoad<FirstPicture>
    private let playability: SharedLoad<Playability>
    private let givenPoster: FramePicture?
    private let decoders: Locked<DecoderPool?>

    /// Creates a medium from a file.
    ///
    /// - Parameters:
    ///   - identifier: the video's identifier; `nil` to create one with ``PlayerMedia/Identifier/init(path:)``.
    ///   - poster: a picture to use for ``Key/poster``, so that none has to be decoded.
    ///   - options: the options for opening the video.
    public convenience init(
        path: String, identifier: PlayerMedia.Identifier? = nil, poster: FramePicture? = nil,
        options: VideoAsset.OpenOptions = .init()
    ) {
        self.init(
            name: path, identifier: identifier ?? PlayerMedia.Identifier(path: path), poster: poster,
            frames: SharedLoad { try await VideoAsset.open(path: path, options: options) })
    }

    /// Creates a medium that is opened by a closure when needed.
    ///
    /// - Parameters:
    ///   - name: the name used in errors.
    ///   - identifier: the video's identifier.
    ///   - open: opens the video. It is cancelled if no caller is waiting for it.
    package convenience init(
        name: String, identifier: PlayerMedia.Identifier, poster: FramePicture? = nil,
        opening open: @escaping @Sendable () async throws -> VideoAsset
    ) {
        self.init(name: name, identifier: identifier, poster: poster, frames: SharedLoad { try await open() })
    }

    /// Creates a medium from a byte source.
    ///
    /// - Parameters:
    ///   - source: the source of the bytes, which the medium retains. Its reads may block, because the library calls
    ///     them on separate threads.
    ///   - name: the name used in errors.
    ///   - identifier: the video's identifier; `nil` to create one with ``PlayerMedia/Identifier/init(source:)``.
    ///   - poster: a picture to use for ``Key/poster``.
    ///   - options: the options for opening the video.
    public convenience init(
        source: any ByteSource, name: String, identifier: PlayerMedia.Identifier? = nil, poster: FramePicture? = nil,
        options: VideoAsset.OpenOptions = .init()
    ) {
        self.init(
            name: name, identifier: identifier ?? PlayerMedia.Identifier(source: source), poster: poster,
            frames: SharedLoad { try await VideoAsset.open(source: source, name: name, options: options) })
    }

    /// Creates a medium from an open video. ``Key/frames`` and ``Key/duration`` are already loaded.
    ///
    /// - Parameters:
    ///   - identifier: the video's identifier; `nil` to create one with
    ///     ``PlayerMedia/Identifier/init(_:)-(VideoAsset)``.
    ///   - poster: a picture to use for ``Key/poster``.
    public convenience init(_ asset: VideoAsset, identifier: PlayerMedia.Identifier? = nil, poster: FramePicture? = nil)
    {
        self.init(
            name: asset.path, identifier: identifier ?? PlayerMedia.Identifier(asset), poster: poster,
            frames: SharedLoad(loaded: asset))
    }

    /// The result of checking whether the medium can be played.
    private struct Playability: Sendable {
        /// The reason why it cannot be played; `nil` if it can.
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
            // This decoding needs a lease, as players' decoding does.
            let lease = try await decoders.withLock({ $0 })?.acquire()
            defer { lease?.release() }
            return try await BlockingWork.run { try FirstPicture(of: asset) }
        }
        self.first = first
        playability = SharedLoad {
            do {
                return Playability(problem: try await first.value().problem)
            } catch let error as ScrubError where error.code == .badData || error.code == .unavailable {
                // These errors mean that the medium cannot be played, so they are the result.
                return Playability(problem: error.description)
            }
        }
    }

    /// Makes the decoding for ``Key/isPlayable`` and ``Key/poster`` wait for a lease.
    package func useDecoders(of pool: DecoderPool) { decoders.withLock { $0 = pool } }

    /// Loads keys in order, and stops at the first one that fails. The remaining keys are unchanged. ``status(of:)``
    /// returns each key's result, including its error.
    ///
    /// Loading a key that is already loaded has no effect. ``Key/duration`` and ``Key/frames`` are loaded together, by
    /// opening the video. All other keys open the video first if it is not open. ``Key/isPlayable`` and ``Key/poster``
    /// share one decoded picture.
    ///
    /// - Throws: the ``ScrubError`` of the key that failed, as described for ``VideoAsset/open(path:options:)``.
    ///   ``Key/isPlayable`` fails only if the medium cannot be read. `CancellationError` if the task was cancelled.
    public func load(_ keys: Key...) async throws { try await load(keys) }

    /// Loads keys, as ``load(_:)-(PlayerMedia.Key...)`` does.
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
            .badData, "no poster could be made from this medium: \(first.loaded?.problem ?? "no frame was decoded")",
            file: name,
            advice: "provide a poster")
    }
}

// The parts that have been loaded.
extension PlayerMedia {
    /// The video; `nil` until ``Key/frames`` is loaded.
    public var asset: VideoAsset? { frames.loaded }
    /// The duration in seconds; `nil` until ``Key/duration`` is loaded.
    public var duration: Rational? { asset?.duration }
    /// The file's streams; `nil` until ``Key/tracks`` is loaded.
    public var tracks: [VideoInfo.Stream]? { information.loaded?.streams }
    /// Information about the video; `nil` until ``Key/tracks`` is loaded.
    public var info: VideoInfo? { information.loaded }
    /// Whether the medium can be played: it is a video whose first frame can be decoded. `nil` until ``Key/isPlayable``
    /// is loaded.
    public var isPlayable: Bool? { playability.loaded.map { $0.problem == nil } }
    /// The reason why the medium cannot be played; `nil` if it can be played or ``Key/isPlayable`` is not loaded yet.
    public var playbackProblem: String? { playability.loaded?.problem }
    /// A picture whose longer side has at most 320 samples, or the picture that the caller provided; `nil` until
    /// ``Key/poster`` is loaded.
    public var poster: FramePicture? { givenPoster ?? first.loaded?.poster }

    /// Returns the video, loading it if necessary.
    ///
    /// - Throws: the errors of ``load(_:)-(PlayerMedia.Key...)``.
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
