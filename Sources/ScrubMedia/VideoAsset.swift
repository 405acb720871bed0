package import FileIO
internal import LibAV
package import ScrubDecoding
package import ScrubIndex

/// A video file whose frames are known: how many there are, when each is on screen, and which coded picture it is.
///
/// Opening reads the container's tables or headers and decodes nothing. The index is saved, so a second opening
/// reads only that. Frames are had through a ``FrameReader``.
///
/// Thread safety: safe to use from any thread; readers are made per thread.
/// Memory: about 40 bytes for each coded picture.
public final class VideoAsset: Sendable {
    package let file: FileSource
    package let index: FrameIndex
    /// What pictures depend on, as far as anybody asked.
    package let graph: DependencyGraph
    /// What comparing has shown of restarts.
    let proofs: RestartProofs
    private let unproven: SeekPlanner.UnprovenRestarts
    private let store: IndexStore?
    private let key: IndexFile.Key
    /// The first frame's shape once somebody had to know it.
    let shape = Locked<PictureShape?>(nil)
    /// What opening cost.
    public let openReport: OpenReport

    /// Opens a file.
    ///
    /// Blocks while it reads: milliseconds for MP4 and for files opened before, one pass over the file for other
    /// containers. Don't call it on a thread that must not block.
    ///
    /// - Throws: ``ScrubError`` with `noInput` when there is no such file, `badData` when it is no video that can be
    ///   decoded, `unavailable` when the decoder is missing, `usage` for a stream that does not exist.
    public convenience init(path: String, options: OpenOptions = .init()) throws(ScrubError) {
        try self.init(path: path, options: options, rules: .init())
    }

    /// Opens a file with other rules for its index and its restarts than the usual ones; such an index should not be saved.
    package init(
        path: String, options: OpenOptions, rules: IndexRules, unproven: SeekPlanner.UnprovenRestarts = .proven
    ) throws(ScrubError) {
        self.unproven = unproven
        let clock = ContinuousClock()
        let start = clock.now
        let file = try FileSource(path: path)
        self.file = file
        let store = options.cache.path.map { IndexStore(path: $0, byteLimit: options.cache.byteLimit) }
        let key = try IndexFile.Key(file, requestedStream: options.stream)
        (self.store, self.key) = (store, key)
        var origin = OpenReport.IndexOrigin.saved
        var problem: String?
        if let saved = store?.load(key) {
            index = saved.limitingPictures(toBytes: options.pictureByteLimit)
        } else {
            let built = try IndexBuilder.makeIndex(
                of: file, requestedStream: options.stream, rules: rules, pictureByteLimit: options.pictureByteLimit,
                progress: options.progress)
            index = built.limitingPictures(toBytes: options.pictureByteLimit)
            origin = .built
            do throws(ScrubError) {
                try store?.save(built, key)
            } catch {
                // A cache that can't be written costs time on the next opening and nothing else.
                problem = error.description
            }
        }
        graph = DependencyGraph(file: file, index: index)
        proofs = RestartProofs { [index] in store?.loadProofs(key, of: index) ?? [:] }
        openReport = OpenReport(
            indexOrigin: origin, bytesRead: file.cost.bytes, elapsed: clock.now - start,
            savedIndexPath: problem == nil ? store?.path(of: key) : nil, cacheProblem: problem)
    }

    deinit {
        // A group or two is found out again faster than it is read back.
        let news = graph.news
        if news.unitCount >= 2000 { try? store?.save(news.tables, key) }
        if let news = proofs.news { try? store?.save(news, key) }
    }

    /// Makes a planner for one thread.
    package func seekPlanner(unproven: SeekPlanner.UnprovenRestarts? = nil) -> SeekPlanner {
        SeekPlanner(file: file, index: index, graph: graph, proofs: proofs, unproven: unproven ?? self.unproven)
    }

    /// Reads what was found out about dependencies at earlier times: worth it before all frames are asked about.
    func recallDependencies() {
        if let store { graph.add(store.loadDependencies(key, of: index)) }
    }

    /// The file's path as it was given.
    public var path: String { file.path }

    /// What frame a position names.
    ///
    /// - Returns: the frame, and whether the position lay outside the video and was clamped to it.
    /// - Throws: `usage` for a frame number that does not exist.
    public func frame(at position: Position) throws(ScrubError) -> (frame: PresentedFrame, isClamped: Bool) {
        let (number, isClamped) = try index.resolve(position)
        return (frames[number], isClamped)
    }

    /// From the first frame's time to the end of the last one, in seconds.
    public var duration: Rational {
        Rational(checked: index.duration, 1)?.multiplied(by: index.facts.timeBase) ?? .zero
    }

    /// How far a frame's time lies in the presentation, from 0 to 1: the position that names it.
    ///
    /// - Precondition: the frame exists.
    public func fraction(ofFrame number: Int) -> Rational {
        precondition(frames.indices.contains(number), "frame \(number)")
        return Rational(checked: index.offset(ofFrame: number), index.duration) ?? .zero
    }

    /// What the file promises and doesn't hold: a download that stopped, a recording that was cut off. nil when all is
    /// there, or when the container promises nothing.
    ///
    /// The frames that are there are exact all the same; positions that are fractions count over them alone. Found while
    /// the index is made and saved with it: asking costs nothing.
    public var missing: MissingMedia? { index.facts.missing.map { MissingMedia($0, timeBase: index.facts.timeBase) } }

    /// The frames in display order.
    public var frames: PresentedFrames { PresentedFrames(index: index) }
}

/// How a file is opened.
public struct OpenOptions: Sendable {
    /// The stream's place in the file, as ffmpeg's `-map 0:N` counts; `nil` for the main video stream.
    public var stream: Int?
    /// Where indexes are kept.
    public var cache: IndexCache
    /// Told how far a pass over the whole file is, from 0 to 1. Called on the opening thread.
    public var progress: (@Sendable (Double) -> Void)?
    /// The most bytes that one decoded picture may take, 1 or more; larger ones are refused, and the answer says so. A small
    /// file can claim a picture of any size.
    ///
    /// Default 256 MiB: pictures of 7680 x 4320 with alpha and 16 bits have 253. Showing or encoding a picture takes up to
    /// seven times as much beside it, while it lasts. Decoders with memory of their own (dav1d) count pixels in place of
    /// bytes.
    public var pictureByteLimit = 256 << 20

    /// Makes options.
    public init(
        stream: Int? = nil, cache: IndexCache = .standard, progress: (@Sendable (Double) -> Void)? = nil
    ) {
        self.stream = stream
        self.cache = cache
        self.progress = progress
    }
}

/// Where indexes are kept between openings.
public struct IndexCache: Sendable, Hashable {
    /// The directory; `nil` for no cache.
    public var path: String?
    /// The most bytes of all indexes in it together; those unused for longest are removed first.
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

/// What opening a file cost.
public struct OpenReport: Sendable {
    /// Where the index came from.
    public enum IndexOrigin: String, Sendable {
        /// Read from the cache.
        case saved
        /// Made from the file.
        case built
    }

    /// Where the index came from.
    public let indexOrigin: IndexOrigin
    /// Bytes read from the file by this library's own reading (a pass through libavformat reads the rest itself).
    public let bytesRead: Int64
    /// Wall time.
    public let elapsed: Duration
    /// The saved index, if it could be saved.
    public let savedIndexPath: String?
    /// Why the index could not be saved.
    public let cacheProblem: String?
}
