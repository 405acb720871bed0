internal import ScrubPictures

extension SetVerifier {
    /// Returns the smallest difference between a thumbnail's picture and the frames that it may show. Tries cheap
    /// candidates first.
    ///
    /// If the index names the frame, it is the only candidate. Otherwise the first candidate is the frame that a
    /// manifest names for the same picture; it is verified itself. Then come frames of the slot and key pictures near
    /// it, and then the choice of a plan with `auto` tolerance. The last candidates are frames throughout the slot and
    /// half a slot before it, because other programs round to those.
    func likeness(
        of picture: RasterImage, inPlace place: Int, of set: ParsedThumbnailSet
    ) throws(ScrubError) -> (difference: Double, frame: Int?) {
        let tile = set.tiles[place]
        if let frame = tile.frame { return try likeness(of: picture, to: [frame]) }
        var best: (difference: Double, frame: Int?) = (255, nil)
        for step in 0..<4 {
            let frames =
                switch step {
                case 0: tile.frameOfManifest.map { [$0] } ?? []
                case 1: try nearFrames(tile, of: set)
                case 2: try plannedFrames(place, of: set)
                default: try spreadFrames(place, of: set)
                }
            let found = try likeness(of: picture, to: frames.filter(asset.frames.indices.contains))
            if found.difference < best.difference { best = found }
            if best.difference <= SetVerifier.likeness { break }
        }
        return best
    }

    /// Returns the frame on screen at a time of a set.
    private func frame(_ time: Rational, of set: ParsedThumbnailSet) -> Int {
        asset.frame(onScreenAt: asset.filmTime(ofPlayers: time, startingAt: set.playerStart))
    }

    /// Returns frames in a thumbnail's slot, and key pictures near it.
    func nearFrames(_ tile: ParsedThumbnailSet.Tile, of set: ParsedThumbnailSet) throws(ScrubError) -> [Int] {
        if let frame = tile.frame { return [frame] }
        let first = frame(tile.start, of: set)
        let last = frame(tile.end, of: set)
        var frames: Set<Int> = [first, (first + last) / 2, max(first, last - 1)]
        if let sum = tile.start.adding(tile.end), let time = sum.divided(by: Rational(2)) {
            frames.insert(frame(time, of: set))
        }
        let middle = FramePosition.frame((first + last) / 2)
        for place in [FramePosition.frame(first), middle] {
            let plan = try asset.thumbnailPlan(for: ThumbnailPlan.Request(.at([place]), tolerance: .keyframe))
            frames.formUnion(plan.slots.map(\.frameNumber))
        }
        return frames.sorted()
    }

    /// Returns the frames that `scrub thumbs` chooses by default, if the set's slots are one interval long.
    private func plannedFrames(_ place: Int, of set: ParsedThumbnailSet) throws(ScrubError) -> [Int] {
        if planned?.file != set.file { planned = (set.file, try plannedFrames(set)) }
        return planned?.frames.compactMap { $0.indices.contains(place) ? $0[place] : nil } ?? []
    }

    /// Returns the frames of plans whose slots begin where the set's do.
    private func plannedFrames(_ set: ParsedThumbnailSet) throws(ScrubError) -> [[Int]] {
        let tiles = set.tiles
        let isForPlayers = set.playerStart != .zero
        guard tiles.count > 1, let step = tiles[1].start.subtracting(tiles[0].start), step > .zero,
            let even = (isForPlayers ? asset.playerEnd : asset.duration).divided(by: Rational(Int64(tiles.count)))
        else { return [] }
        var places: [ThumbnailPlan.Request.Positions] = [.every(step)]
        // Times in milliseconds: an interval that is not among these was rounded.
        if (even.subtracting(step)?.magnitude ?? .one) <= ParsedThumbnailSet.millisecond {
            places.append(.count(tiles.count))
        }
        var found: [[Int]] = []
        for place in places {
            do throws(ScrubError) {
                let request = ThumbnailPlan.Request(place, tolerance: .automatic)
                let slots = try asset.thumbnailPlan(for: request, isForPlayers: isForPlayers).slots
                if slots.count == tiles.count { found.append(slots.map(\.frameNumber)) }
            } catch  where error.code == .usage {
                // A set's interval may be one that no plan accepts.
                continue
            }
        }
        return found
    }

    /// Returns at most 32 frames, evenly spread over the slot and half a slot before it.
    private func spreadFrames(_ place: Int, of set: ParsedThumbnailSet) throws(ScrubError) -> [Int] {
        let tile = set.tiles[place]
        var length = tile.end.subtracting(tile.start) ?? .zero
        // BIF has no end for the last one.
        if length <= .zero, place > 0 { length = tile.start.subtracting(set.tiles[place - 1].start) ?? .zero }
        let start = length.divided(by: Rational(2)).flatMap { tile.start.subtracting($0) } ?? tile.start
        let end = tile.start.adding(length) ?? tile.start
        let first = frame(start, of: set)
        let last = max(first, frame(end, of: set))
        return Array(stride(from: first, through: last, by: max(1, (last - first) / 31)))
    }
}
