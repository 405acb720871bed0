internal import ScrubFileIO
internal import ScrubIndex

extension VideoAsset {
    /// Options for opening a file.
    public struct OpenOptions: Sendable {
        /// The stream's place in the file, as ffmpeg's `-map 0:N` counts; `nil` for the main video stream. Opening
        /// throws `usage` for one that is below 0 or does not exist.
        public var stream: Int?
        /// The place of saved indexes.
        public var cache: VideoAsset.IndexCache
        /// Told how far a pass over the whole file is, from 0 to 1. Called on the opening thread.
        public var progress: (@Sendable (Double) -> Void)?
        /// Whether the previews that a ``ScrubSession`` makes of the video (``PreviewTrack``) are kept on the disk,
        /// beside its saved index and in the cache's limits. Then the whole film gets them, and the next opening finds
        /// them. Previews that are there are found without this option. Default false.
        public var keepsPreviews = false
        /// The limits of the file, whatever it claims. Opening throws `usage` for a limit that is not above 0.
        public var limits = MediaLimits()
        /// The most bytes that one decoded picture may take, 1 or more: ``MediaLimits/pictureByteCount`` of ``limits``.
        public var pictureByteLimit: Int {
            get { limits.pictureByteCount }
            set { limits.pictureByteCount = newValue }
        }

        /// Makes options.
        public init(
            stream: Int? = nil, cache: VideoAsset.IndexCache = .standard, progress: (@Sendable (Double) -> Void)? = nil
        ) {
            self.stream = stream
            self.cache = cache
            self.progress = progress
        }
    }
}

extension VideoAsset {
    /// The place of saved indexes between openings.
    public struct IndexCache: Sendable, Hashable {
        /// The directory; `nil` for no cache.
        public var path: String?
        /// The most bytes of all indexes in it together; those unused for longest are removed first. With 0 or less
        /// none stays.
        public var byteLimit: Int64

        /// A cache in a directory of the caller's.
        public init(path: String?, byteLimit: Int64 = 512 << 20) {
            self.path = path
            self.byteLimit = byteLimit
        }

        /// The user's cache directory: `SCRUB_CACHE_DIR`, else `$XDG_CACHE_HOME/scrub`, else `~/.cache/scrub`.
        public static var standard: IndexCache {
            IndexCache(path: CacheDirectory.standardPath(), byteLimit: IndexStore.defaultByteLimit)
        }

        /// No index is read or written.
        public static let none = IndexCache(path: nil)
    }
}

extension VideoAsset {
    /// The cost of opening a file.
    public struct OpenReport: Sendable {
        /// The origin of the index.
        public enum IndexOrigin: String, Sendable {
            /// Read from the cache.
            case saved
            /// Made from the file.
            case built
        }

        /// The origin of the index.
        public let indexOrigin: IndexOrigin
        /// Bytes read from the file by this library's own reading (a pass through libavformat reads the rest itself).
        public let bytesRead: Int64
        /// Wall time.
        public let elapsed: Duration
        /// The saved index, if it could be saved.
        public let savedIndexPath: String?
        /// Why the index could not be saved.
        public let cacheProblem: String?

        /// Returns the same of an index that could not be saved.
        func withCacheProblem(_ problem: String) -> OpenReport {
            OpenReport(
                indexOrigin: indexOrigin, bytesRead: bytesRead, elapsed: elapsed, savedIndexPath: nil,
                cacheProblem: problem)
        }
    }
}
