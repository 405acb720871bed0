internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

extension VideoAsset {
    /// Returns the picture of each thumbnail, with its cost. Nothing is decoded.
    ///
    /// Cost: a search in the index for each thumbnail; the heads of the pictures concerned may be read.
    ///
    /// - Throws: `usage` for no or too many thumbnails, an interval that is not above 0, a negative tolerance, or a
    ///   frame that does not exist. `CancellationError` when the task was cancelled.
    public func thumbnailPlan(for request: ThumbnailPlan.Request) async throws -> ThumbnailPlan {
        try await BlockingWork.run(.brief) { try self.thumbnailPlan(for: request) }
    }

    /// Like the asynchronous method, but on the calling thread.
    ///
    /// - Parameter isForPlayers: whether even places count in the players' time, which may begin before the first
    ///   frame. Slots before the first frame then have times below 0.
    package func thumbnailPlan(
        for request: ThumbnailPlan.Request, isForPlayers: Bool = false
    ) throws(ScrubError) -> ThumbnailPlan {
        let failures = file.failureCount
        // Which pictures are near depends on the film alone, not on what was compared for others.
        let planner = seekPlanner(unproven: request.tolerance == .exact ? nil : .approximate)
        let plan = try ThumbnailPlanner(
            asset: self, planner: planner, lead: isForPlayers ? playerStart : .zero
        ).plan(request)
        // A header that could not be read does not count as a keyframe, and a neighbour would have taken its place.
        try file.checkReads(since: failures)
        return plan
    }
}

/// Makes the plan of a thumbnail set.
struct ThumbnailPlanner {
    /// The most thumbnails: one each second of a day is not refused.
    static let limit = 100_000

    let asset: VideoAsset
    let planner: SeekPlanner
    /// The time before the first frame that even places include.
    let lead: Rational

    func plan(_ request: ThumbnailPlan.Request) throws(ScrubError) -> ThumbnailPlan {
        if case .within(let seconds) = request.tolerance, seconds < .zero {
            throw ScrubError.wrongRequest(
                "a tolerance of \(seconds.secondsText) s", advice: "give 0 or more")
        }
        let places = try places(request.places)
        var chooser = ThumbnailChooser(asset: asset, planner: planner, tolerance: request.tolerance)
        var slots: [ThumbnailPlan.Slot] = []
        if request.tolerance != .exact { planner.expectKeyFrames(near: places.map(\.frame)) }
        for (number, place) in places.enumerated() {
            try Cancellation.check()
            let frame = chooser.frame(for: place, after: slots.last?.frame)
            slots.append(
                ThumbnailPlan.Slot(
                    index: number, requested: place.requested, start: place.start, end: place.end,
                    requestedFrame: place.frame, frame: frame, time: asset.time(ofFrame: frame),
                    isOutside: frame != place.frame && !place.onScreen.contains(frame),
                    isRepeat: slots.last?.frame == frame))
        }
        let cost = planner.batchCost(of: slots.map(\.frame))
        return ThumbnailPlan(
            slots: slots, slotOfPosition: try slotOfPosition(request.places, slots),
            decodedPictures: cost.pictures, byteCount: cost.bytes, tolerance: request.tolerance,
            groupCount: cost.groups)
    }

    private func slotOfPosition(
        _ places: ThumbnailPlan.Request.Places, _ slots: [ThumbnailPlan.Slot]
    ) throws(ScrubError) -> [Int] {
        guard case .at(let positions) = places else { return Array(slots.indices) }
        return try positions.map { (position) throws(ScrubError) in
            // The one that begins last at or before it: of frames that share a time there is one.
            let time = try asset.frame(at: position).frame.time
            return max(0, slots.partitioningIndex { $0.requested > time } - 1)
        }
    }

    private func places(_ places: ThumbnailPlan.Request.Places) throws(ScrubError) -> [ThumbnailPlace] {
        let duration = asset.duration
        let counted = duration.adding(lead) ?? duration
        switch places {
        case .count(let count):
            guard (1...ThumbnailPlanner.limit).contains(count) else { throw tooMany("\(count)") }
            return (0..<count).map { i in
                let half = Int64(2 * count)
                return place(
                    part(Int64(2 * i + 1), half, of: counted), from: part(Int64(2 * i), half, of: counted),
                    to: part(Int64(2 * i + 2), half, of: counted))
            }
        case .every(let interval):
            guard interval > .zero, let count = counted.divided(by: interval) else {
                throw ScrubError.wrongRequest(
                    "the interval of \(interval.secondsText) s makes no progress", advice: "give one above 0")
            }
            let whole = max(1, -Rational.floor(-Int128(count.numerator), Int128(count.denominator)))
            guard whole <= ThumbnailPlanner.limit else { throw tooMany("\(whole)") }
            return (0..<Int64(whole)).map { i in
                let start = interval.multiplied(by: Rational(i)) ?? counted
                let end = interval.multiplied(by: Rational(i + 1)) ?? counted
                return place(start, from: start, to: min(end, counted))
            }
        case .at(let positions):
            guard (1...ThumbnailPlanner.limit).contains(positions.count) else { throw tooMany("\(positions.count)") }
            let numbers = try positions.map { (position) throws(ScrubError) in
                try asset.frame(at: position).frame.number
            }
            // Each is shown until the next one in time.
            var found: [Int] = []
            for number in Set(numbers).sorted() {
                // Of frames that share a time players show one.
                if let last = found.last, asset.time(ofFrame: last) == asset.time(ofFrame: number) {
                    found.removeLast()
                }
                found.append(number)
            }
            return found.enumerated().map { number, frame in
                let time = asset.time(ofFrame: frame)
                let end = number + 1 < found.count ? asset.time(ofFrame: found[number + 1]) : duration
                let cue = cue(from: time, to: end)
                return ThumbnailPlace(
                    requested: time, start: number == 0 ? .zero : time, end: end, frame: frame, cue: cue,
                    onScreen: cue, kind: .position)
            }
        case .sceneChanges(let scenes):
            guard (1...ThumbnailPlanner.limit).contains(scenes.count) else { throw tooMany("\(scenes.count)") }
            return try scenes.map { (scene) throws(ScrubError) in try place(scene) }
        }
    }

    private func tooMany(_ count: String) -> ScrubError {
        ScrubError.wrongRequest("\(count) thumbnails were asked for", advice: "ask for 1 to \(ThumbnailPlanner.limit)")
    }

    /// Returns a place of an even series. Its times count from ``lead`` before the first frame.
    private func place(_ time: Rational, from start: Rational, to end: Rational) -> ThumbnailPlace {
        let requested = max(.zero, time.subtracting(lead) ?? time)
        let (start, end) = (start.subtracting(lead) ?? start, end.subtracting(lead) ?? end)
        let cue = cue(from: start, to: end)
        let isFrameAtStart = !cue.isEmpty && asset.time(ofFrame: cue.lowerBound) <= start
        return ThumbnailPlace(
            requested: requested, start: start, end: end, frame: asset.frame(onScreenAt: requested), cue: cue,
            onScreen: (isFrameAtStart ? cue.lowerBound : max(0, cue.lowerBound - 1))..<cue.upperBound,
            kind: .interval)
    }

    /// Returns the frames that appear from one time until before another. If the second time is the end, this includes
    /// all remaining frames.
    private func cue(from start: Rational, to end: Rational) -> Range<Int> {
        let frames = 0..<asset.frames.count
        let first = frames.partitioningIndex { asset.time(ofFrame: $0) >= start }
        guard end < asset.duration else { return first..<frames.upperBound }
        return first..<max(first, frames.partitioningIndex { asset.time(ofFrame: $0) >= end })
    }

    /// A scene's picture is one of its own frames.
    private func place(_ scene: VideoScene) throws(ScrubError) -> ThumbnailPlace {
        guard asset.frames.indices.contains(scene.frame) else {
            throw ScrubError(
                .usage, "a scene with frame \(scene.frame) of \(asset.frames.count)",
                advice: "take the scenes from the same video")
        }
        let first = asset.frame(onScreenAt: scene.start)
        let last = asset.frame(onScreenAt: scene.end)
        let isLast = asset.time(ofFrame: last) < scene.end
        let allowed = min(first, scene.frame)..<max(last + (isLast ? 1 : 0), scene.frame + 1)
        return ThumbnailPlace(
            requested: asset.time(ofFrame: scene.frame), start: scene.start, end: scene.end, frame: scene.frame,
            cue: allowed, onScreen: allowed, kind: .scene)
    }

    private func part(_ numerator: Int64, _ denominator: Int64, of duration: Rational) -> Rational {
        duration.multiplied(by: Rational(numerator, denominator)) ?? duration
    }
}
