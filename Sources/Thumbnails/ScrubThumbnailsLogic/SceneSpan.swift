package import ScrubBase

/// A scene: the time from one change to the next.
///
/// Thread safety: a value.
package struct SceneSpan: Hashable, Sendable {
    /// Seconds after the first frame.
    package var start: Rational
    /// The beginning of the next scene, or the film's end.
    package var end: Rational
    /// The beginning of the longest part: later than ``start`` if a shorter scene before was added to this one.
    package var core: Rational
    /// The end of that part.
    package var coreEnd: Rational
    /// The difference of the part from the pictures before it, 0 to 1; 0 for the film's beginning.
    package var strength: Double

    /// Makes a scene.
    package init(start: Rational, end: Rational, strength: Double) {
        (self.start, self.end, self.core, self.coreEnd, self.strength) = (start, end, start, end, strength)
    }

    var length: Rational { end.subtracting(start) ?? .zero }
    private var coreLength: Rational { coreEnd.subtracting(core) ?? .zero }

    /// Returns both as one; the core is that of the longer one, of equals of the earlier one.
    func joined(with next: SceneSpan) -> SceneSpan {
        var scene = coreLength >= next.coreLength ? self : next
        (scene.start, scene.end) = (start, next.end)
        return scene
    }
}

extension SceneSpan {
    /// Returns scenes that last at least `length`, no more than `limit` of them. A short one is added to the scene
    /// before it, or to the next one if that is short too. Beyond the limit the shortest are added to the shorter of
    /// their neighbors.
    ///
    /// - Parameters:
    ///   - scenes: each ends where the next one begins.
    ///   - length: in seconds.
    ///   - limit: at least 1; `nil` for as many as there are.
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
