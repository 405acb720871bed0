package import ScrubBase

/// A scene: the time from one change to the next.
///
/// Thread safety: a value type.
package struct SceneSpan: Hashable, Sendable {
    /// The start in seconds after the first frame.
    package var start: Rational
    /// The start of the next scene, or the video's end.
    package var end: Rational
    /// The start of the longest part: later than ``start`` if a preceding shorter scene was merged into this one.
    package var core: Rational
    /// The end of that part.
    package var coreEnd: Rational
    /// The difference of the part from the preceding pictures, 0 to 1; 0 for the video's beginning.
    package var strength: Double

    /// Creates a scene.
    package init(start: Rational, end: Rational, strength: Double) {
        (self.start, self.end, self.core, self.coreEnd, self.strength) = (start, end, start, end, strength)
    }

    var length: Rational { end.subtracting(start) ?? .zero }
    private var coreLength: Rational { coreEnd.subtracting(core) ?? .zero }

    /// Returns both scenes merged; the core is that of the longer one, or of the earlier one if they are equal.
    func joined(with next: SceneSpan) -> SceneSpan {
        var scene = coreLength >= next.coreLength ? self : next
        (scene.start, scene.end) = (start, next.end)
        return scene
    }
}

extension SceneSpan {
    /// Returns scenes that last at least `length`, at most `limit` of them. A short one is merged into the previous
    /// scene, or into the next one if that is also short. Beyond the limit, the shortest are merged into the shorter of
    /// their neighbors.
    ///
    /// - Parameters:
    ///   - scenes: consecutive scenes, each of which ends where the next one begins.
    ///   - length: the minimum duration in seconds.
    ///   - limit: at least 1; `nil` for no limit.
    package static func joined(_ scenes: [SceneSpan], lasting length: Rational, limit: Int? = nil) -> [SceneSpan] {
        var rest = scenes[...]
        var kept: [SceneSpan] = []
        while let scene = rest.popFirst() {
            guard scene.length < length else {
                kept.append(scene)
                continue
            }
            if let last = kept.last, rest.first.map({ $0.length >= length || last.length <= $0.length }) ?? true {
                kept[kept.count - 1] = last.joined(with: scene)
            } else if let next = rest.first {
                rest[rest.startIndex] = scene.joined(with: next)
            } else {
                kept.append(scene)
            }
        }
        guard let limit else { return kept }
        while kept.count > max(1, limit) {
            let shortest = kept.indices.reduce(0) { kept[$1].length < kept[$0].length ? $1 : $0 }
            let isFirst = shortest == 0
            let isLast = shortest == kept.count - 1
            let joinsNext = isFirst || !isLast && kept[shortest + 1].length < kept[shortest - 1].length
            let first = joinsNext ? shortest : shortest - 1
            kept[first] = kept[first].joined(with: kept.remove(at: first + 1))
        }
        return kept
    }
}
