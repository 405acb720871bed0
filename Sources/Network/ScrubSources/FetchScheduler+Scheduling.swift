internal import ScrubSourcesLogic
internal import ScrubBase

extension FetchScheduler {
    /// Returns the requests to start and to cancel now.
    mutating func schedule(now: Int64) -> [Action] {
        var actions: [Action] = []
        guard failure == nil else {
            for index in transfers.indices.reversed() { drop(index, &actions) }
            return actions
        }
        dropUnneeded(&actions)
        resume(now: now, &actions)
        if isWhole {
            startWhole(&actions)
        } else {
            startForReaders(&actions)
            startAnnounced(&actions)
            startAhead(&actions)
        }
        return actions
    }

    /// The next time at which ``schedule(now:)`` has work without an event.
    var nextTime: Int64? {
        transfers.compactMap { transfer -> Int64? in
            if case .paused(let time) = transfer.phase { time } else { nil }
        }.min()
    }

    /// Returns whether the remaining bytes of a request are needed.
    func isNeeded(_ transfer: Transfer) -> Bool {
        if isWhole || total == nil { return true }
        if isAnnounced(transfer) { return true }
        if let sequence = transfer.sequence, sequences.isAlive(sequence) { return true }
        return readers.values.contains { transfer.overlaps($0.wanted) }
    }

    private func isAnnounced(_ transfer: Transfer) -> Bool {
        guard let parts = transfer.parts else { return announcedSet.overlaps(transfer.range) }
        return parts.ranges.contains { announcedSet.overlaps($0) }
    }

    var activeCount: Int {
        transfers.count { $0.phase != .ending }
    }

    private mutating func drop(_ index: Int, _ actions: inout [Action]) {
        switch transfers[index].phase {
        case .running:
            transfers[index].phase = .ending
            actions.append(.cancel(transfers[index].id))
        case .paused: actions.append(.cancel(transfers.remove(at: index).id))
        case .ending: break
        }
    }

    /// Cancels requests that are no longer needed if that saves more than a new connection costs; otherwise they run to
    /// their end, and their bytes are kept.
    private mutating func dropUnneeded(_ actions: inout [Action]) {
        for index in transfers.indices.reversed() where !isNeeded(transfers[index]) {
            if case .running = transfers[index].phase, transfers[index].remaining <= link.bytesPerConnect { continue }
            drop(index, &actions)
        }
    }

    private mutating func resume(now: Int64, _ actions: inout [Action]) {
        for index in transfers.indices {
            guard case .paused(let time) = transfers[index].phase, time <= now else { continue }
            if isWhole { transfers[index].range = 0..<(total ?? .max) }
            run(index, &actions)
        }
    }

    private mutating func run(_ index: Int, _ actions: inout [Action]) {
        transfers[index].phase = .running
        transfers[index].delivered = 0
        if let parts = transfers[index].parts {
            actions.append(.startSeveral(transfers[index].id, parts))
        } else {
            actions.append(.start(transfers[index].id, transfers[index].range))
        }
    }

    mutating func start(_ range: Range<Int64>, sequence: Int? = nil, _ actions: inout [Action]) {
        start(
            Transfer(id: makeID(), range: range, phase: .running, sequence: sequence, parts: parts(of: range)), &actions
        )
    }

    mutating func start(_ transfer: Transfer, _ actions: inout [Action]) {
        begunCount += 1
        transfers.append(transfer)
        run(transfers.count - 1, &actions)
    }

    // MARK: Without ranges

    private mutating func startWhole(_ actions: inout [Action]) {
        // The request for everything is the first remaining one; the others request ranges that will not be answered.
        var stream: Int?
        for index in transfers.indices.reversed() where transfers[index].phase != .ending {
            let isLast = transfers[index].parts == nil && transfers[index].range.upperBound == total ?? .max
            if isLast, stream == nil {
                stream = transfers[index].id
            } else {
                drop(index, &actions)
            }
        }
        let at = stream.flatMap { index(of: $0) }.map { transfers[$0].range.lowerBound }
        for id in readers.keys {
            guard let place = readers[id]?.wanted.lowerBound, let at, place < at, !isHeld(place) else { continue }
            readers[id]?.failure = ScrubError(
                .unavailable, "the server does not support ranges, and these bytes are no longer in memory",
                place: .byte(Int64(place)), advice: "enable the cache, or allow more memory")
        }
        let isMissing =
            total.map { total in
                readers.values.contains { $0.failure == nil && !isHeld($0.wanted.lowerBound) }
                    || announced.contains { !absent($0.clamped(to: 0..<total)).isEmpty }
            } ?? true
        if stream == nil, isMissing { start(0..<(total ?? .max), &actions) }
    }

    // MARK: Waiting reads

    private mutating func startForReaders(_ actions: inout [Action]) {
        for (id, reader) in readers.sorted(by: { $0.key < $1.key }) where reader.failure == nil {
            let place = reader.wanted.lowerBound
            guard !reader.wanted.isEmpty, !isHeld(place) else { continue }
            if let index = transfers.firstIndex(where: { $0.phase != .ending && $0.isBringing(place) }) {
                split(index, at: place, &actions)
                continue
            }
            guard makeRoom(&actions) else { return }
            if let parts = takeSmall(with: place) {
                startSeveral(parts, &actions)
            } else if announcedSet.contains(place) {
                start(takeAnnounced(from: place), &actions)
            } else {
                let sequence = reader.sequence ?? sequences.note(place, end: place)
                readers[id]?.sequence = sequence
                // The first response contains the size; until then, no ranges are guessed.
                let window = total == nil ? 0 : sequences.nextWindow(of: sequence)
                let length = max(window, Int64(reader.wanted.count))
                start(missing(from: place, atMost: length), sequence: sequence, &actions)
            }
        }
    }

    /// Splits a request, so that a read far inside it does not wait for everything before. The rest becomes a separate
    /// request.
    private mutating func split(_ index: Int, at place: Int64, _ actions: inout [Action]) {
        if let parts = transfers[index].parts { return split(index, parts, at: place, &actions) }
        let range = transfers[index].range
        let distance = place - range.lowerBound
        guard distance > max(rules.leastWait, 2 * min(link.bytesPerDelay, .max / 2)), activeCount < rules.connections
        else { return }
        transfers[index].range = range.lowerBound..<place
        start(place..<range.upperBound, sequence: transfers[index].sequence, &actions)
    }

    /// Returns whether another request may begin; one without a waiting reader is cancelled for it.
    private mutating func makeRoom(_ actions: inout [Action]) -> Bool {
        guard activeCount >= rules.connections else { return true }
        let waiting = readers.values.map(\.wanted.lowerBound)
        let idle = transfers.indices.filter { index in
            transfers[index].phase != .ending && !waiting.contains { transfers[index].isBringing($0) }
        }
        let victim =
            idle.first { !isNeeded(transfers[$0]) } ?? idle.first { !isAnnounced(transfers[$0]) }
        guard let victim else { return false }
        drop(victim, &actions)
        return true
    }

    /// Returns the missing bytes from an offset on, up to the first available one, the end, or a length.
    private func missing(from place: Int64, atMost length: Int64) -> Range<Int64> {
        let (end, overflow) = place.addingReportingOverflow(min(length, rules.requestLimit))
        let window = place..<min(overflow ? .max : end, total ?? .max)
        return absent(window).ranges.first { $0.contains(place) } ?? window
    }

    /// Returns the planned request that contains an offset, from there on. The part before it stays planned, unless it
    /// is small.
    mutating func takeAnnounced(from place: Int64) -> Range<Int64> {
        var index = queue.firstIndex { $0.contains(place) }
        if index == nil {
            // The byte was fetched once and evicted, or a request failed.
            plan()
            index = queue.firstIndex { $0.contains(place) }
        }
        guard let index else { return missing(from: place, atMost: ReadSequences.leastWindow) }
        let run = queue.remove(at: index)
        let isNear = place - run.lowerBound <= ReadSequences.leastWindow
        var begin = isNear ? run.lowerBound : place
        // Planned before other requests delivered some of it.
        begin = absent(begin..<place + 1).ranges.last?.lowerBound ?? place
        let taken = missing(from: begin, atMost: run.upperBound - begin)
        let rest = [run.lowerBound..<taken.lowerBound, taken.upperBound..<run.upperBound]
        queue.insert(contentsOf: rest.reversed().filter { !$0.isEmpty }, at: 0)
        return taken
    }

    // MARK: Announced ranges

    private mutating func startAnnounced(_ actions: inout [Action]) {
        // One connection is reserved for an unannounced read, once the first requests are in progress.
        let most = begunCount < rules.firstParts ? rules.connections : max(1, rules.connections - 1)
        while let run = queue.first, activeCount < most {
            guard let part = absent(run).ranges.first else {
                queue.removeFirst()
                continue
            }
            let flight = transfers.reduce(0) { $0 + ($1.phase == .ending ? 0 : $1.remaining) }
            guard flight < rules.inFlightLimit, aheadByteCount < rules.aheadLimit else { return }
            if let parts = takeSmall() {
                startSeveral(parts, &actions)
                continue
            }
            guard !waitsForProbe(part) else { return }
            let request = part.prefix(rules.requestLimit)
            queue[0] = request.upperBound..<run.upperBound
            if queue[0].isEmpty { queue.removeFirst() }
            start(request, &actions)
        }
    }

    /// Returns the plan before the first request, with its longest request divided. New connections start slowly, each
    /// one individually, and in parallel they need fewer round trips. Existing connections are faster than new ones, so
    /// this is done once.
    func divided(_ requests: [Range<Int64>]) -> [Range<Int64>] {
        let most = min(rules.firstParts, rules.connections) - requests.count + 1
        let lengths = requests.map { $0.upperBound - $0.lowerBound }
        guard begunCount == 0, most > 1, let longest = lengths.max(), let index = lengths.firstIndex(of: longest) else {
            return requests
        }
        let parts = min(Int64(most), longest / max(1, rules.leastPart))
        guard parts > 1 else { return requests }
        let equal = [Int64](repeating: longest / parts, count: Int(parts) - 1) + [longest]
        var result = requests
        var rest = requests[index]
        result.remove(at: index)
        for (place, length) in (self.lengths(of: rest, parts: parts) ?? equal).enumerated() {
            let part = rest.prefix(length)
            result.insert(part, at: index + place)
            rest = part.upperBound..<rest.upperBound
        }
        return result
    }

    // MARK: Read ahead

    /// Requests the next bytes of a proven sequence before they are read.
    private mutating func startAhead(_ actions: inout [Action]) {
        guard let (id, place) = nextAhead else { return }
        let next = sequences.nextWindow(of: id)
        start(missing(from: place, atMost: next), sequence: id, &actions)
    }

    /// Whether a read has made room for a request without a waiting reader.
    var wantsMore: Bool {
        guard failure == nil, !isWhole else { return false }
        return !queue.isEmpty && activeCount < max(1, rules.connections - 1) || nextAhead != nil
    }

    /// The sequence that continues, and its first byte that was not requested, if that is near.
    private var nextAhead: (sequence: Int, place: Int64)? {
        guard let total, let newest = sequences.newest, let window = newest.window,
            window >= 4 * ReadSequences.leastWindow, activeCount < max(1, rules.connections - 1)
        else { return nil }
        var place = newest.position
        while place < total, place - newest.position < window / 2 {
            if let end = memory.range(containing: place)?.upperBound ?? disk.range(containing: place)?.upperBound {
                place = end
            } else if let transfer = transfers.first(where: { $0.phase != .ending && $0.isBringing(place) }) {
                place = transfer.missing.range(containing: place)?.upperBound ?? transfer.range.upperBound
            } else {
                break
            }
        }
        guard place < total, place - newest.position < window / 2, !announcedSet.contains(place) else { return nil }
        return (newest.id, place)
    }
}
