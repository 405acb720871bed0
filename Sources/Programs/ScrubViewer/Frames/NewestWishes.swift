#if Viewer
internal import ScrubBase

/// The newest wish of each client. Here, and nowhere else on the server, is decided which one that is.
///
/// A request gets a ``WishToken`` at the door, which goes with it down to the decoder. Whatever has to know whether
/// something newer came asks the token.
///
/// Thread safety: safe from any thread.
final class NewestWishes: Sendable {
    /// The known facts of a client.
    fileprivate struct Client: Sendable {
        /// The greatest turn that it named.
        var turn = Int.min
        /// The newest wish's number.
        var newest = 0
        /// Told when something newer than that comes.
        var onOvertaken: (@Sendable () -> Void)?
    }

    private let clients = Locked<[String: (client: Locked<Client>, lastUse: ContinuousClock.Instant)]>([:])
    /// Requests let in so far.
    private let count = Locked(0)

    /// Lets a request in. The client's former wishes are overtaken when this returns.
    ///
    /// - Returns: `nil` when a newer turn of the client is known.
    func admit(_ asker: ClientTurn, now: ContinuousClock.Instant) -> WishToken? {
        let client = clients.withLock { clients in
            let client = clients[asker.client]?.client ?? Locked(Client())
            clients[asker.client] = (client, now)
            return client
        }
        return client.withLock { known in
            let turn = asker.turn ?? known.turn
            guard turn >= known.turn else { return nil }
            // Under the client's lock: its numbers grow as its wishes are let in.
            let number = count.withLock { count in
                count += 1
                return count
            }
            let onOvertaken = known.onOvertaken
            known = Client(turn: turn, newest: number)
            onOvertaken?()
            return WishToken(asker.client, number, client)
        }
    }

    /// Forgets clients that asked for nothing since then and wait for nothing.
    func forget(idleSince then: ContinuousClock.Instant) {
        clients.withLock { clients in
            clients = clients.filter { $0.value.lastUse > then || $0.value.client.withLock { $0.onOvertaken != nil } }
        }
    }
}

/// A client's wish, from the door to the decoder.
///
/// Thread safety: safe from any thread.
final class WishToken: Sendable {
    /// The client's name in requests.
    let client: String
    /// Its place among all requests; of one client's the greatest is the newest.
    let number: Int
    private let known: Locked<NewestWishes.Client>

    fileprivate init(_ client: String, _ number: Int, _ known: Locked<NewestWishes.Client>) {
        (self.client, self.number, self.known) = (client, number, known)
    }

    /// Whether nothing newer came so far.
    var isNewest: Bool { known.withLock { $0.newest == number } }

    /// Does something if nothing newer came; nothing newer comes meanwhile.
    ///
    /// - Parameter body: must not ask a token of the client.
    /// - Returns: whether it was done.
    @discardableResult func ifNewest(_ body: () -> Void) -> Bool {
        known.withLock { known in
            guard known.newest == number else { return false }
            body()
            return true
        }
    }

    /// Sets the function to call when a newer wish comes, in place of an earlier one; calls it at once if that has
    /// come.
    ///
    /// - Parameter body: must not ask a token; `nil` when nothing waits for the wish any more.
    func whenOvertaken(_ body: (@Sendable () -> Void)?) {
        known.withLock { known in
            if known.newest == number { known.onOvertaken = body } else { body?() }
        }
    }
}
#endif
