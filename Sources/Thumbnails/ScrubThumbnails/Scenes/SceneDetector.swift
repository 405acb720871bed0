internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubThumbnailsLogic
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubPictures

extension VideoAsset {
    /// Finds the scenes of the film.
    ///
    /// Scenes begin at cuts, and in the middle of dissolves. Key pictures are looked at first. With
    /// ``VideoScene/Options/isExact`` the frames between two of them are too, if the two differ or a picture between
    /// them is as large as cuts are. The first frame of a scene is then known. The same film and options give the same
    /// scenes.
    ///
    /// Cost: one decoded picture for each key picture, at most two a second; exactly, all of a film whose pictures
    /// change all the time. Memory: 200 bytes for each frame that is looked at.
    ///
    /// - Parameters:
    ///   - options: the number of scenes, and the precision.
    ///   - progress: told how many pictures of how many were looked at, on a thread of the library's own.
    /// - Throws: `usage` for options that ``VideoScene/Options`` excludes, `badData` when nothing can be decoded,
    ///   `inputOutput` when reading fails. `CancellationError` when the task was cancelled: the decoders stop between
    ///   two packets.
    public func scenes(
        _ options: VideoScene.Options = .init(),
        progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) async throws -> VideoScene.Report {
        try await BlockingWork.run(.long) { try self.scenes(options, progress: progress) }
    }

    /// As the asynchronous one, on the calling thread.
    package func scenes(
        _ options: VideoScene.Options = .init(), progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(ScrubError) -> VideoScene.Report {
        guard options.limit.map({ $0 >= 1 }) ?? true else {
            throw ScrubError(.usage, "\(options.limit ?? 0) scenes", advice: "ask for 1 or more")
        }
        guard options.minimumLength >= .zero else {
            throw ScrubError.wrongRequest(
                "scenes of at least \(options.minimumLength.secondsText) s", advice: "give 0 or more")
        }
        guard (0.01...1).contains(options.threshold) else {
            throw ScrubError.wrongRequest("a threshold of \(options.threshold)", advice: "give 0.01 to 1")
        }
        var detector = try SceneDetector(asset: self, options: options)
        return try detector.report(progress)
    }
}

/// Looks at as few frames as tell where scenes begin.
private struct SceneDetector {
    let asset: VideoAsset
    let options: VideoScene.Options
    private let planner: SeekPlanner
    private let extractor: ThumbnailExtractor
    private var looks: [Int: SceneLook] = [:]
    /// The looks of damaged pictures: they count only if there is nothing else.
    private var damaged: [SceneLook] = []
    /// For scenes that come in slowly, the first frame that shows nothing of the scene before, by their beginning.
    private var settled: [Rational: Int] = [:]
    private var decoded = 0

    init(asset: VideoAsset, options: VideoScene.Options) throws(ScrubError) {
        (self.asset, self.options) = (asset, options)
        planner = asset.seekPlanner(unproven: .approximate)
        var thumbnails = ThumbnailPlan.Options()
        (thumbnails.sizes, thumbnails.threadCount) = ([.standard(64)], options.threadCount)
        extractor = try ThumbnailExtractor(asset, thumbnails, for: .look)
    }

    mutating func report(_ progress: (Int, Int) -> Void) throws(ScrubError) -> VideoScene.Report {
        let keys = try keyPictures()
        try look(at: keys, progress)
        if options.isExact { try look(at: suspects(between: keys), progress) }
        if looks.isEmpty { for look in damaged { looks[look.frame] = look } }
        guard !looks.isEmpty else { throw ScrubError(.badData, "no picture can be decoded", file: asset.path) }
        let seen = looks.values.sorted { $0.frame < $1.frame }
        return VideoScene.Report(scenes: scenes(seen), lookCount: seen.count, decodedPictures: decoded)
    }

    /// Returns the first frame, and key pictures at least half a second from each other.
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

    /// Returns the frames between key pictures that differ, or between which a picture is large; and those after the
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

    /// Whether a picture is as large as one that earlier pictures do not help to predict. It is half a key picture, and
    /// four times the usual size there.
    private func hasLargePicture(between key: Int, and next: Int) -> Bool {
        let index = asset.index
        let size = { (frame: Int) in Int(index.pictures.sizes[Int(index.frames[frame])]) }
        let sizes = (key + 1..<next).map(size)
        guard let largest = sizes.max() else { return false }
        return largest * 2 >= min(size(key), size(next)) && largest / 4 >= sizes.sorted()[sizes.count / 2]
    }

    private mutating func look(at frames: [Int], _ progress: (Int, Int) -> Void) throws(ScrubError) {
        let missing = frames.filter { looks[$0] == nil }
        guard !missing.isEmpty else { return }
        decoded += planner.batchCost(of: missing).pictures
        let count = looks.count + missing.count
        var done = looks.count
        var (found, damaged): ([SceneLook], [SceneLook]) = ([], [])
        try extractor.extract(missing) { (answer) throws(ScrubError) in
            done += 1
            progress(done, count)
            guard let image = answer.images.first?.scorable else { return }
            let look = SceneLook(frame: answer.frame, time: asset.time(ofFrame: answer.frame), image: image)
            // Damage looks like a change.
            if answer.isClean { found.append(look) } else { damaged.append(look) }
        }
        self.damaged += damaged
        for look in found { looks[look.frame] = look }
    }

    private mutating func scenes(_ seen: [SceneLook]) -> [VideoScene] {
        var starts: [(time: Rational, strength: Double)] = [(.zero, 0)]
        for change in SceneChanges(least: options.threshold, includesBlank: options.includesBlank).find(in: seen) {
            let time = seen[change.place].time
            starts.append((time, change.strength))
            if change.settled > change.place { settled[time] = seen[change.settled].frame }
        }
        var spans: [SceneSpan] = []
        for (place, start) in starts.enumerated() {
            let end = place + 1 < starts.count ? starts[place + 1].time : asset.duration
            // Frames of one time are not a scene.
            if start.time < end || starts.count == 1 {
                spans.append(SceneSpan(start: start.time, end: end, strength: start.strength))
            }
        }
        return SceneSpan.joined(spans, lasting: options.minimumLength, limit: options.limit).map { span in
            VideoScene(start: span.start, end: span.end, frame: picture(of: span), strength: span.strength)
        }
    }

    /// Returns the scene's first frame, behind a dissolve the first that shows it alone. The one in its middle where
    /// that is blank, or of a short scene that was added to it.
    private func picture(of span: SceneSpan) -> Int {
        let number = { (time: Rational) in asset.frame(onScreenAt: time) }
        let first = settled[span.start].map { min($0, number(span.end)) } ?? number(span.start)
        guard span.core > span.start || looks[first]?.isBlank == true else { return first }
        return (first + number(span.end)) / 2
    }
}
