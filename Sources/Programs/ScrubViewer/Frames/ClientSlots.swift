#if Viewer
internal import ScrubBase
internal import ScrubMedia

/// The clients that have a decoder: each with its session, as many as memory allows; the one that has been idle longest
/// makes room.
///
/// Sessions are created and released on threads that may block.
actor ClientSlots {
    private struct Seat {
        let session: ClientSession
        /// The requests that are using it.
        var users = 0
        var lastUse: ContinuousClock.Instant
    }

    /// A request that is waiting for a seat.
    private struct Waiter {
        let wish: RequestToken
        let reply: CheckedContinuation<Bool, Never>
    }

    private var seats: [String: Seat] = [:]
    /// The seats of clients that have moved on to another medium, while requests still use them.
    private var replaced: [Seat] = []
    /// The number of sessions that are being released, whose memory will be available again.
    private var leavingCount = 0
    private var waiters: [Waiter] = []
    /// Whether a session is being created; the others wait their turn.
    private var isMaking = false
    private var line: [CheckedContinuation<Void, Never>] = []
    private let budget: ScrubBudget
    private let limits: ViewerLimits
    private let counts: DecodeCounts
    private let threads = BlockingThreads(limit: 4)
    private let clock = ContinuousClock()
    private let make: @Sendable (String, ViewedMedium, ScrubBudget, DecodeCounts) throws -> ClientSession

    /// - Parameter make: creates a client's session; may block.
    init(
        _ limits: ViewerLimits, _ counts: DecodeCounts,
        make: @escaping @Sendable (String, ViewedMedium, ScrubBudget, DecodeCounts) throws -> ClientSession = {
            try ClientSession($0, $1, $2, $3)
        }
    ) {
        (self.limits, self.counts, self.make) = (limits, counts, make)
        budget = ScrubBudget(byteLimit: limits.pictureByteLimit)
    }

    /// The current bytes of sessions' pictures, and their peak.
    nonisolated var memory: (used: Int, peak: Int, held: Int) {
        (budget.usedByteCount, budget.peakByteCount, budget.heldByteCount)
    }

    /// The numbers of known clients, waiting requests, coded pictures decoded so far, and abandoned decodings.
    var figures: (clients: Int, waiting: Int, pictures: Int, left: Int) {
        let gone = counts.now
        let present = seats.values + replaced
        return (
            seats.count, waiters.count,
            present.reduce(gone.pictures) { $0 + $1.session.decodedPictureCount },
            present.reduce(gone.left) { $0 + $1.session.decodesLeft }
        )
    }

    /// The number of previews of all sessions, and their bytes in memory.
    var previews: (frames: Int, bytes: Int) {
        seats.values.map(\.session.previews).reduce((0, 0)) { ($0.frames + $1.frames, $0.bytes + $1.bytes) }
    }

    /// Returns the session of a request's client for a medium, to be returned with ``giveBack(_:of:)``.
    ///
    /// - Parameter canWait: whether it is worth waiting for; otherwise, the result is `nil` at once if there is no
    ///   room.
    /// - Returns: the session; also `nil` if the request was superseded or the task cancelled. In that case, the work
    ///   for the client's previous request is ended.
    /// - Throws: `unavailable` if the queue is full or the medium too large for the available memory.
    func session(_ wish: RequestToken, _ medium: ViewedMedium, canWait: Bool) async throws -> ClientSession? {
        do {
            if let found = try await found(wish, medium, canWait: canWait) { return found }
        } catch {
            leave(wish)
            throw error
        }
        leave(wish)
        return nil
    }

    private func found(_ wish: RequestToken, _ medium: ViewedMedium, canWait: Bool) async throws -> ClientSession? {
        let (begin, client) = (clock.now, wish.client)
        while true {
            if canWait, isFull, seats[client]?.users ?? 0 == 0 {
                try requireRoomInQueue()
                guard await wait(wish), !Task.isCancelled else { return nil }
                continue
            }
            if let session = taken(client, medium) { return session }
            guard canWait || !isMaking else { return nil }
            await turn()
            defer { endTurn() }
            if let session = taken(client, medium) { return session }
            if Task.isCancelled { return nil }
            // For another medium: the client has moved on.
            if let old = seats[client] {
                guard wish.ifNewest({ old.session.leave() }) else { return nil }
                if old.users == 0 { await drop([client]) }
            }
            let patience: Duration =
                !canWait ? .seconds(5) : clock.now - begin > .seconds(1) ? .zero : .milliseconds(250)
            if seats.count >= limits.clients, await !makeRoom(idleFor: patience) {
                guard canWait else { return nil }
            } else if let session = try await made(client, medium, idleFor: patience) {
                return session
            } else if !canWait {
                return nil
            }
            try requireRoomInQueue()
            endTurn()
            let goesOn = await wait(wish)
            await turn()
            guard goesOn else { return nil }
        }
    }

    private func requireRoomInQueue() throws(ScrubError) {
        // A superseded request is about to leave.
        guard waiters.count < limits.queue || waiters.count(where: { $0.wish.isNewest }) < limits.queue else {
            throw ScrubError(
                .unavailable, "too many requests are waiting for a decoder", advice: "try again in a second")
        }
    }

    /// Whether as many are decoding as is useful: one more would delay all of them.
    private var isFull: Bool { seats.values.count { $0.users > 0 } + replaced.count >= 2 * Processors.count }

    /// Records that a request has ended. The caller has released the session.
    ///
    /// - Parameter used: the session that ``session(_:_:canWait:)`` returned.
    func giveBack(_ used: ObjectIdentifier, of client: String) {
        guard let seat = seats[client], ObjectIdentifier(seat.session) == used else { return giveBackReplaced(used) }
        seats[client]?.users = seat.users - 1
        let now = clock.now
        seats[client]?.lastUse = now
        // A client's possible next request matters less than other clients' current ones.
        if seats.values.count(where: { now - $0.lastUse < .seconds(2) }) > Processors.count { seat.session.hush() }
        if !waiters.isEmpty { waiters.removeFirst().reply.resume(returning: true) }
    }

    /// Records that a request has ended for a medium that its client has left. A newer request may use the same
    /// session.
    private func giveBackReplaced(_ used: ObjectIdentifier) {
        guard let place = replaced.firstIndex(where: { ObjectIdentifier($0.session) == used }) else { return }
        replaced[place].users -= 1
        guard replaced[place].users == 0 else { return }
        let gone = Locked([replaced.remove(at: place).session])
        Task { await self.release(gone) }
    }

    /// Ends the work for a request's client: the request is answered elsewhere.
    func leave(_ wish: RequestToken) { wish.ifNewest { seats[wish.client]?.session.leave() } }

    /// Ends the work for a medium whose file has been replaced, and releases the clients' decoders for it.
    func forget(_ medium: ViewedMedium) async {
        for seat in seats.values + replaced where seat.session.medium === medium { seat.session.leave() }
        await drop(seats.filter { $0.value.session.medium === medium && $0.value.users == 0 }.map(\.key))
    }

    /// Releases sessions that have been idle for a long time, and those whose file has been replaced.
    func sweep() async {
        let now = clock.now
        let idle = seats.filter { $0.value.users == 0 }
        await drop(
            idle.filter { now - $0.value.lastUse >= limits.restTime || $0.value.session.medium.isRetired }.map(\.key))
        if !waiters.isEmpty { waiters.removeFirst().reply.resume(returning: true) }
    }

    /// Releases everything.
    func close() async {
        for waiter in waiters { waiter.reply.resume(returning: false) }
        waiters = []
        for seat in seats.values + replaced { seat.session.leave() }
        await drop(Array(seats.keys))
    }

    private func taken(_ client: String, _ medium: ViewedMedium) -> ClientSession? {
        guard let seat = seats[client], seat.session.medium === medium else { return nil }
        seats[client]?.users = seat.users + 1
        seats[client]?.lastUse = clock.now
        return seat.session
    }

    private func made(
        _ client: String, _ medium: ViewedMedium, idleFor patience: Duration
    ) async throws -> ClientSession? {
        while true {
            do {
                let (budget, counts, make) = (budget, counts, make)
                let session = try await threads.run { try make(client, medium, budget, counts) }
                // In the meantime, a newer request may have used the session for the other medium, and may still be
                // using it.
                if seats[client]?.users == 0 { await drop([client]) }
                if let old = seats[client] { replaced.append(old) }
                seats[client] = Seat(session: session, users: 1, lastUse: clock.now)
                return session
            } catch let error as ScrubError where error.code == .unavailable {
                if await makeRoom(idleFor: patience) { continue }
                // Memory of sessions that are in use or being released will be available again.
                guard !seats.isEmpty || !replaced.isEmpty || leavingCount > 0 else {
                    throw ScrubError(
                        .unavailable, "its pictures need more memory than is available", file: medium.name,
                        advice: "restart the viewer with a larger --memory value")
                }
                return nil
            }
        }
    }

    /// Closes the seat that has been idle longest.
    ///
    /// - Parameter least: the minimum idle time of the seat. A request at rest takes a seat that has been idle for a
    ///   moment, and after a second any seat that is not in use at this moment. A request from a moving finger takes
    ///   only the seat of a client that has left.
    private func makeRoom(idleFor least: Duration) async -> Bool {
        let now = clock.now
        let idle = seats.filter { $0.value.users == 0 && now - $0.value.lastUse >= least }
        guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return false }
        await drop([oldest.key])
        return true
    }

    private func drop(_ clients: [String]) async {
        let gone = Locked(clients.compactMap { seats.removeValue(forKey: $0)?.session })
        await release(gone)
    }

    /// Releases sessions that no request uses, and adds up their work.
    private func release(_ gone: Locked<[ClientSession]>) async {
        let count = gone.withLock { sessions in
            for session in sessions {
                // The work for a request that was answered with a near picture.
                session.leave()
                counts.note { counts in
                    counts.pictures += session.decodedPictureCount
                    counts.left += session.decodesLeft
                }
            }
            return sessions.count
        }
        guard count > 0 else { return }
        leavingCount += count
        // Releasing the last reference waits for the session's thread.
        _ = try? await threads.run { gone.withLock { $0 = [] } }
        leavingCount -= count
        if !waiters.isEmpty { waiters.removeFirst().reply.resume(returning: true) }
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

    /// Waits until a seat is returned; false if the request was superseded or its task cancelled.
    private func wait(_ wish: RequestToken) async -> Bool {
        let number = wish.number
        // A seat may have been idle for long enough without being returned.
        let bell = Task {
            while (try? await Task.sleep(for: .milliseconds(100))) != nil { self.ring(number) }
        }
        wish.whenOvertaken { Task { await self.forget(number) } }
        defer {
            wish.whenOvertaken(nil)
            bell.cancel()
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { reply in
                // A client that has waited and found no room keeps its place.
                let place = waiters.partitioningIndex { $0.wish.number > number }
                waiters.insert(Waiter(wish: wish, reply: reply), at: place)
            }
        } onCancel: {
            Task { await self.forget(number) }
        }
    }

    private func ring(_ number: Int) {
        guard waiters.first?.wish.number == number else { return }
        waiters.removeFirst().reply.resume(returning: true)
    }

    private func forget(_ number: Int) {
        guard let place = waiters.firstIndex(where: { $0.wish.number == number }) else { return }
        waiters.remove(at: place).reply.resume(returning: false)
    }
}
#endif
