package import ScrubFileIO
internal import ScrubLibAV
package import ScrubDecoding
package import ScrubIndex

/// A video file whose frames are known: how many there are, when each is on screen, and which coded picture it is.
///
/// Opening reads the container's tables or headers and decodes nothing. The index is saved, so a second opening
/// reads only that. Frames come from a ``FrameGenerator``, or from a ``FrameReader`` in code that may block.
///
/// ```swift
/// let video = try await VideoAsset.open(path: "film.mp4")
/// print(video.frames.count, video.duration)
/// ```
///
/// The first opening sets FFmpeg's log callback, of which a process has one: ``LibAVLog`` hands messages to programs.
///
/// Thread safety: safe to use from any thread.
/// Memory: about 40 bytes for each coded picture.
public final class VideoAsset: Sendable {
    package let file: MediaSource
    package let index: FrameIndex
    /// The graph of the pictures' dependencies, as far as it was asked for.
    package let graph: DependencyGraph
    /// The results of comparing restarts.
    let proofs: RestartProofs
    private let unproven: SeekPlanner.UnprovenRestarts
    let store: IndexStore?
    /// Whether sessions' previews are kept on the disk.
    let keepsPreviews: Bool
    /// Nil for a source that nothing identifies.
    let key: IndexFile.Key?
    /// The first frame's shape, once it was needed.
    let shape = Locked<PictureShape?>(nil)
    /// Nil for a video whose file keeps no transparency beside its pictures that can be read.
    let alpha: AlphaPictures?
    private let report: VideoAsset.OpenReport
    /// Nil where the index was saved when opening ended, or is not saved.
    private let saving: IndexSaving?

    /// Opens a file, and waits for it.
    ///
    /// Blocks while it reads: milliseconds for MP4, Matroska and files opened before, one pass over the file for other
    /// containers. In asynchronous code use ``open(path:options:)``.
    ///
    /// Writes: the index, to the folder of ``VideoAsset/OpenOptions/cache``; with ``VideoAsset/IndexCache/none``
    /// nothing. When the last reference to the video goes, the dependencies of its pictures that were learned meanwhile
    /// are written there too. They are some kilobytes, on the thread that lets it go.
    ///
    /// - Throws: ``ScrubError`` with `noInput` if the file does not exist, `badData` if it is not a video that can be
    ///   decoded. The code is `unavailable` if the decoder is missing, and `usage` for a stream that does not exist.
    @available(*, noasync, message: "it blocks; in asynchronous code use 'try await VideoAsset.open(path:)'")
    public convenience init(path: String, options: VideoAsset.OpenOptions = .init()) throws(ScrubError) {
        try self.init(path: path, options: options, rules: .init())
    }

    /// Opens a video that is not in a file, and waits for it.
    ///
    /// Blocks as ``init(path:options:)`` does. Writes an index only if the source identifies its content
    /// (``ByteSource/contentIdentifier``).
    ///
    /// - Parameters:
    ///   - source: the bytes; kept as long as the video.
    ///   - name: its name in errors. Its suffix helps to recognize the few formats that have no signature.
    /// - Throws: as ``init(path:options:)``; `inputOutput` with the source's own words when a read fails.
    @available(*, noasync, message: "it blocks; in asynchronous code use 'try await VideoAsset.open(source:name:)'")
    public convenience init(
        source: any ByteSource, name: String, options: VideoAsset.OpenOptions = .init()
    ) throws(ScrubError) {
        try self.init(file: try MediaSource(source, name: name), options: options, rules: .init())
    }

    /// Opens a video that is in memory, and waits for it. No index is written.
    ///
    /// Memory: the bytes are shared and not copied.
    ///
    /// - Throws: as ``init(path:options:)``.
    @available(*, noasync, message: "it blocks; in asynchronous code use 'try await VideoAsset.open(bytes:)'")
    public convenience init(
        bytes: [UInt8], name: String = "video in memory", options: VideoAsset.OpenOptions = .init()
    ) throws(ScrubError) {
        try self.init(source: MemorySource(bytes), name: name, options: options)
    }

    /// Opens a file with other rules for its index and its restarts than the usual ones; such an index should not be
    /// saved.
    package convenience init(
        path: String, options: VideoAsset.OpenOptions, rules: IndexRules = .init(),
        unproven: SeekPlanner.UnprovenRestarts = .proven, savesBeside: Bool = false
    ) throws(ScrubError) {
        try self.init(
            file: try MediaSource(path: path), options: options, rules: rules, unproven: unproven,
            savesBeside: savesBeside)
    }

    /// Opens bytes.
    ///
    /// - Parameter savesBeside: whether a new index is saved on a thread of its own: ``openReport`` waits for it, and
    ///   the last reference to the video does.
    package convenience init(
        file: MediaSource, options: VideoAsset.OpenOptions, rules: IndexRules,
        unproven: SeekPlanner.UnprovenRestarts = .proven, savesBeside: Bool = false
    ) throws(ScrubError) {
        if let stream = options.stream, stream < 0 {
            throw ScrubError(
                .usage, "has no stream \(stream)", file: file.path, advice: "streams are counted from 0")
        }
        try options.limits.check()
        // A source may know no other way to leave a read.
        let endLeaving = Cancellation.beginLeaving { file.cancel() }
        defer { endLeaving() }
        file.opening.begin(options.limits, byteCount: file.byteCount)
        defer { file.opening.end() }
        let start = ContinuousClock.now
        let place = try IndexPlace(file, options)
        if let saved = place.load() {
            if file.isRemote { (file.source as? any IndexedByteSource)?.noteSavedIndex() }
            try self.init(file, saved, place, options.limits, unproven: unproven, start: start, isSaved: true)
        } else {
            let built = try VideoAsset.index(of: file, options, rules)
            // An index that was made from interrupted reads must not be used.
            try Cancellation.check()
            try self.init(
                file, built, place, options.limits, unproven: unproven, start: start, isSaved: false,
                savesBeside: savesBeside)
        }
    }

    /// Takes an index that was made of a file, as far as the file was written.
    ///
    /// - Parameter isFinal: whether the file is written to its end, so that the index is worth saving.
    convenience init(
        _ file: MediaSource, index built: FrameIndex, options: VideoAsset.OpenOptions, isFinal: Bool
    ) throws(ScrubError) {
        let place = try isFinal ? IndexPlace(file, options) : IndexPlace()
        file.opening.begin(options.limits, byteCount: file.byteCount)
        file.opening.end()
        try self.init(file, built, place, options.limits, unproven: .proven, start: nil, isSaved: false)
    }

    /// - Parameters:
    ///   - found: the index, as it is saved or was made.
    ///   - place: the index's place.
    ///   - start: the time at which opening began; `nil` if that took no time of its own.
    ///   - isSaved: whether the index was saved before; else it is saved now.
    private init(
        _ file: MediaSource, _ found: FrameIndex, _ place: IndexPlace, _ limits: MediaLimits,
        unproven: SeekPlanner.UnprovenRestarts, start: ContinuousClock.Instant?, isSaved: Bool,
        savesBeside: Bool = false
    ) throws(ScrubError) {
        (self.file, self.unproven) = (file, unproven)
        saving = isSaved ? nil : place.save(found, isBeside: savesBeside)
        (key, store, keepsPreviews) = (place.key, place.store, place.keepsPreviews)
        let index = found.limiting(to: limits, origin: file.origin)
        self.index = index
        try index.check(limits, file)
        try index.checkDecoder(limits, path: file.path)
        alpha = index.facts.alpha.isReadable ? AlphaPictures() : nil
        graph = DependencyGraph(file: file, index: index)
        proofs = RestartProofs { place.loadProofs(of: index) }
        report = VideoAsset.OpenReport(
            indexOrigin: isSaved ? .saved : .built, bytesRead: file.cost.bytes,
            elapsed: start?.duration(to: .now) ?? .zero, savedIndexPath: place.path, cacheProblem: nil)
    }

    /// Makes the index. A failure to read is the reason of all that follows from it. An unreadable table is not
    /// missing, and no index made without it is kept.
    private static func index(
        of file: MediaSource, _ options: VideoAsset.OpenOptions, _ rules: IndexRules
    ) throws(ScrubError) -> FrameIndex {
        do throws(ScrubError) {
            let built = try IndexBuilder.makeIndex(
                of: file, requestedStream: options.stream, rules: rules, pictureByteLimit: options.pictureByteLimit,
                progress: options.progress)
            if let failure = file.lastFailure { throw failure }
            return built
        } catch {
            throw file.lastFailure ?? error
        }
    }

    /// The cost of opening.
    public var openReport: VideoAsset.OpenReport { saving?.problem.map(report.withCacheProblem) ?? report }

    deinit {
        Sandbox.forget(file.origin)
        // What was found out while reads failed may be wrong, and would stay wrong.
        guard let key, file.failureCount == 0 else { return }
        // A group or two is found out again faster than it is read back.
        let news = graph.news
        if news.unitCount >= 2000 { try? store?.save(news.tables, key) }
        if let news = proofs.news { try? store?.save(news, key) }
    }

    /// Throws the error of the last read that failed, if any. For answers that are made of the readable parts and
    /// ignore the rest.
    package func checkReads() throws(ScrubError) { try file.checkReads(since: 0) }

    /// Makes a planner for one thread.
    ///
    /// - Parameter unproven: the rule for restarts that no header proves; `nil` as the asset was opened, which is
    ///   `proven` except for tests.
    package func seekPlanner(unproven: SeekPlanner.UnprovenRestarts? = nil) -> SeekPlanner {
        let unproven = unproven ?? self.unproven
        // What is only looked at depends on the film alone, not on what was compared for others.
        return SeekPlanner(
            file: file.view(), index: index, graph: graph, proofs: unproven == .approximate ? RestartProofs() : proofs,
            unproven: unproven)
    }

    /// Reads the dependencies found at earlier times: worth it before all frames are asked about.
    func recallDependencies() {
        if let store, let key { graph.add(store.loadDependencies(key, of: index)) }
    }

    /// The file's path, or the source's name, as it was given.
    public var path: String { file.path }

    /// Returns the frame that a position names.
    ///
    /// A fraction, a time or a timecode outside the video is an error, because it is probably a mistake. Gestures,
    /// sliders and scripts that may go beyond the ends can pass `clamps`. The end itself, which is ``duration``, is the
    /// last frame.
    ///
    /// - Parameter clamps: whether a fraction, a time or a timecode outside the video names the nearest end.
    /// - Returns: the frame, and whether the position was outside the video and was clamped.
    /// - Throws: `usage` for a frame number that does not exist, and for a fraction, a time or a timecode outside the
    ///   video that is not clamped. The message has the valid range.
    public func frame(
        at position: FramePosition, clamps: Bool = false
    ) throws(ScrubError) -> (frame: PresentedFrame, isClamped: Bool) {
        let (number, isClamped) = try index.resolve(position, clamps: clamps)
        return (frames[number], isClamped)
    }

    /// Returns the message for a position outside the video; `nil` for other positions.
    ///
    /// - Parameter text: the position as it was typed.
    package func outside(_ position: FramePosition, text: String) -> OutsidePosition? {
        index.outside(position, text: text)
    }

    /// The first frame's time in the container, in seconds.
    package var startTime: Rational { Rational(units: frames[0].presentationTime, of: index.facts.timeBase) }

    /// Returns the frame on screen at an instant. Outside the video, this is the frame at the nearest end.
    package func frame(onScreenAt time: Rational) -> Int {
        (try? index.resolve(.time(time), clamps: true).frame) ?? 0
    }

    /// From the first frame's time to the end of the last one, in seconds.
    public var duration: Rational {
        Rational(units: index.duration, of: index.facts.timeBase)
    }

    /// Returns the place of a frame's time in the presentation, from 0 to 1: the position that names it.
    ///
    /// - Precondition: the frame exists.
    public func fraction(ofFrame number: Int) -> Rational {
        frames.require(number)
        return Rational(checked: index.offset(ofFrame: number), index.duration) ?? .zero
    }

    /// The part that the file promises and doesn't hold, after a download that stopped or a recording that was cut off.
    /// `nil` when all is there, or when the container promises nothing.
    ///
    /// The frames that are there are exact all the same; positions that are fractions count over them alone. Found
    /// while the index is made and saved with it: asking costs nothing.
    public var missing: VideoAsset.MissingMedia? {
        index.facts.missing.map { VideoAsset.MissingMedia($0, timeBase: index.facts.timeBase) }
    }

    /// The frames in display order.
    public var frames: PresentedFrames { PresentedFrames(index: index) }
}
