internal import ScrubSourcesLogic
internal import ScrubHTTPTransport
internal import ScrubMediaCache
internal import ScrubBase

/// The work on a remote file's own thread: it starts requests, writes bytes to the cache and releases memory.
struct RemoteWorker {
    private enum Job {
        case openMedium(total: Int64, Validator)
        case begin(Int, Range<Int64>, isWhole: Bool)
        case beginSeveral(Int, ByteRanges)
        case cancel([any HTTPCancelling])
        case write(Int, at: Int64, [UInt8])
        case finish(Int)
        case evict([Int64])
        case renew
        case succeed(total: Int64, Validator)
        case end
    }

    /// The number of bytes that are written to the cache at once.
    static let chunk: Int64 = 1 << 20
    /// The pause between checks whether another process has fetched something.
    private static let otherPause: Int64 = 10_000_000
    /// The number of such checks before the bytes are fetched here too.
    private static let otherLooks = 300

    let core: RemoteCore
    /// The claims of each request, one per MiB, so that others get the first bytes before the last ones arrive.
    var claims: [Int: [FetchClaim]] = [:]
    /// The requests for several ranges.
    var several: Set<Int> = []
    private var looks: [Int: Int] = [:]
    private var actions: [FetchScheduler.Action] = []

    init(core: RemoteCore) { self.core = core }

    mutating func run() {
        while true {
            let job = next()
            switch job {
            case .openMedium(let total, let validator): openMedium(total, validator)
            case .begin(let id, let range, let isWhole): begin(id, range, isWhole)
            case .beginSeveral(let id, let parts): beginSeveral(id, parts)
            case .cancel(let handles): for handle in handles { handle.cancel() }
            case .write(let id, let place, let bytes): write(id, at: place, bytes)
            case .finish(let id):
                for claim in claims.removeValue(forKey: id) ?? [] { claim.finish() }
                looks[id] = nil
                several.remove(id)
                core.endOpening(with: id)
            case .evict(let blocks): evict(blocks)
            case .renew: core.bell.withLock { $0.medium }?.renew()
            case .succeed(let total, let validator):
                _ = try? core.surroundings.cache?.open(
                    core.key, total: total, validator: validator, isReplacing: true)
                core.bell.ring { $0.successor = nil }
            case .end:
                for claim in claims.values.joined() { claim.finish() }
                core.endOpening()
                core.bell.ring { $0.workerHasEnded = true }
                return
            }
        }
    }

    private mutating func next() -> Job {
        var actions = actions
        defer { self.actions = actions }
        let core = core
        return core.bell.wait { state in
            if state.mediumState == .wanted, let total = state.known.total {
                return .done(.openMedium(total: total, state.known.validator))
            }
            if actions.isEmpty { actions = state.board.schedule(now: core.surroundings.now()) }
            if !actions.isEmpty {
                switch actions.removeFirst() {
                case .start(let id, let range): return .done(.begin(id, range, isWhole: state.asksForWhole))
                case .startSeveral(let id, let parts): return .done(.beginSeveral(id, parts))
                case .cancel(let id):
                    if state.answers[id] == nil { state.ended.insert(id) }
                    return .done(.cancel([state.answers[id]?.handle].compactMap(\.self)))
                }
            }
            if state.mustRenew {
                state.mustRenew = false
                return .done(.renew)
            }
            if let successor = state.successor {
                return .done(.succeed(total: successor.total, successor.validator))
            }
            if state.mediumState == .settled, let job = RemoteWorker.writing(&state) { return .done(job) }
            let blocks = state.surplusBlocks
            if !blocks.isEmpty { return .done(.evict(blocks)) }
            if state.isClosing, state.answers.isEmpty { return .done(.end) }
            return .sleep(state.board.nextTime.map { max(0, $0 - core.surroundings.now()) })
        }
    }

    // MARK: Requests

    private mutating func begin(_ id: Int, _ wanted: Range<Int64>, _ isWhole: Bool) {
        guard let range = claimed(id, wanted, isWhole) else { return }
        let request = core.bell.withLock { state in state.begin(id, range, isWhole) }
        if let request { send(id, request) }
    }

    func send(_ id: Int, _ request: RemoteState.Question) {
        let handle = core.surroundings.client.start(
            HTTPRequest(
                url: core.surroundings.url, range: request.range, several: request.several,
                headers: core.surroundings.options.headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
                validator: request.validator, timeouts: core.surroundings.options.timeouts,
                shortcut: request.shortcut),
            RemoteReceiver(core: core, id: id))
        let isUnwanted = core.bell.ring { state in
            state.answers[id]?.handle = handle
            return state.isClosing
        }
        if isUnwanted { handle.cancel() }
    }

    // MARK: The cache

    /// Claims the bytes of a request, if there is a cache.
    ///
    /// - Returns: the range to request; `nil` if there is nothing to request now.
    private mutating func claimed(_ id: Int, _ range: Range<Int64>, _ isWhole: Bool) -> Range<Int64>? {
        endClaims(overlapping: ByteRanges(range))
        for (owner, list) in claims where owner != id {
            let rest = list.filter { range.contains($0.range) }
            guard !rest.isEmpty else { continue }
            claims[id, default: []] += rest
            claims[owner]?.removeAll { range.contains($0.range) }
        }
        // Claimed on the first attempt; or a body that is written as it arrives.
        guard !isWhole, claims[id] == nil, let medium = core.bell.withLock({ $0.medium }), medium.canRecord,
            !claims.values.joined().contains(where: { $0.range.overlaps(range) })
        else { return range }
        var got: [FetchClaim] = []
        var place = range.lowerBound
        while place < range.upperBound {
            let part = place..<min(range.upperBound, (place / RemoteWorker.chunk + 1) * RemoteWorker.chunk)
            guard let claim = medium.beginFetch(part) else { break }
            guard claim.missing == ByteRanges(part) else {
                // Another process has recorded some or all of the range.
                claim.abandon()
                let found = ByteRanges(part).subtracting(claim.missing)
                core.bell.ring { state in
                    if got.isEmpty { state.board.found(found, insteadOf: id) } else { state.board.isOnDisk(found) }
                }
                if got.isEmpty { return nil }
                break
            }
            got.append(claim)
            place = part.upperBound
        }
        guard got.isEmpty else {
            claims[id] = got
            let end = place
            if end < range.upperBound { core.bell.ring { $0.board.cut(id, at: end) } }
            return range.lowerBound..<end
        }
        guard medium.canRecord, looks[id, default: 0] < RemoteWorker.otherLooks else { return range }
        // Another process is fetching the range.
        looks[id, default: 0] += 1
        let time = core.surroundings.now() + RemoteWorker.otherPause
        core.bell.ring { $0.board.postpone(id, until: time) }
        return nil
    }

    private func openMedium(_ total: Int64, _ validator: Validator) {
        let medium = try? core.surroundings.cache?.open(core.key, total: total, validator: validator)
        let recorded = medium?.recorded(in: 0..<total) ?? ByteRanges()
        core.bell.ring { state in
            state.medium = medium
            state.mediumState = .settled
            if medium == nil { state.unwritten = [:] }
            state.board.isOnDisk(recorded)
        }
    }

    /// Returns the next bytes to write, or a claim to end.
    private static func writing(_ state: inout RemoteState) -> Job? {
        for (id, ranges) in state.unwritten {
            let isOver = state.ended.contains(id)
            let next = ranges.ranges.first { isOver || $0.upperBound >= ($0.lowerBound / chunk + 1) * chunk }
            guard let range = next else { continue }
            let boundary = (range.lowerBound / chunk + 1) * chunk
            let part = range.lowerBound..<min(range.upperBound, boundary)
            var bytes = [UInt8](repeating: 0, count: part.count)
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe state.store.copy(from: part.lowerBound, into: $0) }
            var rest = ranges
            rest.remove(count < part.count ? range : part)
            state.unwritten[id] = rest.isEmpty ? nil : rest
            bytes.removeLast(bytes.count - count)
            return .write(id, at: part.lowerBound, bytes)
        }
        return state.ended.popFirst().map { .finish($0) }
    }

    private mutating func write(_ id: Int, at place: Int64, _ bytes: [UInt8]) {
        guard !bytes.isEmpty, let medium = core.bell.withLock({ $0.medium }) else { return }
        let range = place..<place + Int64(bytes.count)
        // A truncated request leaves its claims to the one that has its rest.
        for (owner, list) in claims {
            guard let index = list.firstIndex(where: { $0.range.contains(range) }) else { continue }
            unsafe bytes.withUnsafeBytes { unsafe list[index].write($0, at: place) }
            if range.upperBound == list[index].range.upperBound { claims[owner]?.remove(at: index).finish() }
            return
        }
        // Bytes that arrived before the medium was known, or without ranges, are claimed when it is.
        var claim = medium.beginFetch(range)
        if claim == nil, medium.canRecord {
            // The claim of a truncated request may still be on its way to the disk.
            core.surroundings.cache?.catchUp()
            claim = medium.beginFetch(range)
        }
        guard let claim else { return }
        unsafe bytes.withUnsafeBytes { unsafe claim.write($0, at: place) }
        claim.finish()
        core.endOpening(with: id)
    }

    private func evict(_ blocks: [Int64]) {
        let (held, medium, isWhole) = core.bell.withLock { state in
            (blocks.map { state.store.held(inBlock: $0) }, state.medium, state.board.isWhole)
        }
        var recorded = ByteRanges()
        if let medium {
            // Written bytes are on their way to the catalogue. Without ranges they do not arrive again, and a read
            // waits for their record.
            let isOnItsWay = isWhole && medium.canRecord
            for range in held.flatMap(\.ranges) {
                recorded.formUnion(isOnItsWay ? ByteRanges(range) : medium.recorded(in: range))
            }
        }
        core.bell.ring { state in
            state.board.isOnDisk(recorded)
            for block in blocks {
                state.board.leftMemory(state.store.held(inBlock: block))
                state.store.remove(block: block)
            }
        }
    }
}

extension RemoteState {
    /// The blocks to evict to stay within the memory limit: the least recently used, but none that must still be
    /// written, and none that a read waits for.
    var surplusBlocks: [Int64] {
        guard store.byteCount > Int64(memoryByteLimit) else { return [] }
        let awaited = board.readers.values.compactMap { reader -> Range<Int64>? in
            let place = reader.wanted.lowerBound
            return reader.wanted.isEmpty ? nil : place..<place + 1
        }
        return store.oldest(
            downTo: Int64(memoryByteLimit) * 7 / 8,
            pinned: ByteRanges(unwritten.values.flatMap(\.ranges) + awaited))
    }

    /// Whether the next request is for the whole content.
    var asksForWhole: Bool { board.isWhole || asksForTotal && known.total == nil }

    /// Records the start of a request.
    ///
    /// - Returns: the ranges to request; `nil` if it is no longer needed.
    mutating func begin(
        _ id: Int, _ range: Range<Int64>, several: ByteRanges? = nil, _ isWhole: Bool
    ) -> Question? {
        guard let index = board.index(of: id), board.transfers[index].phase == .running, !isClosing else {
            if let index = board.index(of: id) { board.transfers.remove(at: index) }
            ended.insert(id)
            return nil
        }
        let asked = isWhole || several != nil ? nil : range
        if openingRequest == nil { openingRequest = id }
        answers[id] = Answer(
            asked: asked, askedSeveral: several, end: nil, next: isWhole ? 0 : range.lowerBound, shortcut: shortcut)
        cost.requestCount += 1
        return (asked, several, known.requestValidator, shortcut)
    }

    /// The ranges of a request: one, several, or the whole.
    typealias Question = (
        range: Range<Int64>?, several: ByteRanges?, validator: Validator?, shortcut: HTTPRequest.Shortcut?
    )
}

/// A receiver that passes a response to the core.
private final class RemoteReceiver: HTTPReceiver {
    private let core: RemoteCore
    private let id: Int

    init(core: RemoteCore, id: Int) { (self.core, self.id) = (core, id) }

    func receive(_ head: HTTPHead) -> HTTPVerdict {
        core.bell.ring { $0.receive(head, of: self.id) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPVerdict {
        let (verdict, mustRing) = core.bell.withLock { unsafe $0.arrive(bytes, of: self.id) }
        if mustRing { core.bell.ring { _ in } }
        return verdict
    }

    func end(_ result: Result<Void, HTTPFailure>) {
        let now = core.surroundings.now()
        let measured = core.bell.withLock { $0.answers[self.id]?.handle?.measurements }
        core.bell.ring { $0.end(result, of: self.id, measured, now: now) }
    }
}
