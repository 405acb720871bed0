internal import ScrubSourcesLogic
internal import ScrubHTTPTransport
internal import ScrubMediaCache
internal import ScrubBase

/// The lock, the clock and the worker of a remote file.
///
/// Readers wait on the bell, the client's thread delivers bytes, and a worker thread starts requests and writes to the
/// cache. Neither announcements nor the client's thread ever wait for the disk. The worker exists from the first
/// missing byte until the file is closed.
final class RemoteCore: Sendable {
    /// The target of requests.
    struct Surroundings: Sendable {
        let url: RemoteURL
        let options: NetworkOptions
        let cache: MediaCache?
        let client: any HTTPRequestStarter
        var opening = RemoteOpening()
        /// Returns nanoseconds that never decrease.
        let now: @Sendable () -> Int64
    }

    let surroundings: Surroundings
    let errors: RemoteErrors
    let bell: TimedBell<RemoteState>

    init(_ surroundings: Surroundings, seed: UInt64) {
        self.surroundings = surroundings
        let options = surroundings.options
        let errors = RemoteErrors(url: surroundings.url)
        self.errors = errors
        let memory = max(options.memoryByteLimit, 4 << 20)
        var board = FetchScheduler()
        board.rules.connections = min(max(options.connectionLimit, 1), 6)
        board.rules.firstLength = surroundings.opening.firstLength
        board.rules.requestLimit = Int64(min(8 << 20, memory / 8))
        board.rules.inFlightLimit = Int64(memory / 4)
        board.rules.aheadLimit = Int64(memory / 2)
        board.planner.connections = board.rules.connections
        board.mayAskForSeveral = true
        var state = RemoteState(
            errors: errors, memoryByteLimit: memory, board: board,
            known: KnownContent(total: nil, validator: .none), random: SplitRandom(state: seed))
        if surroundings.cache == nil { state.mediumState = .settled }
        bell = TimedBell(state)
    }

    var key: MediumKey {
        var credentials: [String] = []
        if let info = surroundings.url.userInfo { credentials.append("\(info.user):\(info.password)") }
        for (name, value) in surroundings.options.headers.sorted(by: { $0.key < $1.key }) {
            credentials.append("\(name.lowercased()): \(value)")
        }
        return MediumKey(
            url: surroundings.url.key, identity: surroundings.options.cacheIdentity, credentials: credentials)
    }

    // MARK: Opening

    /// Determines the facts of the content: from a cache entry within its time to live, or with one request. If another
    /// process is sending the same request, it waits until that response is recorded.
    ///
    /// Host rules also apply to cached bytes, and the cache does not record from which address they came, or through
    /// which redirects. The server is therefore asked once, and bytes that may not be requested are not returned.
    ///
    /// - Throws: also ``ScrubError/cancelled``, at once, if the work on this thread is cancelled.
    func open() throws(ScrubError) {
        let policy = try surroundings.options.addressPolicy
        if let refusal = policy.refusal(of: surroundings.url) {
            throw errors.failure(.forbiddenAddress(refusal), at: nil)
        }
        let isBelieved = policy == .everything
        if isBelieved, takeKnown(false) { return }
        let opening = try claimOpening()
        // Another caller may have opened the address in the meantime.
        if isBelieved, takeKnown(true) { return }
        bell.withLock { $0.opening = opening }
        let deadline = deadline()
        let reader = bell.ring { $0.board.beginRead(0..<$0.board.rules.firstLength) }
        defer { bell.ring { $0.board.endRead(reader) } }
        try startWorker()
        let cancellation = Cancellation.current
        let endLeaving = Cancellation.beginLeaving { self.bell.ring { _ in } }
        defer { endLeaving() }
        let failure = bell.wait { state -> TimedBell<RemoteState>.Wake<ScrubError?> in
            if state.isClosing || cancellation?.isCancelled == true { return .done(self.errors.cancelled) }
            if let error = state.board.readers[reader]?.failure ?? state.board.failure { return .done(error) }
            if state.known.total != nil, state.mediumState == .settled { return .done(nil) }
            return self.sleep(until: deadline, place: 0)
        }
        if let failure {
            bell.withLock { $0.opening = nil }
            close()
            throw failure
        }
    }

    private func deadline() -> Int64 {
        let (time, overflow) = surroundings.now().addingReportingOverflow(
            max(0, surroundings.options.readTimeout.wholeNanoseconds))
        return overflow ? .max : time
    }

    private func sleep(until deadline: Int64, place: Int64) -> TimedBell<RemoteState>.Wake<ScrubError?> {
        let left = deadline - surroundings.now()
        return left > 0 ? .sleep(left) : .done(errors.late(surroundings.options.readTimeout, at: place))
    }

    func startWorker() throws(ScrubError) {
        let mustStart = bell.withLock { state in
            defer { state.hasWorker = true }
            return !state.hasWorker
        }
        guard mustStart else { return }
        do throws(ScrubError) {
            try DedicatedThread {
                var worker = RemoteWorker(core: self)
                worker.run()
            }.detach()
        } catch {
            bell.ring { state in
                state.workerHasEnded = true
                state.board.fail(error)
            }
            throw error
        }
    }

    // MARK: Reading

    /// The outcome of a reader's check of the state.
    private enum Look {
        case bytes(Int, mustRing: Bool)
        /// The cache has the bytes. It is read outside the lock.
        case onDisk(CachedMedium, Int)
        case failed(ScrubError)
        /// The bytes are no longer needed.
        case left
    }

    /// Copies bytes, waiting for the first of them.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ScrubError) -> Int {
        try unsafe read(at: offset, into: buffer, unless: nil) ?? 0
    }

    /// Copies bytes, waiting for the first of them unless the read is cancelled.
    ///
    /// - Returns: the number of bytes; `nil` if the bytes are neither available nor needed. In that case nothing is
    ///   fetched for the read.
    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless cancellation: Cancellation?
    ) throws(ScrubError) -> Int? {
        let (end, overflow) = offset.addingReportingOverflow(Int64(buffer.count))
        guard offset >= 0, !overflow else { throw ScrubError(.badData, "the offset \(offset) is out of range") }
        var deadline: Int64?
        var reader: Int?
        defer { if let reader { bell.ring { $0.board.endRead(reader) } } }
        while true {
            var look = bell.withLock { state in unsafe self.look(&state, offset, end, buffer, reader) }
            if look == nil {
                let until = deadline ?? self.deadline()
                deadline = until
                if cancellation?.isCancelled == true { return nil }
                if reader == nil {
                    if let error = self.recentFailure() { throw error }
                    reader = bell.ring { state in
                        state.misses += 1
                        return state.board.beginRead(offset..<end)
                    }
                    try startWorker()
                }
                let waiting = reader
                let waited: Look = bell.wait { state in
                    if let look = unsafe self.look(&state, offset, end, buffer, waiting) { return .done(look) }
                    if cancellation?.isCancelled == true { return .done(.left) }
                    switch self.sleep(until: until, place: offset) {
                    case .sleep(let span): return .sleep(span)
                    case .tell: return .tell
                    case .done(let error): return .done(.failed(error ?? self.errors.cancelled))
                    }
                }
                look = waited
            }
            switch look {
            case .bytes(let count, let mustRing):
                if mustRing { bell.ring { _ in } }
                return count
            case .failed(let error):
                noteFailure(error)
                // A caller that reopens the address because of this error must not find the old entry.
                bell.wait { state -> TimedBell<RemoteState>.Wake<Void> in
                    state.successor == nil || !state.hasWorker || state.workerHasEnded ? .done(()) : .sleep(nil)
                }
                throw error
            case .left: return nil
            case .onDisk(let medium, let most):
                let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(most))
                var count = unsafe medium.read(at: offset, into: part)
                if count == 0, let cache = surroundings.cache {
                    // Bytes that were evicted from memory may still be on their way to the catalogue.
                    cache.catchUp()
                    count = unsafe medium.read(at: offset, into: part)
                }
                let isRead = bell.ring { state in
                    state.wasReadFromDisk(offset, count: count, isHit: reader == nil)
                }
                if isRead { return count }
            case nil: break
            }
        }
    }

    /// Returns the reason why the network recently failed a read, after all attempts.
    ///
    /// A reader that continues with the next bytes after a failure would wait as long for each. For a second, such
    /// reads fail at once.
    private func recentFailure() -> ScrubError? {
        let now = surroundings.now()
        return bell.withLock { state in
            guard let (error, until) = state.recentFailure, now < until else { return nil }
            return error
        }
    }

    private func noteFailure(_ error: ScrubError) {
        let until = surroundings.now().addingReportingOverflow(RemoteCore.failureHold)
        bell.withLock { $0.recentFailure = (error, until.overflow ? .max : until.partialValue) }
    }

    /// The duration in nanoseconds.
    private static let failureHold: Int64 = 1_000_000_000

    /// Returns whether a read can end now.
    private func look(
        _ state: inout RemoteState, _ offset: Int64, _ end: Int64, _ buffer: UnsafeMutableRawBufferPointer,
        _ reader: Int?
    ) -> Look? {
        if state.isClosing { return .failed(errors.cancelled) }
        if let total = state.known.total, offset >= total { return .bytes(0, mustRing: false) }
        let count = unsafe state.store.copy(from: offset, into: buffer)
        if count > 0 {
            state.board.wasRead(offset..<offset + Int64(count))
            return .bytes(count, mustRing: state.board.wantsMore)
        }
        if let medium = state.medium, let found = state.board.disk.range(containing: offset) {
            return .onDisk(medium, Int(min(found.upperBound, end) - offset))
        }
        if let error = state.board.failure { return .failed(error) }
        if let reader, let error = state.board.readers[reader]?.failure { return .failed(error) }
        return nil
    }

    // MARK: Announcing and ending

    func prefetch(_ stretches: [ReadSpan]) {
        let mustStart = bell.ring { state in
            state.board.announce(stretches)
            return !state.board.queue.isEmpty && !state.isClosing
        }
        // Without a thread, nothing is fetched ahead of a read, and the read reports why.
        if mustStart { try? startWorker() }
    }

    /// Cancels everything and releases every reader.
    func cancel() {
        let handles = bell.ring { state in
            state.isClosing = true
            state.board.fail(self.errors.cancelled)
            return state.answers.values.compactMap(\.handle)
        }
        for handle in handles { handle.cancel() }
    }

    /// Cancels everything, waits until the received bytes are passed to the cache, and records the cost.
    func close() {
        let isFirst = bell.withLock { state in
            defer { state.isClosing = true }
            return !(state.isClosing && state.workerHasEnded)
        }
        cancel()
        bell.wait { state -> TimedBell<RemoteState>.Wake<Void> in
            !state.hasWorker || state.workerHasEnded ? .done(()) : .sleep(nil)
        }
        guard isFirst else { return }
        let (medium, hits, misses, cost) = bell.withLock { state in
            defer { (state.hits, state.misses) = (0, 0) }
            let medium = state.medium
            state.medium = nil
            return (medium, state.hits, state.misses, state.cost)
        }
        medium?.note(
            hits: hits, misses: misses, bytesFromCache: cost.cachedByteCount, bytesFetched: cost.fetchedByteCount)
    }
}

extension RemoteState {
    /// Records the result of a read from the cache.
    ///
    /// - Returns: whether the read returned any bytes; missing ones are fetched.
    mutating func wasReadFromDisk(_ offset: Int64, count: Int, isHit: Bool) -> Bool {
        guard count > 0 else {
            // Its checksum was wrong, or it was removed: the surrounding piece no longer counts.
            let piece = offset / (1 << 20) * (1 << 20)
            board.leftDisk(piece..<piece + (1 << 20))
            return false
        }
        let range = offset..<offset + Int64(count)
        if isHit { hits += 1 }
        let new = fetched.union(fromCache).holes(in: range)
        cost.cachedByteCount += new.byteCount
        fromCache.formUnion(new)
        board.wasRead(range)
        return true
    }
}
