#if Viewer
internal import ScrubBase
internal import ScrubMedia

/// Who has a decoder: clients with their lanes, as many as memory allows; the one that was idle for longest makes room.
///
/// Sessions are made and let go of on threads that may block.
actor ClientSeats {
    private struct Seat {
        let lane: ClientLane
        /// Requests that use it now.
        var users = 0
        var lastUse: ContinuousClock.Instant
    }

    /// A request that waits for a seat.
    private struct Waiter {
        /// Its place among all requests.
        let number: Int
        let client: String
        let reply: CheckedContinuation<Bool, Never>
    }

    private var seats: [String: Seat] = [:]
    private var waiters: [Waiter] = []
    /// Whether a session is being made; the others wait their turn.
    private var isMaking = false
    private var line: [CheckedContinuation<Void, Never>] = []
    private let budget: ScrubBudget
    private let limits: ViewerLimits
    private let counts: DecodeCounts
    private let threads = BlockingThreads(limit: 4)
    private let clock = ContinuousClock()

    init(_ limits: ViewerLimits, _ counts: DecodeCounts) {
        (self.limits, self.counts) = (limits, counts)
        budget = ScrubBudget(byteLimit: limits.pictureByteLimit)
    }

    /// What sessions' pictures take now, and took at most.
    nonisolated var memory: (used: Int, peak: Int, held: Int) {
        (budget.usedByteCount, budget.peakByteCount, budget.heldByteCount)
    }

    /// Clients that are known, requests that wait, coded pictures decoded so far, and decodings that were left.
    var figures: (clients: Int, waiting: Int, pictures: Int, left: Int) {
        let gone = counts.now
        return (
            seats.count, waiters.count,
            seats.values.reduce(gone.pictures) { $0 + $1.lane.decodedPictures },
            seats.values.reduce(gone.left) { $0 + $1.lane.decodesLeft }
        )
    }

    /// The lane of a client over a medium, to be given back by ``giveBack(_:)``.
    ///
    /// - Parameters:
    ///   - number: the request's place among all; of one client's the greatest is the newest.
    ///   - canWait: whether it is worth waiting for; else `nil` comes at once where there is no room.
    /// - Returns: `nil` also when a newer request of the client waits, or the task was cancelled.
    /// - Throws: `unavailable` when the queue is full or the medium too large for the memory that there is.
    func lane(_ client: String, _ medium: ViewedMedium, _ number: Int, canWait: Bool) async throws -> ClientLane? {
        let begin = clock.now
        while true {
            if canWait, isFull, seats[client]?.users ?? 0 == 0 {
                guard waiters.count < limits.queue else { throw ClientSeats.crowd }
                guard await wait(client, number), !Task.isCancelled else { return nil }
                continue
            }
            if let lane = taken(client, medium) { return lane }
            guard canWait || !isMaking else { return nil }
            await turn()
            defer { endTurn() }
            if let lane = taken(client, medium) { return lane }
            if Task.isCancelled { return nil }
            // Of another medium: the client has moved on.
            if let old = seats[client], old.users == 0 { await drop([client]) }
            let patience: Duration =
                !canWait ? .seconds(5) : clock.now - begin > .seconds(1) ? .zero : .milliseconds(250)
            if seats.count >= limits.clients, await !makeRoom(idleFor: patience) {
                guard canWait else { return nil }
            } else if let lane = try await made(client, medium, idleFor: patience) {
                return lane
            } else if !canWait {
                return nil
            }
            guard waiters.count < limits.queue else { throw ClientSeats.crowd }
            endTurn()
            let goesOn = await wait(client, number)
            await turn()
            guard goesOn else { return nil }
        }
    }

    private static let crowd = ScrubError(
        .unavailable, "too many requests wait for a decoder", advice: "ask again in a second")

    /// Whether as many decode as do any good: one more would make all of them later.
    private var isFull: Bool { seats.values.count { $0.users > 0 } >= 2 * Processors.count }

    /// Says that a request is over.
    func giveBack(_ lane: ClientLane) {
        guard let seat = seats[lane.client], seat.lane === lane else { return }
        seats[lane.client]?.users = seat.users - 1
        let now = clock.now
        seats[lane.client]?.lastUse = now
        // What one may ask for next is not worth what others ask for now.
        if seats.values.count(where: { now - $0.lastUse < .seconds(2) }) > Processors.count { lane.hush() }
        if !waiters.isEmpty { waiters.removeFirst().reply.resume(returning: true) }
    }

    /// Ends what is under way for a client: something newer was answered elsewhere.
    func leave(_ client: String, before order: Int) { seats[client]?.lane.leave(before: order) }

    /// Ends what is under way for a medium whose file is another one now, and lets go of who has decoders for it.
    func forget(_ medium: ViewedMedium) async {
        let those = seats.filter { $0.value.lane.medium === medium }
        for seat in those.values { seat.lane.leave() }
        await drop(those.filter { $0.value.users == 0 }.map(\.key))
    }

    /// Lets go of those that were idle for long, and of those whose file is another one now.
    func sweep() async {
        let now = clock.now
        let idle = seats.filter { $0.value.users == 0 }
        await drop(
            idle.filter { now - $0.value.lastUse >= limits.restTime || $0.value.lane.medium.isRetired }.map(\.key))
        if !waiters.isEmpty { waiters.removeFirst().reply.resume(returning: true) }
    }

    /// Lets go of everything.
    func close() async {
        for waiter in waiters { waiter.reply.resume(returning: false) }
        waiters = []
        for seat in seats.values { seat.lane.leave() }
        await drop(Array(seats.keys))
    }

    private func taken(_ client: String, _ medium: ViewedMedium) -> ClientLane? {
        guard let seat = seats[client], seat.lane.medium === medium else { return nil }
        seats[client]?.users = seat.users + 1
        seats[client]?.lastUse = clock.now
        return seat.lane
    }

    private func made(_ client: String, _ medium: ViewedMedium, idleFor patience: Duration) async throws -> ClientLane?
    {
        while true {
            do {
                let (budget, counts) = (budget, counts)
                let lane = try await threads.run {
                    ClientLane(
                        client, medium, try ScrubSession(medium.asset, options: ClientSeats.options, budget: budget),
                        counts)
                }
                seats[client] = Seat(lane: lane, users: 1, lastUse: clock.now)
                return lane
            } catch let error as ScrubError where error.code == .unavailable {
                if await makeRoom(idleFor: patience) { continue }
                guard !seats.isEmpty else {
                    throw ScrubError(
                        .unavailable, "its pictures need more memory than there is", file: medium.name,
                        advice: "start the viewer with more --memory")
                }
                return nil
            }
        }
    }

    /// Few decoders for each, for they are many; what lies over the whole film comes from the strip.
    private static var options: ScrubOptions {
        var options = ScrubOptions()
        options.decoderLimit = 1
        options.threadCount = min(4, Processors.count)
        options.keyPictureCount = 0
        return options
    }

    /// Lets go of the seat that was idle for longest.
    ///
    /// - Parameter least: how long: a request at rest takes a seat that was idle for a moment, and after a second any
    ///   that is not used at this moment; one on the way only from who has left.
    private func makeRoom(idleFor least: Duration) async -> Bool {
        let now = clock.now
        let idle = seats.filter { $0.value.users == 0 && now - $0.value.lastUse >= least }
        guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return false }
        await drop([oldest.key])
        return true
    }

    private func drop(_ clients: [String]) async {
        var lanes: [ClientLane] = []
        for client in clients {
            guard let seat = seats.removeValue(forKey: client) else { continue }
            // What is decoded for a request that was answered with something near.
            seat.lane.leave()
            counts.note { counts in
                counts.pictures += seat.lane.decodedPictures
                counts.left += seat.lane.decodesLeft
            }
            lanes.append(seat.lane)
        }
        guard !lanes.isEmpty else { return }
        // The last reference waits for the session's thread.
        let gone = Locked(lanes)
        lanes = []
        _ = try? await threads.run { gone.withLock { $0 = [] } }
    }

    private func turn() async {
        guard isMaking else {
            isMaking = true
            return
        }
        await withCheckedContinuation { line.append($0) }
    }

    private func endTurn() {
        if line.isEmpty { isMaking = false } else { line.removeFirst().resume() }
    }

    /// Waits until somebody gives a seat back; false when a newer request of the client came or nobody waits any more.
    private func wait(_ client: String, _ number: Int) async -> Bool {
        guard !waiters.contains(where: { $0.client == client && $0.number > number }) else { return false }
        for older in waiters where older.client == client { older.reply.resume(returning: false) }
        waiters.removeAll { $0.client == client }
        // Nobody may ever give one back that is idle for less than a moment now.
        let bell = Task {
            while (try? await Task.sleep(for: .milliseconds(100))) != nil { self.ring(number) }
        }
        defer { bell.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { reply in
                // Who has waited and found no room keeps its place.
                let place = waiters.partitioningIndex { $0.number > number }
                waiters.insert(Waiter(number: number, client: client, reply: reply), at: place)
            }
        } onCancel: {
            Task { await self.forget(number) }
        }
    }

    private func ring(_ number: Int) {
        guard waiters.first?.number == number else { return }
        waiters.removeFirst().reply.resume(returning: true)
    }

    private func forget(_ number: Int) {
        guard let place = waiters.firstIndex(where: { $0.number == number }) else { return }
        waiters.remove(at: place).reply.resume(returning: false)
    }
}
#endif
