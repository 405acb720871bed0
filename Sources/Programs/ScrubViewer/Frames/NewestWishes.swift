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

    private struct Known {
        let client: Locked<Client>
        /// Tokens that are held: as long as there are any, all of the client's wishes have to know of one another.
        let tokens: Locked<Int>
        var lastUse: ContinuousClock.Instant
    }

    private let clients = Locked<[String: Known]>([:])
    /// Requests let in so far.
    private let count = Locked(0)

    /// Lets a request in. The client's former wishes are overtaken when this returns.
    ///
    /// - Returns: `nil` when a newer turn of the client is known.
    func admit(_ asker: ClientTurn, now: ContinuousClock.Instant) -> WishToken? {
        let (client, tokens) = clients.withLock { clients in
            var known = clients[asker.client] ?? Known(client: Locked(Client()), tokens: Locked(0), lastUse: now)
            known.lastUse = now
            clients[asker.client] = known
            known.tokens.withLock { $0 += 1 }
            return (known.client, known.tokens)
        }
        let token = client.withLock { known -> WishToken? in
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
            return WishToken(asker.client, number, client, tokens)
        }
        if token == nil { tokens.withLock { $0 -= 1 } }
        return token
    }

    /// Forgets clients that asked for nothing since then and whose wishes are all over.
    func forget(idleSince then: ContinuousClock.Instant) {
        clients.withLock { clients in
            clients = clients.filter { $0.value.lastUse > then || $0.value.tokens.withLock { $0 > 0 } }
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
    private let tokens: Locked<Int>

    fileprivate init(
        _ client: String, _ number: Int, _ known: Locked<NewestWishes.Client>, _ tokens: Locked<Int>
    ) {
        (self.client, self.number, self.known, self.tokens) = (client, number, known, tokens)
    }

    deinit { tokens.withLock { $0 -= 1 } }

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
    /// - Parameter body: must not ask a token; `nil` when nothing waits for the wish.
    func whenOvertaken(_ body: (@Sendable () -> Void)?) {
        known.withLock { known in
            if known.newest == number { known.onOvertaken = body } else { body?() }
        }
    }
}
#endif
