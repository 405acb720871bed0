internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

extension VideoAsset {
    /// Returns a plan: the picture for each thumbnail, and the cost of making the thumbnails. The call does not decode
    /// anything.
    ///
    /// Cost: one search of the index per thumbnail. The headers of the pictures in question may be read.
    ///
    /// - Throws: `usage` if the request is for fewer than 1 or more than 100,000 thumbnails, if the interval is not
    ///   above 0, if the tolerance is negative, or if a frame does not exist. `CancellationError` if the task was
    ///   cancelled.
    public func thumbnailPlan(for request: ThumbnailPlan.Request) async throws -> ThumbnailPlan {
        try await BlockingWork.run(.brief) { try self.thumbnailPlan(for: request) }
    }

    /// Returns the plan synchronously, on the calling thread. See the asynchronous method.
    ///
    /// - Parameter isForPlayers: whether evenly spaced places are in the players' time, which may begin before the
    ///   first frame. In that case, slots before the first frame have negative times.
    package func thumbnailPlan(
        for request: ThumbnailPlan.Request, isForPlayers: Bool = false
    ) throws(ScrubError) -> ThumbnailPlan {
        let failures = file.failureCount
        // The choice of near pictures depends only on the video, not on comparisons made for other purposes.
        let planner = seekPlanner(unproven: request.tolerance == .exact ? nil : .approximate)
        let plan = try ThumbnailPlanner(
            asset: self, planner: planner, lead: isForPlayers ? playerStart : .zero
        ).plan(request)
        // If a header could not be read, its picture was not counted as a key picture, and another one was chosen
        // instead.
        try file.checkReads(since: failures)
        return plan
    }
}

extension VideoAsset {
    /// Returns the plan for sets, and the players' time at the first frame, if its slots count in that time.
    package func thumbnailPlan(
        for request: ThumbnailPlan.Request, profiles: [ThumbnailSets.Profile]
    ) throws(ScrubError) -> (plan: ThumbnailPlan, lead: Rational) {
        let isForPlayers = !profiles.allSatisfy(\.countsFromFirstFrame)
        return (try thumbnailPlan(for: request, isForPlayers: isForPlayers), isForPlayers ? playerStart : .zero)
    }
}

/// A planner of thumbnail sets.
struct ThumbnailPlanner {
    /// The maximum number of thumbnails: enough for one per second of a day.
    static let limit = 100_000

    let asset: VideoAsset
    let planner: SeekPlanner
    /// The time before the first frame that evenly spaced places also cover.
    let lead: Rational

    func plan(_ request: ThumbnailPlan.Request) throws(ScrubError) -> ThumbnailPlan {
        if case .within(let seconds) = request.tolerance, seconds < .zero {
            throw ScrubError.wrongRequest(
                "a tolerance of \(seconds.secondsText) s is invalid", advice: "use 0 or more")
        }
        let places = try places(request.positions)
        var chooser = ThumbnailChooser(asset: asset, planner: planner, tolerance: request.tolerance)
        var slots: [ThumbnailPlan.Slot] = []
        if request.tolerance != .exact { planner.expectKeyFrames(near: places.map(\.frame)) }
        for (number, place) in places.enumerated() {
            try Cancellation.check()
            let frame = chooser.frame(for: place, after: slots.last?.frameNumber)
            slots.append(
                ThumbnailPlan.Slot(
                    index: number, requestedTime: place.requested, start: place.start, end: place.end,
                    requestedFrameNumber: place.frame, frameNumber: frame, time: asset.time(ofFrame: frame),
                    isOutside: frame != place.frame && !place.onScreen.contains(frame),
                    isRepeat: slots.last?.frameNumber == frame))
        }
        let cost = planner.batchCost(of: slots.map(\.frameNumber))
        return ThumbnailPlan(
            slots: slots, slotIndices: try slotIndices(request.positions, slots),
            decodedPictureCount: cost.pictures, byteCount: cost.bytes, tolerance: request.tolerance,
            groupCount: cost.groups)
    }

    private func slotIndices(
        _ places: ThumbnailPlan.Request.Positions, _ slots: [ThumbnailPlan.Slot]
    ) throws(ScrubError) -> [Int] {
        guard case .at(let positions) = places else { return Array(slots.indices) }
        return try positions.map { (position) throws(ScrubError) in
            // This is the last slot at or before the position's time. Frames with the same time have only one slot.
            let time = try asset.presentedFrame(at: position).time
            return max(0, slots.partitioningIndex { $0.requestedTime > time } - 1)
        }
    }

    private func places(_ places: ThumbnailPlan.Request.Positions) throws(ScrubError) -> [ThumbnailTime] {
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
        case .every(let requested):
            let interval = ThumbnailPlanner.countable(requested)
            guard interval > .zero else {
                throw ScrubError.wrongRequest(
                    "an interval of \(requested.secondsText) s is invalid", advice: "use a value above 0")
            }
            let whole = max(
                1,
                -Rational.floor(
                    -Int128(counted.numerator) * Int128(interval.denominator),
                    Int128(counted.denominator) * Int128(interval.numerator)))
            guard whole <= ThumbnailPlanner.limit else { throw tooMany("\(whole)") }
            return (0..<Int64(whole)).map { i in
                let start = interval.multiplied(by: Rational(i)) ?? counted
                let end = interval.multiplied(by: Rational(i + 1)) ?? counted
                return place(start, from: start, to: min(end, counted))
            }
        case .at(let positions):
            guard (1...ThumbnailPlanner.limit).contains(positions.count) else { throw tooMany("\(positions.count)") }
            let numbers = try positions.map { (position) throws(ScrubError) in
                try asset.presentedFrame(at: position).number
            }
            // Each thumbnail is shown until the next one.
            var found: [Int] = []
            for number in Set(numbers).sorted() {
                // If several frames have the same time, players show one.
                if let last = found.last, asset.time(ofFrame: last) == asset.time(ofFrame: number) {
                    found.removeLast()
                }
                found.append(number)
            }
            return found.enumerated().map { number, frame in
                let time = asset.time(ofFrame: frame)
                let end = number + 1 < found.count ? asset.time(ofFrame: found[number + 1]) : duration
                let cue = cue(from: time, to: end)
                return ThumbnailTime(
                    requested: time, start: number == 0 ? .zero : time, end: end, frame: frame, cue: cue,
                    onScreen: cue, kind: .position)
            }
        case .scenes(let scenes):
            guard (1...ThumbnailPlanner.limit).contains(scenes.count) else { throw tooMany("\(scenes.count)") }
            return try scenes.map { (scene) throws(ScrubError) in try place(scene) }
        }
    }

    /// Returns an interval whose multiples fit in 64 bits: the given one, or the nearest whole number of nanoseconds.
    ///
    /// A time computed in floating point has a denominator of up to 10^17, and its multiples overflow.
    private static func countable(_ interval: Rational) -> Rational {
        guard interval.multiplied(by: Rational(Int64(limit))) == nil else { return interval }
        let (billion, half) = (Int128(1_000_000_000), Int128(interval.denominator) / 2)
        let nanoseconds = (Int128(interval.numerator) * billion + half) / Int128(interval.denominator)
        return Int64(exactly: nanoseconds).flatMap { Rational(checked: $0, 1_000_000_000) } ?? interval
    }

    private func tooMany(_ count: String) -> ScrubError {
        ScrubError.wrongRequest("\(count) thumbnails were requested", advice: "request 1 to \(ThumbnailPlanner.limit)")
    }

    /// Returns a place in an evenly spaced series. The given times count from ``lead`` before the first frame.
    private func place(_ time: Rational, from start: Rational, to end: Rational) -> ThumbnailTime {
        let requested = max(.zero, time.subtracting(lead) ?? time)
        let (start, end) = (start.subtracting(lead) ?? start, end.subtracting(lead) ?? end)
        let cue = cue(from: start, to: end)
        let isFrameAtStart = !cue.isEmpty && asset.time(ofFrame: cue.lowerBound) <= start
        return ThumbnailTime(
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

    /// Returns a scene's place. Its picture is one of the scene's own frames.
    private func place(_ scene: VideoScene) throws(ScrubError) -> ThumbnailTime {
        guard asset.frames.indices.contains(scene.frameNumber) else {
            throw ScrubError(
                .usage, "a scene refers to frame \(scene.frameNumber), but the video has \(asset.frames.count) frames",
                advice: "use scenes of the same video")
        }
        let first = asset.frame(onScreenAt: scene.start)
        let last = asset.frame(onScreenAt: scene.end)
        let isLast = asset.time(ofFrame: last) < scene.end
        let allowed = min(first, scene.frameNumber)..<max(last + (isLast ? 1 : 0), scene.frameNumber + 1)
        return ThumbnailTime(
            requested: asset.time(ofFrame: scene.frameNumber), start: scene.start, end: scene.end,
            frame: scene.frameNumber,
            cue: allowed, onScreen: allowed, kind: .scene)
    }

    private func part(_ numerator: Int64, _ denominator: Int64, of duration: Rational) -> Rational {
        duration.multiplied(by: Rational(numerator, denominator)) ?? duration
    }
}
