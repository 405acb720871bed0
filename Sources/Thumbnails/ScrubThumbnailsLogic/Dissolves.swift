internal import ScrubBase

/// A detector of dissolves, in which one scene gradually turns into another and both are visible on the way.
///
/// A dissolve is the straight path from one picture to another. Each picture in between is a mixture of both. The
/// pictures before and after it change much less, and both ends differ by more than brightness. The pictures of a
/// camera movement are not mixtures of its first and last ones.
///
/// The thresholds were chosen with a hundred clips of other projects' test sets, in which it found exactly the five
/// dissolves: docs/reports/2026-11-scenes.md.
enum Dissolves {
    /// A dissolve, by sample indexes.
    struct Found {
        /// The last sample of the previous scene.
        let first: Int
        /// The first sample that shows more of the next scene.
        let middle: Int
        /// The first sample that shows almost only the next scene.
        let settled: Int
        /// The first sample that shows only the next scene.
        let last: Int
        /// The distance between both ends.
        let strength: Double
    }

    /// The minimum distance between the ends of two different scenes.
    private static let least = 0.09
    /// The maximum residual of a picture in between that is not a mixture of both ends, as a fraction of their
    /// distance. The first is for ends that are close. The second is the amount that simultaneous movement may add if
    /// they are far apart.
    private static let (residual, moreResidual) = (0.11, 0.1)
    /// The fraction of that distance that may change before and after.
    private static let stillness = 0.2
    /// Above this, both ends are the same picture, brighter or darker.
    private static let mostAlike = 0.9
    /// The maximum fraction of the path in a single step: more is a cut.
    private static let longestStep = 0.4
    private static let (shortest, longest) = (Rational(1, 6), Rational(3))

    /// Finds dissolves.
    ///
    /// - Parameter looks: the samples by frame number, each frame once.
    /// - Returns: the dissolves in order, without overlaps.
    static func find(in looks: [SceneSample]) -> [Found] {
        var found: [Found] = []
        var start = 0
        while start < looks.count {
            var end = start + 1
            while end < looks.count, looks[end].frame == looks[end - 1].frame + 1 { end += 1 }
            if end - start > 4 { found += DissolveSearch(looks, start..<end).found }
            start = end
        }
        // The farthest first: a part of a dissolve is a path between two mixtures.
        found.sort { ($0.strength, $1.last - $1.first, $1.first) > ($1.strength, $0.last - $0.first, $0.first) }
        var kept: [Found] = []
        for dissolve in found where kept.allSatisfy({ dissolve.last <= $0.first || dissolve.first >= $0.last }) {
            kept.append(dissolve)
        }
        return kept.sorted { $0.first < $1.first }
    }

    /// A search that compares adjacent frames of the video.
    private struct DissolveSearch {
        private let looks: [SceneSample]
        private let run: Range<Int>

        init(_ looks: [SceneSample], _ run: Range<Int>) { (self.looks, self.run) = (looks, run) }

        var found: [Found] { run.flatMap { first in looks[first].isBlank ? [] : dissolves(from: first) } }

        private func dissolves(from first: Int) -> [Found] {
            var found: [Found] = []
            var length = 4
            while first + length < run.upperBound {
                let last = first + length
                defer { length = max(length + 1, length * 5 / 4) }
                guard let time = looks[last].time.subtracting(looks[first].time), time <= longest else { break }
                if time >= shortest, let dissolve = dissolve(first, last) { found.append(dissolve) }
            }
            return found
        }

        private func dissolve(_ first: Int, _ last: Int) -> Found? {
            guard !looks[last].isBlank else { return nil }
            let distance = self.distance(first, last)
            guard distance >= least else { return nil }
            let margin = max(2, min(8, (last - first) / 4))
            let (before, after) = (first - margin, last + margin)
            if run.contains(before), self.distance(before, first) > stillness * distance { return nil }
            if run.contains(after), self.distance(last, after) > stillness * distance { return nil }
            let (a, b) = (looks[first].signature, looks[last].signature)
            guard a.likeness(to: b) < mostAlike else { return nil }
            let most = distance * (residual + moreResidual * max(0, min(1, (distance - 0.2) / 0.1)))
            var (part, middle, settled) = (0.0, last, last)
            for place in first + 1...last {
                let (next, rest) = looks[place].signature.mixture(of: a, b)
                guard rest <= most, next > part - 0.05, next < part + longestStep else { return nil }
                if next >= 0.5, middle == last { middle = place }
                if next >= 0.97, settled == last { settled = place }
                part = next
            }
            return Found(first: first, middle: middle, settled: settled, last: last, strength: distance)
        }

        private func distance(_ a: Int, _ b: Int) -> Double { looks[a].signature.distance(to: looks[b].signature) }
    }
}

extension PosterSignature {
    /// Returns the fraction of a second signature in this one if it is a mixture of two, 0 to 1, and the unexplained
    /// residual as a distance.
    fileprivate func mixture(of a: PosterSignature, _ b: PosterSignature) -> (part: Double, rest: Double) {
        var (product, square) = (0, 0)
        for i in cells.indices {
            let way = Int(b.cells[i]) - Int(a.cells[i])
            product += (Int(cells[i]) - Int(a.cells[i])) * way
            square += way * way
        }
        guard square > 0 else { return (0, distance(to: a)) }
        let part = Double(product) / Double(square)
        var rest = 0.0
        for i in cells.indices {
            let way = Double(Int(b.cells[i]) - Int(a.cells[i]))
            rest += abs(Double(Int(cells[i]) - Int(a.cells[i])) - part * way)
        }
        return (part, rest / Double(255 * cells.count))
    }

    /// Returns the likeness of two signatures, ignoring overall brightness, color and contrast: 1 for identical ones,
    /// less for others.
    fileprivate func likeness(to other: PosterSignature) -> Double {
        let (a, b) = (centered, other.centered)
        var (product, first, second) = (0.0, 0.0, 0.0)
        for i in a.indices {
            product += a[i] * b[i]
            first += a[i] * a[i]
            second += b[i] * b[i]
        }
        guard first > 0, second > 0 else { return 1 }
        return product / (first * second).squareRoot()
    }

    /// Each color minus its mean.
    private var centered: [Double] {
        var means = [0.0, 0.0, 0.0]
        for i in cells.indices { means[i % 3] += Double(cells[i]) / Double(cells.count / 3) }
        return cells.indices.map { Double(cells[$0]) - means[$0 % 3] }
    }
}
