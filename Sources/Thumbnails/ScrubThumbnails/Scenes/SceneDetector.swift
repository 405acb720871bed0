internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubThumbnailsLogic
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubPictures

extension VideoAsset {
    /// Finds the scenes of the video.
    ///
    /// Scenes begin at cuts, and in the middle of dissolves. The search examines key pictures first. If
    /// ``VideoScene/Options/isExact`` is set, it also examines the frames between two key pictures if these two differ,
    /// or if the coded size of a picture between them suggests a cut. This finds the exact first frame of each scene.
    /// The result depends only on the video and the options.
    ///
    /// Cost: one decoded picture for each key picture, at most two per second of video. If the scenes must be exact and
    /// the pictures change constantly, the whole video is decoded. Memory: 200 bytes for each examined frame.
    ///
    /// - Parameters:
    ///   - options: which scenes to find, and how precisely.
    ///   - progress: receives the progress, counted in ``WorkProgress/Unit/pictures``, on one of the library's threads.
    /// - Returns: the scenes, in order of time. Together, they cover the whole video.
    /// - Throws: `usage` if the ``VideoScene/Options`` are invalid, `badData` if no picture can be decoded,
    ///   `inputOutput` if reading fails. `CancellationError` if the task was cancelled; decoding stops after the
    ///   current packet.
    public func scenes(
        options: VideoScene.Options = .init(),
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> [VideoScene] {
        try await BlockingWork.run(.long) { try self.sceneReport(options: options, progress: progress).scenes }
    }

    /// Finds scenes like ``scenes(options:progress:)``, synchronously on the calling thread, and reports the cost.
    package func sceneReport(
        options: VideoScene.Options = .init(), progress: (WorkProgress) -> Void = { _ in }
    ) throws(ScrubError) -> VideoScene.Report {
        guard options.maximumSceneCount.map({ $0 >= 1 }) ?? true else {
            throw ScrubError(.usage, "the limit is \(options.maximumSceneCount ?? 0) scenes", advice: "use 1 or more")
        }
        guard options.minimumDuration >= .zero else {
            throw ScrubError.wrongRequest(
                "the minimum scene length is \(options.minimumDuration.secondsText) s", advice: "use 0 or more")
        }
        guard (0.01...1).contains(options.threshold) else {
            throw ScrubError.wrongRequest("the threshold is \(options.threshold)", advice: "use 0.01 to 1")
        }
        var detector = try SceneDetector(asset: self, options: options)
        return try detector.report(progress)
    }
}

/// A detector that examines as few frames as possible to determine where scenes begin.
private struct SceneDetector {
    let asset: VideoAsset
    let options: VideoScene.Options
    private let planner: SeekPlanner
    private let extractor: ThumbnailExtractor
    private var looks: [Int: SceneSample] = [:]
    /// The samples of damaged pictures, which count only if there are no others.
    private var damaged: [SceneSample] = []
    /// For scenes that appear gradually: by their beginning, the first frame that shows nothing of the previous scene.
    private var settled: [Rational: Int] = [:]
    private var decoded = 0

    init(asset: VideoAsset, options: VideoScene.Options) throws(ScrubError) {
        (self.asset, self.options) = (asset, options)
        planner = asset.seekPlanner(unproven: .approximate)
        var thumbnails = ThumbnailPlan.Options()
        (thumbnails.sizes, thumbnails.threadCount) = ([.standard(64)], options.threadCount)
        extractor = try ThumbnailExtractor(asset, thumbnails, for: .look)
    }

    mutating func report(_ progress: (WorkProgress) -> Void) throws(ScrubError) -> VideoScene.Report {
        let keys = try keyPictures()
        try look(at: keys, progress)
        if options.isExact { try look(at: suspects(between: keys), progress) }
        if looks.isEmpty { for look in damaged { looks[look.frame] = look } }
        guard !looks.isEmpty else { throw ScrubError(.badData, "no picture can be decoded", file: asset.path) }
        let seen = looks.values.sorted { $0.frame < $1.frame }
        return VideoScene.Report(scenes: scenes(seen), lookCount: seen.count, decodedPictureCount: decoded)
    }

    /// Returns the first frame, and key pictures at least half a second apart.
    private func keyPictures() throws(ScrubError) -> [Int] {
        let index = asset.index
        let step = Rational(1, 2)
        var found = [0]
        var last = Rational.zero
        for frame in index.restarts.compactMap({ index.frame(ofPicture: Int($0)) }).sorted() {
            try Cancellation.check()
            let time = asset.time(ofFrame: frame)
            guard let distance = time.subtracting(last), distance >= step, planner.isKeyFrame(frame) else { continue }
            found.append(frame)
            last = time
        }
        return found
    }

    /// Returns the frames between key pictures that differ, or between which a picture is large, and those after the
    /// last one.
    private func suspects(between keys: [Int]) -> [Int] {
        var frames: [Int] = []
        for (place, key) in keys.enumerated() {
            guard place + 1 < keys.count else {
                frames += key + 1..<max(key + 1, asset.frames.count)
                continue
            }
            let next = keys[place + 1]
            if let first = looks[key], let second = looks[next], first.isBlank == second.isBlank,
                first.signature.distance(to: second.signature) < min(PosterSignature.nearDuplicate, options.threshold),
                !hasLargePicture(between: key, and: next)
            {
                continue
            }
            frames += key + 1..<next
        }
        return frames
    }

    /// Returns whether a picture is so large that earlier pictures cannot have helped to predict it: half of a key
    /// picture, and four times the usual size there.
    private func hasLargePicture(between key: Int, and next: Int) -> Bool {
        let index = asset.index
        let size = { (frame: Int) in Int(index.pictures.sizes[Int(index.frames[frame])]) }
        let sizes = (key + 1..<next).map(size)
        guard let largest = sizes.max() else { return false }
        return largest * 2 >= min(size(key), size(next)) && largest / 4 >= sizes.sorted()[sizes.count / 2]
    }

    private mutating func look(at frames: [Int], _ progress: (WorkProgress) -> Void) throws(ScrubError) {
        let missing = frames.filter { looks[$0] == nil }
        guard !missing.isEmpty else { return }
        decoded += planner.batchCost(of: missing).pictures
        let count = looks.count + missing.count
        var done = looks.count
        var (found, damaged): ([SceneSample], [SceneSample]) = ([], [])
        try extractor.extract(missing) { (answer) throws(ScrubError) in
            done += 1
            progress(WorkProgress(done, of: count, .pictures))
            guard let image = answer.images.first?.scorable else { return }
            let look = SceneSample(frame: answer.frame, time: asset.time(ofFrame: answer.frame), image: image)
            // Damage looks like a change.
            if answer.isClean { found.append(look) } else { damaged.append(look) }
        }
        self.damaged += damaged
        for look in found { looks[look.frame] = look }
    }

    private mutating func scenes(_ seen: [SceneSample]) -> [VideoScene] {
        var starts: [(time: Rational, strength: Double)] = [(.zero, 0)]
        for change in SceneChanges(least: options.threshold, includesBlank: options.includesBlank).find(in: seen) {
            let time = seen[change.place].time
            starts.append((time, change.strength))
            if change.settled > change.place { settled[time] = seen[change.settled].frame }
        }
        var spans: [SceneSpan] = []
        for (place, start) in starts.enumerated() {
            let end = place + 1 < starts.count ? starts[place + 1].time : asset.duration
            // Frames with the same time are not a scene.
            if start.time < end || starts.count == 1 {
                spans.append(SceneSpan(start: start.time, end: end, strength: start.strength))
            }
        }
        return SceneSpan.joined(spans, lasting: options.minimumDuration, limit: options.maximumSceneCount).map { span in
            VideoScene(start: span.start, end: span.end, frameNumber: picture(of: span), strength: span.strength)
        }
    }

    /// Returns the scene's first frame; after a dissolve, the first that shows the scene alone. Returns the middle one
    /// if that is blank, or belongs to a short scene that was merged into it.
    private func picture(of span: SceneSpan) -> Int {
        let number = { (time: Rational) in asset.frame(onScreenAt: time) }
        let first = settled[span.start].map { min($0, number(span.end)) } ?? number(span.start)
        guard span.core > span.start || looks[first]?.isBlank == true else { return first }
        return (first + number(span.end)) / 2
    }
}
