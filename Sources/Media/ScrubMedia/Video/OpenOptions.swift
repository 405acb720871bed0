internal import ScrubFileIO
internal import ScrubIndex

extension VideoAsset {
    /// Options for opening a file.
    public struct OpenOptions: Sendable {
        /// The stream's index in the file, as in ffmpeg's `-map 0:N`; `nil` for the main video stream. Opening throws
        /// `usage` for an index that is negative or does not exist.
        public var stream: Int?
        /// The location of saved indexes.
        public var cache: VideoAsset.IndexCache
        /// A closure that receives the progress of a pass over the whole file, in ``WorkProgress/Unit/bytes``. It is
        /// called on the thread that opens the file, unless a saved index or the container's index makes the pass
        /// unnecessary.
        public var progress: @Sendable (WorkProgress) -> Void
        /// Whether the previews that a ``ScrubSession`` makes of the video (``ScrubSession/Previews``) are kept on
        /// disk, next to its saved index and within the cache's limits. If so, sessions make previews of the whole
        /// video, and these are available the next time the video is opened. Existing previews are used even without
        /// this option. Default false.
        public var keepsPreviews = false
        /// The limits that apply to the file, whatever values it declares. Opening throws `usage` for a limit that is
        /// not above 0.
        public var limits = MediaLimits()
        /// The maximum size of one decoded picture in bytes, 1 or more: the ``MediaLimits/maximumPictureByteCount`` of
        /// ``limits``.
        package var pictureByteLimit: Int {
            get { limits.maximumPictureByteCount }
            set { limits.maximumPictureByteCount = newValue }
        }

        /// Creates options.
        public init(
            stream: Int? = nil, cache: VideoAsset.IndexCache = .standard,
            progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
        ) {
            self.stream = stream
            self.cache = cache
            self.progress = progress
        }
    }
}

extension VideoAsset {
    /// The directory in which indexes are saved, and the limit on their total size.
    public struct IndexCache: Sendable, Hashable {
        /// The directory; `nil` for no cache.
        public var path: String?
        /// The maximum total size of the indexes in the directory, in bytes. The least recently used indexes are
        /// removed first. If the limit is 0 or less, no indexes are kept.
        public var byteLimit: Int64

        /// Creates a cache in the given directory.
        public init(path: String?, byteLimit: Int64 = 512 << 20) {
            self.path = path
            self.byteLimit = byteLimit
        }

        /// The user's cache directory: `SCRUB_CACHE_DIR`, else `$XDG_CACHE_HOME/scrub`, else `~/.cache/scrub`.
        public static var standard: IndexCache {
            IndexCache(path: CacheDirectory.standardPath(), byteLimit: IndexStore.defaultByteLimit)
        }

        /// No cache. Indexes are neither read nor written.
        public static let none = IndexCache(path: nil)
    }
}

extension VideoAsset {
    /// The cost of opening a file.
    public struct OpenReport: Sendable {
        /// The origin of the index.
        public enum IndexOrigin: String, Sendable {
            /// The index was read from the cache.
            case saved
            /// The index was built from the file.
            case built
        }

        /// The origin of the index.
        public let indexOrigin: IndexOrigin
        /// The number of bytes that Scrub itself read from the file. It does not include the bytes that libavformat
        /// reads in a pass.
        public let readByteCount: Int64
        /// The elapsed wall-clock time.
        public let elapsed: Duration
        /// The path of the saved index; `nil` if the index is not saved.
        public let savedIndexPath: String?
        /// The reason why the index could not be saved; `nil` if there was no problem.
        public let cacheProblem: String?

        /// Returns the same report for an index that could not be saved.
        func withCacheProblem(_ problem: String) -> OpenReport {
            OpenReport(
                indexOrigin: indexOrigin, readByteCount: readByteCount, elapsed: elapsed, savedIndexPath: nil,
                cacheProblem: problem)
        }
    }
}
