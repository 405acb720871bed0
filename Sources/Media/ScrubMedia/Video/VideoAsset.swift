package import ScrubFileIO
internal import ScrubLibAV
package import ScrubDecoding
package import ScrubIndex

/// A video whose frames are all known: how many there are, and the time and the coded picture of each.
///
/// Opening a video reads the container's tables or headers without decoding. The index is saved, so opening the same
/// file again reads only the index. To get frames, use a ``FrameGenerator``, or a ``FrameReader`` in code that may
/// block.
///
/// ```swift
/// let video = try await VideoAsset.open(path: "film.mp4")
/// print(video.frames.count, video.duration)
/// ```
///
/// When the first video is opened, Scrub sets FFmpeg's log callback, of which a process has only one. Use ``LibAVLog``
/// to receive messages.
///
/// Thread safety: safe from any thread. Memory: about 40 bytes for each coded picture.
public final class VideoAsset: Sendable {
    package let file: MediaSource
    package let index: FrameIndex
    /// The graph of the pictures' dependencies, as far as it was computed.
    package let graph: DependencyGraph
    /// The results of comparing restarts.
    let proofs: RestartProofs
    private let unproven: SeekPlanner.UnprovenRestarts
    let store: IndexStore?
    /// Whether sessions' previews are kept on disk.
    let keepsPreviews: Bool
    /// The index's key; `nil` for a source without an identifier.
    let key: IndexFile.Key?
    /// The first frame's shape, once it was needed.
    let shape = Locked<PictureShape?>(nil)
    /// The separately stored alpha; `nil` if the file has none that can be read.
    let alpha: AlphaPictures?
    private let report: VideoAsset.OpenReport
    /// The saving in progress; `nil` if the index was already saved when opening ended, or is not saved.
    private let saving: IndexSaving?

    /// Opens a file synchronously.
    ///
    /// The call blocks while it reads. For MP4, Matroska and previously opened files, this takes milliseconds. Other
    /// containers require a pass over the file. In asynchronous code, use ``open(path:options:)``.
    ///
    /// Writes: the index, to the folder of ``VideoAsset/OpenOptions/cache``. With ``VideoAsset/IndexCache/none``,
    /// nothing is written. When the last reference to the video is released, newly found dependencies between its
    /// pictures are written to the same folder. They take a few kilobytes, and are written on the thread that releases
    /// the video.
    ///
    /// - Throws: ``ScrubError`` with `noInput` if the file does not exist, `badData` if it is not a decodable video,
    ///   `unavailable` if the decoder is missing, and `usage` for a stream that does not exist.
    @available(*, noasync, message: "this blocks; in async code, use 'try await VideoAsset.open(path:)'")
    public convenience init(path: String, options: VideoAsset.OpenOptions = .init()) throws(ScrubError) {
        try self.init(path: path, options: options, rules: .init())
    }

    /// Opens a video that is not in a file, synchronously.
    ///
    /// The call blocks, like ``init(path:options:)``. The index is saved only if the source identifies its content
    /// (``ByteSource/contentIdentifier``).
    ///
    /// - Parameters:
    ///   - source: the source of the bytes, retained for the lifetime of the video.
    ///   - name: the name used in errors. Its extension helps to identify the few formats that have no signature.
    /// - Throws: the errors of ``init(path:options:)``; `inputOutput` with the source's own message if a read fails.
    @available(*, noasync, message: "this blocks; in async code, use 'try await VideoAsset.open(source:name:)'")
    public convenience init(
        source: any ByteSource, name: String, options: VideoAsset.OpenOptions = .init()
    ) throws(ScrubError) {
        try self.init(file: try MediaSource(source, name: name), options: options, rules: .init())
    }

    /// Opens a video in memory, synchronously. No index is saved.
    ///
    /// Memory: the bytes are shared, not copied.
    ///
    /// - Throws: the errors of ``init(path:options:)``.
    @available(*, noasync, message: "this blocks; in async code, use 'try await VideoAsset.open(bytes:)'")
    public convenience init(
        bytes: [UInt8], name: String = "video in memory", options: VideoAsset.OpenOptions = .init()
    ) throws(ScrubError) {
        try self.init(source: MemorySource(bytes), name: name, options: options)
    }

    /// Opens a file with different rules for its index and its restarts. Such an index should not be saved.
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
    /// - Parameter savesBeside: whether to save a new index on a separate thread. ``openReport`` and the release of the
    ///   video's last reference wait for it.
    package convenience init(
        file: MediaSource, options: VideoAsset.OpenOptions, rules: IndexRules,
        unproven: SeekPlanner.UnprovenRestarts = .proven, savesBeside: Bool = false
    ) throws(ScrubError) {
        if let stream = options.stream, stream < 0 {
            throw ScrubError(
                .usage, "has no stream \(stream)", file: file.path, advice: "streams are counted from 0")
        }
        try options.limits.check()
        // A source may have no other way to abandon a read.
        let endLeaving = Cancellation.beginLeaving { file.cancel() }
        defer { endLeaving() }
        file.opening.begin(options.limits, byteCount: file.byteCount)
        defer { file.opening.end() }
        let start = ContinuousClock.now
        let place = try IndexLocation(file, options)
        if let saved = place.load() {
            if file.isRemote { (file.source as? any IndexedByteSource)?.noteSavedIndex() }
            try self.init(file, saved, place, options.limits, unproven: unproven, start: start, isSaved: true)
        } else {
            let built = try VideoAsset.index(of: file, options, rules)
            // An index made from interrupted reads must not be used.
            try Cancellation.check()
            try self.init(
                file, built, place, options.limits, unproven: unproven, start: start, isSaved: false,
                savesBeside: savesBeside)
        }
    }

    /// Creates a video from an index of the part of a file that was written so far.
    ///
    /// - Parameter isFinal: whether the file is complete, so that the index is worth saving.
    convenience init(
        _ file: MediaSource, index built: FrameIndex, options: VideoAsset.OpenOptions, isFinal: Bool
    ) throws(ScrubError) {
        let place = try isFinal ? IndexLocation(file, options) : IndexLocation()
        file.opening.begin(options.limits, byteCount: file.byteCount)
        file.opening.end()
        try self.init(file, built, place, options.limits, unproven: .proven, start: nil, isSaved: false)
    }

    /// Creates a video from an index.
    ///
    /// - Parameters:
    ///   - found: the index, saved or new.
    ///   - place: the index's location.
    ///   - start: the time at which opening began; `nil` if it is not measured.
    ///   - isSaved: whether the index was saved before; otherwise, it is saved now.
    private init(
        _ file: MediaSource, _ found: FrameIndex, _ place: IndexLocation, _ limits: MediaLimits,
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
            indexOrigin: isSaved ? .saved : .built, readByteCount: file.cost.bytes,
            elapsed: start?.duration(to: .now) ?? .zero, savedIndexPath: place.path, cacheProblem: nil)
    }

    /// Builds the index. A read failure is reported as the cause of any resulting failure. An unreadable table does not
    /// count as missing, and an index built without it is not saved.
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

    /// The cost of opening the file.
    public var openReport: VideoAsset.OpenReport { saving?.problem.map(report.withCacheProblem) ?? report }

    deinit {
        Sandbox.forget(file.origin)
        // Findings made while reads failed may be wrong, and would stay wrong.
        guard let key, file.failureCount == 0 else { return }
        // One or two groups are analyzed faster than their result is read back.
        let news = graph.news
        if news.unitCount >= 2000 { try? store?.save(news.tables, key) }
        if let news = proofs.news { try? store?.save(news, key) }
    }

    /// Throws the error of the last failed read, if any. For answers that use the readable parts and ignore the rest.
    package func checkReads() throws(ScrubError) { try file.checkReads(since: 0) }

    /// Returns a planner for one thread.
    ///
    /// - Parameter unproven: the rule for restarts that are not confirmed by a header; `nil` for the rule with which
    ///   the asset was opened, which is `proven` except in tests.
    package func seekPlanner(unproven: SeekPlanner.UnprovenRestarts? = nil) -> SeekPlanner {
        let unproven = unproven ?? self.unproven
        // Examined pictures depend on the video only, not on comparisons made for other purposes.
        return SeekPlanner(
            file: file.view(), index: index, graph: graph, proofs: unproven == .approximate ? RestartProofs() : proofs,
            unproven: unproven)
    }

    /// Reads the dependencies found earlier. This is worthwhile before a query over all frames.
    func recallDependencies() {
        if let store, let key { graph.add(store.loadDependencies(key, of: index)) }
    }

    /// The file's path, or the source's name, as passed to the initializer.
    public var path: String { file.path }

    /// Returns the frame that a position names, without decoding anything.
    ///
    /// A fraction, time or timecode outside the video is an error, because it is probably a mistake. For gestures,
    /// sliders and scripts that may go beyond the ends, use ``presentedFrame(nearest:)``. A time equal to ``duration``
    /// names the last frame.
    ///
    /// - Throws: `usage` for a frame number that does not exist, and for a fraction, time or timecode outside the
    ///   video. The message contains the valid range.
    /// - Complexity: O(log *n*) in the number of frames.
    public func presentedFrame(at position: FramePosition) throws(ScrubError) -> PresentedFrame {
        try resolved(position).frame
    }

    /// Returns the frame that a position names, without decoding anything. A fraction, time or timecode outside the
    /// video names the frame at the nearest end.
    ///
    /// - Throws: `usage` for a frame number that does not exist, and for a timecode in a video without a constant rate.
    /// - Complexity: O(log *n*) in the number of frames.
    public func presentedFrame(nearest position: FramePosition) throws(ScrubError) -> PresentedFrame {
        try resolved(position, clamps: true).frame
    }

    /// Returns the frame that a position names, and whether the position was outside the video and was clamped.
    ///
    /// - Parameter clamps: whether a fraction, a time or a timecode outside the video names the frame at the nearest
    ///   end.
    /// - Throws: the errors of ``presentedFrame(at:)``, or of ``presentedFrame(nearest:)`` if `clamps` is true.
    package func resolved(
        _ position: FramePosition, clamps: Bool = false
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

    /// Returns the frame on screen at a time. Outside the video, this is the frame at the nearest end.
    package func frame(onScreenAt time: Rational) -> Int {
        (try? index.resolve(.time(time), clamps: true).frame) ?? 0
    }

    /// The time from the first frame's start to the last frame's end, in seconds.
    public var duration: Rational {
        Rational(units: index.duration, of: index.facts.timeBase)
    }

    /// Returns the fraction of the presentation, from 0 to 1, at which a frame begins. Used as a position, the fraction
    /// names that frame.
    ///
    /// - Precondition: the frame exists.
    public func fraction(ofFrame number: Int) -> Rational {
        frames.require(number)
        return Rational(checked: index.offset(ofFrame: number), index.duration) ?? .zero
    }

    /// The part that the file declares but does not contain, for example after an incomplete download or in a truncated
    /// recording. `nil` if the file is complete or if the container does not declare its contents.
    ///
    /// The available frames are still exact. Fractional positions are relative to the available part only. The missing
    /// part is determined when the index is built, and saved with the index, so reading this property costs nothing.
    public var missingMedia: VideoAsset.MissingMedia? {
        index.facts.missing.map { VideoAsset.MissingMedia($0, timeBase: index.facts.timeBase) }
    }

    /// The frames in display order.
    public var frames: PresentedFrames { PresentedFrames(index: index) }
}
