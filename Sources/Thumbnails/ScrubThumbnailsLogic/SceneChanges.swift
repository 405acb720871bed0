internal import ScrubBase

/// A detector of the places where one scene of a video ends and the next one begins.
///
/// It works on samples of frames in order of time. Some are adjacent in the video; others have frames between them that
/// were not sampled.
///
/// - **Cuts**: between two neighbors that differ by at least ``least``, if that is at least twice the difference of the
///   two frames before and of the two after them. Motion, fades and dissolves change gradually. If the earlier picture
///   returns within 2/5 s, the change is a flash and not a cut.
/// - **Dissolves**: ``Dissolves``; the scene begins where it becomes more visible than the previous one.
/// - **Gaps**: samples that differ by at least ``leastOfGap``, with frames between them that were not sampled. The
///   change in between is unknown: it may be a dissolve or a long camera movement.
/// - **Through black** or white: the picture a second after the blank frames differs from the one a second before them.
///
/// Blank frames do not begin a scene. With ``includesBlank``, a cut to them and a cut from them do. The thresholds were
/// chosen from the cuts of about thirty clips: docs/reports/2026-11-scenes.md.
package struct SceneChanges {
    /// The minimum difference between adjacent frames of different scenes. Usually 0.06, 15 of 255 steps per cell.
    private let least: Double
    /// Whether black, white, a single color and noise are scenes.
    private let includesBlank: Bool
    /// Like ``least``, for samples with a gap during which the camera can move.
    private var leastOfGap: Double { 1.5 * least }

    package init(least: Double = 0.06, includesBlank: Bool = false) {
        (self.least, self.includesBlank) = (least, includesBlank)
    }

    /// The beginning of a scene, by sample indexes.
    package struct Change: Hashable, Sendable {
        /// The first sample of the scene.
        package let place: Int
        /// The first sample that shows almost nothing of the previous scene.
        package let settled: Int
        /// The distance from the preceding pictures.
        package let strength: Double
    }

    /// Returns the beginnings of scenes, except the first one.
    ///
    /// - Parameter looks: the samples by frame number, each frame once.
    package func find(in looks: [SceneSample]) -> [Change] {
        let sudden = suddenChanges(in: looks)
        // A change within a dissolve is not a cut, and where there is a cut there is no dissolve.
        let slow = Dissolves.find(in: looks).filter { dissolve in
            let above = sudden.partitioningIndex { $0.place > dissolve.first }
            return above == sudden.count || sudden[above].place > dissolve.last
        }
        let all = sudden + slow.map { Change(place: $0.middle, settled: $0.settled, strength: $0.strength) }
        return all.sorted { $0.place < $1.place }
    }

    private func suddenChanges(in looks: [SceneSample]) -> [Change] {
        var changes: [Change] = []
        var before: Int?
        for place in looks.indices where !looks[place].isBlank {
            defer { before = place }
            guard let last = before else { continue }
            let strength: Double? =
                if last + 1 < place {
                    throughBlank(last, place, looks)
                } else if looks[last].frame + 1 < looks[place].frame {
                    gap(last, place, looks)
                } else {
                    cut(place, looks)
                }
            if let strength { changes.append(Change(place: place, settled: place, strength: strength)) }
        }
        guard includesBlank else { return changes }
        let known = Set(changes.map(\.place))
        for place in looks.indices.dropFirst() where looks[place - 1].isBlank || looks[place].isBlank {
            let isGap = looks[place - 1].frame + 1 < looks[place].frame
            let strength = isGap ? gap(place - 1, place, looks) : cut(place, looks)
            guard let strength, !known.contains(place) else { continue }
            changes.append(Change(place: place, settled: place, strength: strength))
        }
        return changes.sorted { $0.place < $1.place }
    }

    private func gap(_ last: Int, _ place: Int, _ looks: [SceneSample]) -> Double? {
        let distance = looks[last].signature.distance(to: looks[place].signature)
        return distance >= leastOfGap ? distance : nil
    }

    /// Compares the pictures a second away, where fades have ended.
    private func throughBlank(_ last: Int, _ place: Int, _ looks: [SceneSample]) -> Double? {
        var (first, second) = (last, place)
        while first > 0, !looks[first - 1].isBlank, near(looks[first - 1], looks[last], .one) { first -= 1 }
        while second + 1 < looks.count, !looks[second + 1].isBlank, near(looks[second + 1], looks[place], .one) {
            second += 1
        }
        let distance = looks[first].signature.distance(to: looks[second].signature)
        return distance >= least ? distance : nil
    }

    private func cut(_ place: Int, _ looks: [SceneSample]) -> Double? {
        let distance = looks[place - 1].signature.distance(to: looks[place].signature)
        guard distance >= least else { return nil }
        for other in max(1, place - 2)...min(looks.count - 1, place + 2) where other != place {
            guard looks[other - 1].frame + 1 == looks[other].frame else { continue }
            if 2 * looks[other - 1].signature.distance(to: looks[other].signature) > distance { return nil }
        }
        return isFlash(place, distance, looks) ? nil : distance
    }

    /// Returns whether a change is soon reversed, or reverses another one.
    private func isFlash(_ place: Int, _ distance: Double, _ looks: [SceneSample]) -> Bool {
        let short = Rational(2, 5)
        var other = place + 1
        while other < looks.count, near(looks[other], looks[place], short) {
            if 2 * looks[place - 1].signature.distance(to: looks[other].signature) < distance { return true }
            other += 1
        }
        other = place - 2
        while other >= 0, near(looks[other], looks[place - 1], short) {
            if 2 * looks[place].signature.distance(to: looks[other].signature) < distance { return true }
            other -= 1
        }
        return false
    }

    private func near(_ a: SceneSample, _ b: SceneSample, _ seconds: Rational) -> Bool {
        (a.time.subtracting(b.time)?.magnitude).map { $0 <= seconds } ?? false
    }
}
