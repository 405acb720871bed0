internal import ScrubSourcesLogic
internal import ScrubHTTPTransport
internal import ScrubMediaCache
internal import ScrubBase

// Requests for several ranges: each range is claimed separately in the cache, without the gaps.
extension RemoteWorker {
    mutating func beginSeveral(_ id: Int, _ wanted: ByteRanges) {
        several.insert(id)
        endClaims(overlapping: wanted)
        let parts = claimedParts(id, wanted)
        guard let span = parts.span else { return }
        let request = core.bell.withLock { state in state.begin(id, span, several: parts, false) }
        if let request { send(id, request) }
    }

    /// Ends the claims of a request for several ranges. Other requests, which have other pieces, request its missing
    /// bytes.
    mutating func endClaims(overlapping wanted: ByteRanges) {
        guard !several.isEmpty else { return }
        let over = core.bell.withLock { state in several.filter { state.board.index(of: $0) == nil } }
        for owner in over {
            for claim in claims[owner] ?? [] where !wanted.intersection(claim.range).isEmpty { claim.finish() }
            claims[owner]?.removeAll { !wanted.intersection($0.range).isEmpty }
        }
    }

    /// Claims the bytes of a request, if there is a cache.
    ///
    /// - Returns: the bytes to request, without those that another process has recorded or is fetching.
    private mutating func claimedParts(_ id: Int, _ wanted: ByteRanges) -> ByteRanges {
        for (owner, list) in claims where owner != id {
            let rest = list.filter { wanted.contains($0.range) }
            guard !rest.isEmpty else { continue }
            claims[id, default: []] += rest
            claims[owner]?.removeAll { wanted.contains($0.range) }
        }
        guard let medium = core.bell.withLock({ $0.medium }), medium.canRecord else { return wanted }
        var (parts, found) = (wanted, ByteRanges())
        for part in wanted.ranges where !claims.values.joined().contains(where: { $0.range.overlaps(part) }) {
            guard let claim = medium.beginFetch(part) else {
                if medium.canRecord { parts.remove(part) }
                continue
            }
            guard claim.missing == ByteRanges(part) else {
                claim.abandon()
                found.formUnion(ByteRanges(part).subtracting(claim.missing))
                parts.remove(part)
                continue
            }
            claims[id, default: []].append(claim)
        }
        guard parts != wanted else { return parts }
        let left = wanted.subtracting(parts)
        core.bell.ring { state in
            state.board.isOnDisk(found)
            state.board.leave(left, of: id)
            if state.board.index(of: id) == nil { state.ended.insert(id) }
        }
        return parts
    }
}
