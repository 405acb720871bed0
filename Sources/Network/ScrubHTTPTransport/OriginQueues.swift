internal import ScrubSourcesLogic

/// Which requests may begin and which wait: a limited number at any one time for each origin, in order of arrival.
struct OriginQueues<Element> {
    private struct Line {
        var running = 0
        var waiting: [Element] = []
        /// The number of removed elements at the front. Removing each one individually would move all others.
        var gone = 0
    }

    private let limit: Int
    private var lines: [RemoteURL.Origin: Line] = [:]

    /// Creates empty lines.
    ///
    /// - Parameter limit: the maximum number of simultaneous requests to one origin, at least 1.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Returns whether an element may start now; otherwise it waits.
    mutating func enter(_ element: Element, _ origin: RemoteURL.Origin) -> Bool {
        var line = lines.removeValue(forKey: origin) ?? Line()
        defer { lines[origin] = line }
        guard line.running < limit else {
            line.waiting.append(element)
            return false
        }
        line.running += 1
        return true
    }

    /// Records that a request has ended, and returns the next waiting one to start instead.
    mutating func leave(_ origin: RemoteURL.Origin) -> Element? {
        guard var line = lines.removeValue(forKey: origin) else { return nil }
        guard line.gone < line.waiting.count else {
            line.running -= 1
            // An empty line is removed, so that origins do not pile up.
            if line.running > 0 {
                line.waiting = []
                line.gone = 0
                lines[origin] = line
            }
            return nil
        }
        let next = line.waiting[line.gone]
        line.gone += 1
        if line.gone > 64, line.gone > line.waiting.count / 2 {
            line.waiting.removeFirst(line.gone)
            line.gone = 0
        }
        lines[origin] = line
        return next
    }

    /// Removes elements that no longer want to wait.
    mutating func remove(_ origin: RemoteURL.Origin, where isGone: (Element) -> Bool) {
        guard var line = lines.removeValue(forKey: origin) else { return }
        line.waiting.removeFirst(line.gone)
        line.gone = 0
        line.waiting.removeAll(where: isGone)
        lines[origin] = line
    }
}
