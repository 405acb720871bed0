internal import ScrubBase

/// The plan that decides which frames around a playhead have a preview, which are made next, and which are evicted
/// first. Pure.
///
/// The video is divided into units: groups of pictures, with short ones combined and long ones split. Units are made
/// from the playhead outward, twice as far ahead of the movement as behind it. If previews of the whole video do not
/// fit, three quarters of them are for every frame of the nearest units, and the rest for every fourth frame of those
/// beyond. Every fourth frame is one whose number is divisible by four, so that a finer unit only adds to a coarser
/// one.
package struct PreviewPlan: Sendable {
    /// The density of previews in a unit.
    package enum Density: Sendable, Hashable { case everyFrame, everyFourthFrame }

    /// Frames that are made in one pass.
    package struct Pass: Sendable, Hashable {
        /// The frames of the group, or of several short groups.
        package var group: Range<Int>
        /// The frames to make, ascending, at least one.
        package var frames: [Int]
    }

    private struct Unit: Sendable {
        var frames: Range<Int>
        /// The index of the group that it belongs to.
        var group: Int
    }

    /// The groups, with short ones combined, in the video's order.
    private let groups: [Range<Int>]
    private let units: [Unit]
    package let frameCount: Int
    /// The frame around which the previews are.
    package private(set) var playhead = 0
    /// The direction of the movement: 1 forward, -1 backward, 0 unknown.
    package private(set) var direction = 0
    /// The farthest frame of the movement.
    private var turn = 0
    /// The frame around which the plan was made. The playhead moves some distance from it before the plan follows.
    private var center = 0
    private var centerDirection = 0
    /// The maximum number of previews that fit.
    package private(set) var capacity = 0
    /// Units up to this remoteness have previews of every frame; those up to two and a third times as far, of every
    /// fourth.
    private var reach = 0

    /// The minimum number of frames that are made together if groups are shorter.
    private static let leastUnit = 32
    /// The maximum number of frames of a long group that share one distance.
    private static let longestUnit = 64
    /// The number of frames that a movement must go back before it counts as turned, and that a playhead must leave a
    /// unit by before the plan follows, because a finger jitters.
    private static let jitter = 32
    /// The largest step that is not a jump. A jump has no direction.
    private static let farthestStep = 256

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - groupStarts: the first frames of the groups, in ascending order.
    ///   - frameCount: the number of frames of the video.
    package init(groupStarts: some Sequence<Int>, frameCount: Int) {
        self.frameCount = max(0, frameCount)
        var groups: [Range<Int>] = []
        var begin = 0
        for start in groupStarts where start - begin >= PreviewPlan.leastUnit && start < frameCount {
            groups.append(begin..<start)
            begin = start
        }
        if begin < frameCount { groups.append(begin..<frameCount) }
        var units: [Unit] = []
        for (place, group) in groups.enumerated() {
            let parts = (group.count + PreviewPlan.longestUnit - 1) / PreviewPlan.longestUnit
            for part in 0..<parts {
                let low = group.lowerBound + group.count * part / parts
                let high = group.lowerBound + group.count * (part + 1) / parts
                units.append(Unit(frames: low..<high, group: place))
            }
        }
        (self.groups, self.units) = (groups, units)
    }

    /// Notes the current frame.
    ///
    /// - Returns: whether the plan follows it.
    package mutating func note(_ frame: Int) -> Bool {
        guard (0..<frameCount).contains(frame) else { return false }
        if abs(frame - playhead) > PreviewPlan.farthestStep {
            // A jump has no direction.
            (direction, turn) = (0, frame)
        } else if (frame - turn) * direction > 0 {
            turn = frame
        } else if abs(frame - turn) > PreviewPlan.jitter {
            (direction, turn) = (frame > turn ? 1 : -1, frame)
        }
        playhead = frame
        guard let unit = unit(of: center) else { return false }
        let near = max(0, unit.frames.lowerBound - PreviewPlan.jitter)..<unit.frames.upperBound + PreviewPlan.jitter
        guard !near.contains(frame) || direction != centerDirection else { return false }
        (center, centerDirection) = (frame, direction)
        measure()
        return true
    }

    /// Sets the number of previews that fit.
    package mutating func fit(_ capacity: Int) {
        self.capacity = max(0, capacity)
        measure()
    }

    /// Returns the planned density of a frame's unit; `nil` if it has none.
    package func density(at frame: Int) -> Density? { unit(of: frame).flatMap { density($0, within: reach) } }

    package func isWanted(_ frame: Int) -> Bool {
        switch density(at: frame) {
        case nil: false
        case .everyFrame: true
        case .everyFourthFrame: frame.isMultiple(of: 4)
        }
    }

    /// Returns the index of the unit that contains a frame.
    ///
    /// - Precondition: the frame exists.
    package func unit(with frame: Int) -> Int {
        guard let place = place(ofUnitWith: frame) else { preconditionFailure("there is no frame \(frame)") }
        return place
    }

    /// Returns the frames of a unit that exists. They are judged together.
    package func frames(ofUnit unit: Int) -> Range<Int> { units[unit].frames }

    /// Returns how unimportant previews of a unit are. Those with the greatest remoteness are evicted first, and frames
    /// other than every fourth before those. Planned previews never have a greater value than unplanned ones.
    ///
    /// - Parameters:
    ///   - unit: the index of a unit that exists.
    ///   - isCoarse: whether it concerns every fourth frame or the others.
    package func remoteness(ofUnit unit: Int, isCoarse: Bool) -> Int {
        (isCoarse ? 3 : 7) * distance(of: units[unit])
    }

    /// Returns the frames to make next: the missing ones of the nearest group with missing frames.
    ///
    /// - Parameter isThere: returns whether a frame has its preview, or is known to have none.
    package func nextPass(_ isThere: (Int) -> Bool) -> Pass? {
        for place in outward() where !missing(units[place], isThere, most: 1).isEmpty {
            // One pass makes all planned frames of the group.
            let group = units[place].group
            let frames = units(ofGroup: group).flatMap { missing($0, isThere, most: .max) }
            return Pass(group: groups[group], frames: frames)
        }
        return nil
    }

    // MARK: Distances

    private func place(ofUnitWith frame: Int) -> Int? {
        guard (0..<frameCount).contains(frame) else { return nil }
        return units.indices.partitioningIndex { units[$0].frames.upperBound > frame }
    }

    private func unit(of frame: Int) -> Unit? { place(ofUnitWith: frame).map { units[$0] } }

    private func units(ofGroup group: Int) -> ArraySlice<Unit> {
        let low = units.indices.partitioningIndex { units[$0].group >= group }
        let high = units.indices.partitioningIndex { units[$0].group > group }
        return units[low..<high]
    }

    /// Returns the distance from a frame to a range in frames, doubled unless it lies in the direction of the movement.
    private func distance(to frames: Range<Int>, from frame: Int, _ direction: Int) -> Int {
        if frames.contains(frame) { return 0 }
        let isAhead = frames.lowerBound > frame
        let count = isAhead ? frames.lowerBound - frame : frame - frames.upperBound + 1
        return direction != 0 && (direction > 0) == isAhead ? count : 2 * count
    }

    /// Returns the distance by which a unit is judged: its group's, unless the group alone would take much of the room.
    private func distance(of unit: Unit) -> Int {
        let group = groups[unit.group]
        return distance(to: group.count <= capacity / 8 ? group : unit.frames, from: center, centerDirection)
    }

    private func density(_ unit: Unit, within reach: Int) -> Density? {
        let distance = distance(of: unit)
        if distance <= reach { return .everyFrame }
        return 3 * distance <= 7 * reach ? .everyFourthFrame : nil
    }

    /// Returns the first planned frames that a unit is missing.
    private func missing(_ unit: Unit, _ isThere: (Int) -> Bool, most: Int) -> [Int] {
        guard let density = density(unit, within: reach) else { return [] }
        let step = density == .everyFrame ? 1 : 4
        var found: [Int] = []
        var frame = (unit.frames.lowerBound + step - 1) / step * step
        while frame < unit.frames.upperBound, found.count < most {
            if !isThere(frame) { found.append(frame) }
            frame += step
        }
        return found
    }

    /// Finds the reach at which the number of planned previews equals the capacity.
    private mutating func measure() {
        // The whole video, with every frame.
        guard capacity < frameCount else { return reach = 4 * frameCount }
        var (low, high) = (-1, 2 * frameCount)
        while low + 1 < high {
            let middle = low + (high - low) / 2
            let count = units.reduce(0) { sum, unit in
                switch density(unit, within: middle) {
                case nil: sum
                case .everyFrame: sum + unit.frames.count
                case .everyFourthFrame: sum + (unit.frames.count + 3) / 4
                }
            }
            if count <= capacity { low = middle } else { high = middle }
        }
        reach = low
    }

    /// Returns the units' indexes from the playhead outward.
    private func outward() -> [Int] {
        guard let start = place(ofUnitWith: playhead) else { return [] }
        var (order, below, above) = ([start], start - 1, start + 1)
        order.reserveCapacity(units.count)
        while below >= 0 || above < units.count {
            let down = below >= 0 ? distance(to: units[below].frames, from: playhead, direction) : Int.max
            let up = above < units.count ? distance(to: units[above].frames, from: playhead, direction) : Int.max
            if up <= down {
                order.append(above)
                above += 1
            } else {
                order.append(below)
                below -= 1
            }
        }
        return order
    }
}
