/// The allocation of decoders to requests: which requests have one, which wait, and whose turn is next. It contains a
/// pool's decisions, without threads, locks or decoders.
///
/// Its rules:
/// - Never more than ``limit`` leases are attached. A lease counts from its grant until ``release(_:)``, including
///   while its holder closes the decoder.
/// - Requests are granted in order of arrival. Only those for pictures on a screen overtake those of generators, at
///   most ``overtakingLimit`` times in a row. ``idleLease(now:)`` overtakes no request.
/// - Only an idle lease is evicted, starting with the one that has been idle longest. One in use is requested back
///   after its ``DecoderQuantum``, and its holder returns it between two pictures.
/// - A grant that was not taken yet (``takeGrant()``) passes to the next request if its own is cancelled.
///
/// Numbers of leases and requests are never reused. Cost: each call scans the leases, of which there are few, and the
/// waiting requests.
package struct DecoderLeaseScheduler: Sendable {
    /// A lease granted to a request.
    package struct Grant: Sendable, Hashable {
        package let request: Int
        package let lease: Int
    }

    private enum Use: Sendable, Hashable {
        /// Granted, but not yet taken by its request.
        case granted(request: Int)
        case busy
        /// Idle.
        ///
        /// - Parameter order: smaller for a lease that has been idle longer.
        case idle(order: Int)
        /// Its holder was told to return it, and is closing its decoder.
        case evicting
    }

    private struct Lease: Sendable {
        var use: Use
        var turnStart: Int64
        var turnPictures = 0
        /// Whether its holder was asked to return it.
        var isRecalled = false

        mutating func beginTurn(_ now: Int64) { (turnStart, turnPictures) = (now, 0) }
    }

    package let limit: Int
    package let quantum: DecoderQuantum
    private var leases: [Int: Lease] = [:]
    /// The waiting requests, in order of arrival.
    private var (shown, asked): ([Int], [Int]) = ([], [])
    /// The number of times that a generator's request was overtaken since the last one was granted.
    private var overtakingCount = 0
    private var grants: [Int] = []
    private var evictions: [Int] = []
    private var lastNumber = 0
    /// The peak number of attached leases.
    package private(set) var peakAttachedCount = 0

    /// Creates an empty book.
    ///
    /// - Parameter limit: the maximum number of leases at a time, 1 or more.
    package init(limit: Int, quantum: DecoderQuantum = .init()) {
        (self.limit, self.quantum) = (max(1, limit), quantum)
    }

    /// The number of leases that were granted and not released.
    package var attachedCount: Int { leases.count }
    /// The number of requests without a grant.
    package var waitingCount: Int { shown.count + asked.count }
    /// The maximum number of times in a row that requests for a screen overtake those of generators.
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

    /// Returns the next grant that its request has not taken, and marks it as taken.
    package mutating func takeGrant() -> Grant? {
        while !grants.isEmpty {
            let lease = grants.removeFirst()
            guard case .granted(let request)? = leases[lease]?.use else { continue }
            leases[lease]?.use = .busy
            return Grant(request: request, lease: lease)
        }
        return nil
    }

    /// Cancels a request that is waiting or has an untaken grant. The grant passes to the next request.
    ///
    /// - Returns: false if it already had its lease, or was cancelled before.
    package mutating func cancel(_ request: Int, now: Int64) -> Bool {
        let count = waitingCount
        shown.removeAll { $0 == request }
        asked.removeAll { $0 == request }
        guard waitingCount == count else { return true }
        guard let lease = leases.first(where: { $0.value.use == .granted(request: request) })?.key else { return false }
        release(lease, now: now)
        return true
    }

    /// Returns an idle lease for work ahead of time, only if one is free and no request is waiting.
    package mutating func idleLease(now: Int64) -> Int? {
        guard waitingCount == 0, leases.count < limit else { return nil }
        return attach(.idle(order: nextNumber()), now: now)
    }

    // MARK: Leases

    /// Records that a lease's holder does not need it now.
    ///
    /// - Returns: false if it is being evicted, or was released.
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

    /// Records that a lease's holder continues decoding. A new turn begins if it was idle.
    ///
    /// - Returns: false if it is being evicted, or was released.
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

    /// Counts output pictures.
    package mutating func noteProgress(_ lease: Int, pictures: Int) {
        guard let sum = leases[lease]?.turnPictures.addingReportingOverflow(max(0, pictures)) else { return }
        leases[lease]?.turnPictures = sum.overflow ? .max : sum.partialValue
    }

    /// Returns whether a lease's holder must return it: a request is waiting that no other lease is on its way to, and
    /// this one's turn has ended. If true, the holder returns it or lets it become idle.
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

    /// Releases a lease. The next request gets one.
    ///
    /// - Returns: false if it was already released.
    @discardableResult
    package mutating func release(_ lease: Int, now: Int64) -> Bool {
        guard leases.removeValue(forKey: lease) != nil else { return false }
        settle(now: now)
        return true
    }

    /// Returns the next lease whose holder must be told that it is evicted. Each is returned once.
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
        let isShown = !shown.isEmpty && (asked.isEmpty || overtakingCount < DecoderLeaseScheduler.overtakingLimit)
        overtakingCount = isShown && !asked.isEmpty ? overtakingCount + 1 : 0
        if isShown { return shown.removeFirst() }
        return asked.isEmpty ? nil : asked.removeFirst()
    }

    /// Evicts idle leases for the waiting requests, starting with those that have been idle longest.
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
    /// Pictures that are shown on a screen as they arrive.
    case shown
    /// Pictures that a program requests.
    case asked
}

/// How long a decoder stays with one medium while another is waiting for it.
package struct DecoderQuantum: Sendable, Hashable {
    /// The number of pictures after which it is requested back.
    package var pictures: Int
    /// The nanoseconds after which it is requested back, whatever was output.
    package var nanoseconds: Int64

    /// Creates a quantum.
    ///
    /// - Parameters:
    ///   - pictures: 1 or more. The default of eight plays for about a quarter of a second.
    ///   - nanoseconds: 1 or more.
    package init(pictures: Int = 8, nanoseconds: Int64 = 250_000_000) {
        (self.pictures, self.nanoseconds) = (max(1, pictures), max(1, nanoseconds))
    }

    /// Returns whether a turn that began at `start` and produced this many pictures has ended.
    func isOver(pictures count: Int, since start: Int64, now: Int64) -> Bool {
        let (elapsed, overflow) = now.subtractingReportingOverflow(start)
        return count >= pictures || overflow || elapsed >= nanoseconds
    }
}
