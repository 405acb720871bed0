internal import ScrubSourcesLogic
internal import ScrubMediaCache
internal import ScrubBase

// What is known about an address before contacting it, and which process contacts it.
extension RemoteCore {
    /// Uses the cache's information if it may be trusted without asking.
    ///
    /// - Parameter isEnough: whether a known entry is enough. Otherwise some bytes must also be recorded: a process
    ///   that is just opening the address has it in the catalogue slightly before the first bytes.
    func takeKnown(_ isEnough: Bool) -> Bool {
        guard let cache = surroundings.cache, let medium = cache.medium(key), medium.isFresh else { return false }
        let recorded = medium.recorded(in: 0..<medium.total)
        guard isEnough || !recorded.isEmpty else { return false }
        bell.ring { state in
            state.medium = medium
            state.mediumState = .settled
            state.isUnconfirmed = true
            state.known = KnownContent(total: medium.total, validator: medium.validator)
            state.board.learned(total: medium.total)
            state.board.isOnDisk(recorded)
        }
        return true
    }

    /// Waits for a while for the process that is opening the address now, whose connection may be slow.
    ///
    /// - Returns: the claim; `nil` without a cache, or if the wait takes too long.
    func claimOpening() throws(ScrubError) -> OpeningClaim? {
        guard let cache = surroundings.cache else { return nil }
        let latest = surroundings.now() + surroundings.opening.patience.wholeNanoseconds
        while surroundings.now() < latest {
            switch cache.beginOpening(key) {
            case .mine(let claim): return claim
            case .free: return nil
            case .claimedElsewhere: break
            }
            let end = surroundings.now() + RemoteCore.openingPause
            let isClosing = bell.wait { state -> TimedBell<RemoteState>.Wake<Bool> in
                let left = end - self.surroundings.now()
                return state.isClosing || left <= 0 ? .done(state.isClosing) : .sleep(left)
            }
            if isClosing || Cancellation.isCurrentCancelled { throw errors.cancelled }
        }
        return nil
    }

    /// Nanoseconds between checks whether another process has opened the address.
    private static let openingPause: Int64 = 5_000_000

    /// Ends an opening: the first response's bytes are being written to disk, where processes that wait to open the
    /// same address find them.
    ///
    /// - Parameter request: the request that ended. The call has no effect if it is not the first one. `nil` for any.
    func endOpening(with request: Int? = nil) {
        let (opening, medium) = bell.withLock { state -> (OpeningClaim?, CachedMedium?) in
            guard request == nil || request == state.openingRequest else { return (nil, nil) }
            defer { state.opening = nil }
            return (state.opening, state.medium)
        }
        if let opening { medium?.release(opening) }
    }
}
