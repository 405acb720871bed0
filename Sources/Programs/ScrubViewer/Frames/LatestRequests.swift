#if Viewer
internal import ScrubBase

/// The newest request of each client. Which one that is, is decided only here.
///
/// A request gets a ``RequestToken`` on admission, which stays with it down to the decoder. Code that needs to know
/// whether a newer request came asks the token.
///
/// Thread safety: safe from any thread.
final class LatestRequests: Sendable {
    /// The known facts about a client.
    fileprivate struct Client: Sendable {
        /// The greatest turn that it has named.
        var turn = Int.min
        /// The newest request's number.
        var newest = 0
        /// Called when a newer request comes.
        var onOvertaken: (@Sendable () -> Void)?
    }

    private struct Known {
        let client: Locked<Client>
        /// The number of tokens in use: while there are any, all of the client's requests have to know about each
        /// other.
        let tokens: Locked<Int>
        var lastUse: ContinuousClock.Instant
    }

    private let clients = Locked<[String: Known]>([:])
    /// The number of requests admitted so far.
    private let count = Locked(0)

    /// Admits a request. The client's earlier requests are superseded when this returns.
    ///
    /// - Returns: the token; `nil` if a newer turn of the client is known.
    func admit(_ asker: ClientIdentity, now: ContinuousClock.Instant) -> RequestToken? {
        let (client, tokens) = clients.withLock { clients in
            var known = clients[asker.client] ?? Known(client: Locked(Client()), tokens: Locked(0), lastUse: now)
            known.lastUse = now
            clients[asker.client] = known
            known.tokens.withLock { $0 += 1 }
            return (known.client, known.tokens)
        }
        let token = client.withLock { known -> RequestToken? in
            let turn = asker.turn ?? known.turn
            guard turn >= known.turn else { return nil }
            // Under the client's lock, so that its numbers increase in the order of admission.
            let number = count.withLock { count in
                count += 1
                return count
            }
            let onOvertaken = known.onOvertaken
            known = Client(turn: turn, newest: number)
            onOvertaken?()
            return RequestToken(asker.client, number, client, tokens)
        }
        if token == nil { tokens.withLock { $0 -= 1 } }
        return token
    }

    /// Forgets clients that have requested nothing since then and whose requests have all ended.
    func forget(idleSince then: ContinuousClock.Instant) {
        clients.withLock { clients in
            clients = clients.filter { $0.value.lastUse > then || $0.value.tokens.withLock { $0 > 0 } }
        }
    }
}

/// A client's request, from admission to the decoder.
///
/// Thread safety: safe from any thread.
final class RequestToken: Sendable {
    /// The client's name in requests.
    let client: String
    /// Its number among all requests; a client's greatest is its newest.
    let number: Int
    private let known: Locked<LatestRequests.Client>
    private let tokens: Locked<Int>

    fileprivate init(
        _ client: String, _ number: Int, _ known: Locked<LatestRequests.Client>, _ tokens: Locked<Int>
    ) {
        (self.client, self.number, self.known, self.tokens) = (client, number, known, tokens)
    }

    deinit { tokens.withLock { $0 -= 1 } }

    /// Whether no newer request has come so far.
    var isNewest: Bool { known.withLock { $0.newest == number } }

    /// Runs a closure if no newer request has come; none can come in the meantime.
    ///
    /// - Parameter body: must not use a token of the client.
    /// - Returns: whether it was done.
    @discardableResult func ifNewest(_ body: () -> Void) -> Bool {
        known.withLock { known in
            guard known.newest == number else { return false }
            body()
            return true
        }
    }

    /// Sets the function to call when a newer request comes, replacing an earlier function; calls it at once if one has
    /// come.
    ///
    /// - Parameter body: must not use a token; `nil` if nothing is waiting for the request.
    func whenOvertaken(_ body: (@Sendable () -> Void)?) {
        known.withLock { known in
            if known.newest == number { known.onOvertaken = body } else { body?() }
        }
    }
}
#endif
