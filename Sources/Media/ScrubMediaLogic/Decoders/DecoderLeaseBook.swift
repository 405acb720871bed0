/// Which requests have a decoder, which wait for one, and whose turn is next: the decisions of a pool, without threads,
/// locks or decoders.
///
/// Its rules:
/// - Never more than ``limit`` leases are attached. One counts from its grant until ``release(_:)``, so also while its
///   holder closes the decoder.
/// - Requests are granted in the order in which they came. Only those for pictures on a screen go before those of
///   generators, at most ``overtakingLimit`` times in a row. ``tryLease(now:)`` overtakes nothing.
/// - Only an idle lease is evicted, the one first that has been idle longest. One in use is asked for after its
///   ``DecoderQuantum``, and its holder gives it back between two pictures.
/// - A grant that was not taken yet (``takeGrant()``) goes to the next when its request is cancelled.
///
/// Numbers of leases and requests are given once and never again. Cost: each call looks at the leases, of which there
/// are few.
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
        /// Given to a look-ahead: wanted back as soon as a request waits.
        var isLookAhead = false
        var turnStart: Int64
        var turnPictures = 0
        /// Its holder was told that it is wanted back.
        var isRecalled = false

        mutating func beginTurn(_ now: Int64) { (turnStart, turnPictures) = (now, 0) }
    }

    package let limit: Int
    package let quantum: DecoderQuantum
    private var leases: [Int: Lease] = [:]
    private var waiting: Set<Int> = []
    /// The waiting requests that are not for a screen.
    private var asked: Set<Int> = []
    /// Requests in the order in which they came; those that left are skipped.
    private var queue = NumberQueue()
    private var askedQueue = NumberQueue()
    /// The number of times that a generator's request was overtaken since the last one was granted.
    private var overtakingCount = 0
    private var grants = NumberQueue()
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
    package var waitingCount: Int { waiting.count }

    /// Requests that are remembered in order, those included that left: they take memory.
    package var queuedNumberCount: Int { queue.count + askedQueue.count }
    /// The most times in a row that requests for a screen go before those of generators.
    package static let overtakingLimit = 4

    // MARK: Requests

    /// Records a request.
    ///
    /// - Returns: its number.
    package mutating func request(for use: DecoderUse = .shown, now: Int64) -> Int {
        let number = nextNumber()
        waiting.insert(number)
        switch use {
        case .shown: queue.append(number)
        case .asked:
            asked.insert(number)
            askedQueue.append(number)
        }
        settle(now: now)
        return number
    }

    /// Returns the next grant that its request has not taken; it has it from now on.
    package mutating func takeGrant() -> Grant? {
        while let lease = grants.popFirst() {
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
        if waiting.remove(request) != nil {
            asked.remove(request)
            // Those that left must not pile up behind one that waits for long.
            if queuedNumberCount > 2 * waiting.count + 32 {
                queue.keep(waiting)
                askedQueue.keep(waiting)
            }
            return true
        }
        guard let lease = leases.first(where: { $0.value.use == .granted(request: request) })?.key else { return false }
        release(lease, now: now)
        return true
    }

    /// Returns a lease for a look-ahead: only when one is free and no request waits.
    package mutating func tryLease(now: Int64) -> Int? {
        guard waiting.isEmpty, leases.count < limit else { return nil }
        let lease = attach(.busy, now: now)
        leases[lease]?.isLookAhead = true
        return lease
    }

    /// Has the lease evicted that has been idle longest, unless one without a waiting request is already on its way.
    package mutating func evictOne() {
        if waiting.isEmpty, leases.count == limit, evictingCount == 0 { evictLongestIdle() }
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

    /// Notes that a look-ahead is shown now: it has the same turn as others from here on.
    package mutating func becomeCurrent(_ lease: Int, now: Int64) {
        guard leases[lease]?.isLookAhead == true else { return }
        leases[lease]?.isLookAhead = false
        leases[lease]?.beginTurn(now)
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
        guard entry.use == .busy, !waiting.isEmpty else {
            leases[lease]?.isRecalled = false
            return false
        }
        let isOver = entry.isLookAhead || quantum.isOver(pictures: entry.turnPictures, since: entry.turnStart, now: now)
        let returning = leases.count { $0.key != lease && ($0.value.use == .evicting || $0.value.isRecalled) }
        let isWanted = isOver && returning < waiting.count
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

    private var evictingCount: Int { leases.count { $0.value.use == .evicting } }

    private mutating func settle(now: Int64) {
        while leases.count < limit, let request = nextWaiting() {
            grants.append(attach(.granted(request: request), now: now))
        }
        evictForWaiting()
    }

    private mutating func nextWaiting() -> Int? {
        if overtakingCount < DecoderLeaseBook.overtakingLimit || asked.isEmpty,
            let shown = nextWaiting(in: \.queue)
        {
            overtakingCount = asked.isEmpty ? 0 : overtakingCount + 1
            return shown
        }
        overtakingCount = 0
        return nextWaiting(in: \.askedQueue)
    }

    private mutating func nextWaiting(in queue: WritableKeyPath<Self, NumberQueue>) -> Int? {
        while let request = self[keyPath: queue].popFirst() {
            guard waiting.remove(request) != nil else { continue }
            asked.remove(request)
            return request
        }
        return nil
    }

    private mutating func evictForWaiting() {
        for _ in 0..<max(0, waiting.count - evictingCount) where !evictLongestIdle() { return }
    }

    @discardableResult
    private mutating func evictLongestIdle() -> Bool {
        var longest: (lease: Int, order: Int)?
        for (lease, entry) in leases {
            guard case .idle(let order) = entry.use, order < longest?.order ?? .max else { continue }
            longest = (lease, order)
        }
        guard let longest else { return false }
        leases[longest.lease]?.use = .evicting
        evictions.append(longest.lease)
        return true
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

/// Numbers in the order in which they came.
private struct NumberQueue: Sendable {
    private var numbers: [Int] = []
    private var first = 0

    var count: Int { numbers.count - first }

    mutating func append(_ number: Int) { numbers.append(number) }

    mutating func keep(_ kept: Set<Int>) {
        (numbers, first) = (numbers[first...].filter(kept.contains), 0)
    }

    mutating func popFirst() -> Int? {
        guard first < numbers.count else { return nil }
        defer {
            first += 1
            if first > 32, first * 2 > numbers.count {
                numbers.removeFirst(first)
                first = 0
            }
        }
        return numbers[first]
    }
}
