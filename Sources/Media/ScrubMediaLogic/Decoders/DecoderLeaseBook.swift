/// Which requests have a decoder, which wait for one, and whose turn is next: the decisions of a pool, without threads,
/// locks or decoders.
///
/// Its rules:
/// - Never more than ``limit`` leases are attached. One counts from its grant until ``release(_:)``, so also while its
///   holder closes the decoder.
/// - Requests are granted in the order in which they came. Only those for pictures on a screen go before those of
///   generators, at most ``overtakingLimit`` times in a row. ``idleLease(now:)`` overtakes nothing.
/// - Only an idle lease is evicted, the one first that has been idle longest. One in use is asked for after its
///   ``DecoderQuantum``, and its holder gives it back between two pictures.
/// - A grant that was not taken yet (``takeGrant()``) goes to the next when its request is cancelled.
///
/// Numbers of leases and requests are given once and never again. Cost: each call looks at the leases, of which there
/// are few, and at the requests that wait.
package struct DecoderLeaseBook: Sendable {
    /// A lease that a request got.
    package struct Grant: Sendable, Hashable {
        package let request: Int
        package let lease: Int
    }

    private enum Use: Sendable, Hashable {
        /// Granted, and its request has not taken it yet.
        case granted(request: Int)
        case busy
        /// - Parameter order: smaller for one that has been idle longer.
        case idle(order: Int)
        /// Its holder was told to give it back, and closes its decoder.
        case evicting
    }

    private struct Lease: Sendable {
        var use: Use
        var turnStart: Int64
        var turnPictures = 0
        /// Its holder was told that it is wanted back.
        var isRecalled = false

        mutating func beginTurn(_ now: Int64) { (turnStart, turnPictures) = (now, 0) }
    }

    package let limit: Int
    package let quantum: DecoderQuantum
    private var leases: [Int: Lease] = [:]
    /// The waiting requests, in the order in which they came.
    private var (shown, asked): ([Int], [Int]) = ([], [])
    /// The number of times that a generator's request was overtaken since the last one was granted.
    private var overtakingCount = 0
    private var grants: [Int] = []
    private var evictions: [Int] = []
    private var lastNumber = 0
    /// The most leases that were ever attached at a time.
    package private(set) var peakAttachedCount = 0

    /// - Parameter limit: the most leases at a time, 1 or more.
    package init(limit: Int, quantum: DecoderQuantum = .init()) {
        (self.limit, self.quantum) = (max(1, limit), quantum)
    }

    /// Leases that were granted and not released.
    package var attachedCount: Int { leases.count }
    /// Requests without a grant.
    package var waitingCount: Int { shown.count + asked.count }
    /// The most times in a row that requests for a screen go before those of generators.
    package static let overtakingLimit = 4

    // MARK: Requests

    /// Records a request.
    ///
    /// - Returns: its number.
    package mutating func request(for use: DecoderUse = .shown, now: Int64) -> Int {
        let number = nextNumber()
        switch use {
        case .shown: shown.append(number)
        case .asked: asked.append(number)
        }
        settle(now: now)
        return number
    }

    /// Returns the next grant that its request has not taken; it has it from now on.
    package mutating func takeGrant() -> Grant? {
        while !grants.isEmpty {
            let lease = grants.removeFirst()
            guard case .granted(let request)? = leases[lease]?.use else { continue }
            leases[lease]?.use = .busy
            return Grant(request: request, lease: lease)
        }
        return nil
    }

    /// Takes a request back, while it waits or has a grant that was not taken yet; that goes to the next one.
    ///
    /// - Returns: false when it had its lease already, or was cancelled before.
    package mutating func cancel(_ request: Int, now: Int64) -> Bool {
        let count = waitingCount
        shown.removeAll { $0 == request }
        asked.removeAll { $0 == request }
        guard waitingCount == count else { return true }
        guard let lease = leases.first(where: { $0.value.use == .granted(request: request) })?.key else { return false }
        release(lease, now: now)
        return true
    }

    /// Returns an idle lease for work ahead of its time: only when one is free and no request waits.
    package mutating func idleLease(now: Int64) -> Int? {
        guard waitingCount == 0, leases.count < limit else { return nil }
        return attach(.idle(order: nextNumber()), now: now)
    }

    // MARK: Leases

    /// A lease's holder has no use for it now.
    ///
    /// - Returns: false when it is being evicted, or was released.
    package mutating func becomeIdle(_ lease: Int) -> Bool {
        switch leases[lease]?.use {
        case .busy, .idle:
            let order = nextNumber()
            leases[lease]?.use = .idle(order: order)
            leases[lease]?.isRecalled = false
            evictForWaiting()
            return true
        case .granted, .evicting, nil: return false
        }
    }

    /// A lease's holder goes on decoding; a new turn begins if it was idle.
    ///
    /// - Returns: false when it is being evicted, or was released.
    package mutating func becomeBusy(_ lease: Int, now: Int64) -> Bool {
        switch leases[lease]?.use {
        case .busy: return true
        case .idle:
            leases[lease]?.use = .busy
            leases[lease]?.beginTurn(now)
            return true
        case .granted, .evicting, nil: return false
        }
    }

    /// Counts pictures that came out.
    package mutating func noteProgress(_ lease: Int, pictures: Int) {
        guard let sum = leases[lease]?.turnPictures.addingReportingOverflow(max(0, pictures)) else { return }
        leases[lease]?.turnPictures = sum.overflow ? .max : sum.partialValue
    }

    /// Whether a lease's holder is to give it back. That is so if a request waits that no other lease is on its way to,
    /// and this one's turn is over. After true the holder gives it back, or lets it go idle.
    package mutating func isWantedBack(_ lease: Int, now: Int64) -> Bool {
        guard let entry = leases[lease], entry.use != .evicting else { return leases[lease] != nil }
        guard entry.use == .busy, waitingCount > 0 else {
            leases[lease]?.isRecalled = false
            return false
        }
        let isOver = quantum.isOver(pictures: entry.turnPictures, since: entry.turnStart, now: now)
        let returning = leases.count { $0.key != lease && ($0.value.use == .evicting || $0.value.isRecalled) }
        let isWanted = isOver && returning < waitingCount
        leases[lease]?.isRecalled = isWanted
        return isWanted
    }

    /// Gives a lease back; the next request gets one.
    ///
    /// - Returns: false when it was released before.
    @discardableResult
    package mutating func release(_ lease: Int, now: Int64) -> Bool {
        guard leases.removeValue(forKey: lease) != nil else { return false }
        settle(now: now)
        return true
    }

    /// Returns the next lease whose holder has to be told that it is evicted; each comes once.
    package mutating func takeEviction() -> Int? {
        while !evictions.isEmpty {
            let lease = evictions.removeFirst()
            if leases[lease] != nil { return lease }
        }
        return nil
    }

    // MARK: Decisions

    private mutating func settle(now: Int64) {
        while leases.count < limit, let request = nextWaiting() {
            grants.append(attach(.granted(request: request), now: now))
        }
        evictForWaiting()
    }

    private mutating func nextWaiting() -> Int? {
        let isShown = !shown.isEmpty && (asked.isEmpty || overtakingCount < DecoderLeaseBook.overtakingLimit)
        overtakingCount = isShown && !asked.isEmpty ? overtakingCount + 1 : 0
        if isShown { return shown.removeFirst() }
        return asked.isEmpty ? nil : asked.removeFirst()
    }

    /// Has idle leases evicted for the requests that wait, those first that have been idle longest.
    private mutating func evictForWaiting() {
        let evicting = leases.count { $0.value.use == .evicting }
        guard waitingCount > evicting else { return }
        let idle = leases.compactMap { lease, entry -> (Int, Int)? in
            if case .idle(let order) = entry.use { (order, lease) } else { nil }
        }
        for (_, lease) in idle.sorted(by: <).prefix(waitingCount - evicting) {
            leases[lease]?.use = .evicting
            evictions.append(lease)
        }
    }

    private mutating func attach(_ use: Use, now: Int64) -> Int {
        let lease = nextNumber()
        leases[lease] = Lease(use: use, turnStart: now)
        peakAttachedCount = max(peakAttachedCount, leases.count)
        return lease
    }

    private mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

/// The purpose of a decoder.
package enum DecoderUse: Sendable, Hashable {
    /// Pictures that go on a screen as they come.
    case shown
    /// Pictures that a program asks for.
    case asked
}

/// The time that a decoder stays with one medium while another waits for it.
package struct DecoderQuantum: Sendable, Hashable {
    /// After so many pictures it is wanted back.
    package var pictures: Int
    /// After so many nanoseconds it is wanted back, whatever came out.
    package var nanoseconds: Int64

    /// - Parameters:
    ///   - pictures: 1 or more. Eight, the default, play for about a quarter of a second.
    ///   - nanoseconds: 1 or more.
    package init(pictures: Int = 8, nanoseconds: Int64 = 250_000_000) {
        (self.pictures, self.nanoseconds) = (max(1, pictures), max(1, nanoseconds))
    }

    /// Whether a turn is over that began at `start` and brought so many pictures.
    func isOver(pictures count: Int, since start: Int64, now: Int64) -> Bool {
        let (elapsed, overflow) = now.subtractingReportingOverflow(start)
        return count >= pictures || overflow || elapsed >= nanoseconds
    }
}
