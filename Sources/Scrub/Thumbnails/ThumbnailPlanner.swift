internal import FileIO
internal import LibAV
internal import ScrubDecoding
internal import ScrubIndex

extension VideoAsset {
    /// Chooses the picture of each thumbnail, and says what it costs. Nothing is decoded.
    ///
    /// Cost: a search in the index for each thumbnail; the heads of the pictures concerned may be read.
    ///
    /// - Throws: `usage` for no or too many thumbnails, an interval that is not above 0, or a frame that does not exist.
    public func thumbnailPlan(for request: ThumbnailRequest) throws(ScrubError) -> ThumbnailPlan {
        var options = ReaderOptions()
        options.threadCount = 1
        let engine = FrameEngine(file: file, index: index, graph: graph, options: options.engine)
        return try ThumbnailPlanner(asset: self, engine: engine).plan(request)
    }
}

/// Makes the plan of a thumbnail set.
struct ThumbnailPlanner {
    /// The most thumbnails: one each second of a day is not refused.
    static let limit = 100_000

    let asset: VideoAsset
    let engine: FrameEngine

    func plan(_ request: ThumbnailRequest) throws(ScrubError) -> ThumbnailPlan {
        let places = try places(request.places)
        var chooser = Chooser(asset: asset, engine: engine, tolerance: request.tolerance)
        var slots: [ThumbnailPlan.Slot] = []
        for (number, place) in places.enumerated() {
            let frame = chooser.frame(for: place.frame, at: place.requested, in: place.allowed)
            slots.append(
                ThumbnailPlan.Slot(
                    index: number, requested: place.requested, start: place.start, end: place.end,
                    requestedFrame: place.frame, frame: frame, time: asset.time(ofFrame: frame),
                    isRepeat: slots.last?.frame == frame))
        }
        let cost = engine.batchCost(of: slots.map(\.frame))
        return ThumbnailPlan(
            slots: slots, decodedPictures: cost.pictures, byteCount: cost.bytes, groupCount: cost.groups)
    }

    private struct Place {
        var requested: Rational
        var start: Rational
        var end: Rational
        var frame: Int
        /// The frames that may stand for it; nothing for all.
        var allowed: Range<Int>?
    }

    private func places(_ places: ThumbnailRequest.Places) throws(ScrubError) -> [Place] {
        let duration = asset.duration
        switch places {
        case .count(let count):
            guard (1...ThumbnailPlanner.limit).contains(count) else { throw tooMany("\(count)") }
            return try (0..<count).map { (i) throws(ScrubError) in
                let half = Int64(2 * count)
                return try place(
                    part(Int64(2 * i + 1), half), from: part(Int64(2 * i), half), to: part(Int64(2 * i + 2), half))
            }
        case .every(let interval):
            guard interval > .zero, let count = duration.divided(by: interval) else {
                throw ScrubError(.usage, "an interval of \(interval) s", advice: "give one above 0")
            }
            let whole = max(1, -Rational.floor(-Int128(count.numerator), Int128(count.denominator)))
            guard whole <= ThumbnailPlanner.limit else { throw tooMany("\(whole)") }
            return try (0..<Int64(whole)).map { (i) throws(ScrubError) in
                let start = interval.multiplied(by: Rational(i)) ?? duration
                let end = interval.multiplied(by: Rational(i + 1)) ?? duration
                return try place(start, from: start, to: min(end, duration))
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
                return Place(requested: time, start: number == 0 ? .zero : time, end: end, frame: frame)
            }
        case .sceneChanges(let scenes):
            guard (1...ThumbnailPlanner.limit).contains(scenes.count) else { throw tooMany("\(scenes.count)") }
            return try scenes.map { (scene) throws(ScrubError) in try place(scene) }
        }
    }

    private func tooMany(_ count: String) -> ScrubError {
        ScrubError(.usage, "\(count) thumbnails", advice: "ask for 1 to \(ThumbnailPlanner.limit)")
    }

    private func place(_ time: Rational, from start: Rational, to end: Rational) throws(ScrubError) -> Place {
        Place(
            requested: time, start: start, end: end, frame: try asset.frame(at: .time(time)).frame.number)
    }

    /// A scene's picture is one of its own frames.
    private func place(_ scene: VideoScene) throws(ScrubError) -> Place {
        guard asset.frames.indices.contains(scene.frame) else {
            throw ScrubError(.usage, "a scene with frame \(scene.frame) of \(asset.frames.count)")
        }
        let first = try asset.frame(at: .time(scene.start)).frame.number
        let last = try asset.frame(at: .time(scene.end)).frame.number
        let isLast = asset.time(ofFrame: last) < scene.end
        let allowed = min(first, scene.frame)..<max(last + (isLast ? 1 : 0), scene.frame + 1)
        return Place(
            requested: asset.time(ofFrame: scene.frame), start: scene.start, end: scene.end, frame: scene.frame,
            allowed: allowed)
    }

    /// A part of the duration.
    private func part(_ numerator: Int64, _ denominator: Int64) -> Rational {
        asset.duration.multiplied(by: Rational(numerator, denominator)) ?? asset.duration
    }
}

/// Chooses the frame that a thumbnail shows.
private struct Chooser {
    private let asset: VideoAsset
    private let engine: FrameEngine
    private let tolerance: ThumbnailRequest.Tolerance
    /// Frames that stand alone as far as the container says, ascending; those that don't are taken out when it shows.
    private var keys: [Int]

    init(asset: VideoAsset, engine: FrameEngine, tolerance: ThumbnailRequest.Tolerance) {
        (self.asset, self.engine, self.tolerance) = (asset, engine, tolerance)
        let index = asset.index
        keys = tolerance == .exact ? [] : index.restarts.compactMap { index.frame(ofPicture: Int($0)) }.sorted()
    }

    mutating func frame(for frame: Int, at time: Rational, in allowed: Range<Int>?) -> Int {
        let allowed = allowed ?? 0..<asset.frames.count
        switch tolerance {
        case .exact: return frame
        // A stream without any key picture is decoded from its beginning: that is its cheapest.
        case .keyframe: return nearestKey(to: time, frame, in: allowed) ?? frame
        case .within(let seconds):
            if let key = nearestKey(to: time, frame, in: allowed), distance(asset.time(ofFrame: key), time) <= seconds {
                return key
            }
            return cheapest(within: seconds, of: time, frame, in: allowed)
        }
    }

    private mutating func nearestKey(to time: Rational, _ frame: Int, in allowed: Range<Int>) -> Int? {
        while true {
            let above = keys.partitioningIndex { $0 > frame }
            let near = [above - 1, above].filter { keys.indices.contains($0) && allowed.contains(keys[$0]) }
            let best = near.min {
                distance(asset.time(ofFrame: keys[$0]), time) < distance(asset.time(ofFrame: keys[$1]), time)
            }
            guard let best else { return nil }
            if engine.isKeyFrame(keys[best]) { return keys[best] }
            keys.remove(at: best)
        }
    }

    /// The frame with the fewest pictures to decode among those that are near enough: the earliest of a group.
    private func cheapest(
        within seconds: Rational, of time: Rational, _ frame: Int, in allowed: Range<Int>
    ) -> Int {
        var first = frame
        while first > allowed.lowerBound, distance(asset.time(ofFrame: first - 1), time) <= seconds { first -= 1 }
        var best = (frame: frame, cost: engine.distanceFromRestart(frame))
        // Later frames of the group cost more, and a new group in reach would begin with a key picture.
        for candidate in first..<frame {
            let cost = engine.distanceFromRestart(candidate)
            if cost < best.cost { best = (candidate, cost) }
        }
        return best.frame
    }

    private func distance(_ a: Rational, _ b: Rational) -> Rational {
        a.subtracting(b)?.magnitude ?? Rational(.max)
    }
}

extension VideoAsset {
    /// When a frame comes on screen, in seconds after the first one.
    ///
    /// - Precondition: the frame exists.
    public func time(ofFrame number: Int) -> Rational {
        precondition(frames.indices.contains(number), "frame \(number)")
        return Rational(checked: index.offset(ofFrame: number), 1)?.multiplied(by: index.facts.timeBase) ?? .zero
    }
}
