package import ScrubSourcesLogic
package import ScrubHTTPTransport
package import ScrubMediaCache
package import ScrubBase

/// A file on the network, read by ranges, through memory and the cache on disk.
///
/// It fetches the ranges that were announced with ``prefetch(_:)``, in few large requests. Other reads are fetched too,
/// with some bytes behind them as long as reads follow one another. A read waits for its first byte only. Bytes of two
/// versions of the content are never mixed: every answer is checked against the first one.
///
/// Memory: at most ``NetworkOptions/memoryByteLimit``, and the bytes that are being written to the cache. A thread of
/// its own from the first byte that is missing until ``close()``.
///
/// Thread safety: safe from any thread.
package final class RemoteFile: GapLeavingSource, IndexedByteSource {
    private let core: RemoteCore
    package let byteCount: Int64
    package let contentIdentifier: String?
    /// The name in messages: the address without credentials, its query left out.
    package var name: String { core.surroundings.url.shownName }

    /// Opens an address.
    ///
    /// Blocks for at most one answer, of the first 12 KiB. That is if the cache does not know the address yet, or its
    /// entry is older than its time to live. Else it asks nothing. Two or three requests where a server does not say
    /// how many bytes there are.
    ///
    /// - Parameters:
    ///   - cache: the place of fetched bytes; nil for nowhere. Not used where the options say so.
    ///   - seed: of the pauses between tries, for tests; the system's without one.
    ///   - opening: the size of the first request, and the time that others that are opening it are waited for.
    /// - Throws: a ``ScrubError`` that names the address. The code is `noInput` if nothing is there or access is
    ///   refused, and `unavailable` if its address is not allowed. It is also `unavailable` if the server answers no
    ///   ranges and nothing can hold the whole. It is `badData` for a coded answer, and `inputOutput` for transfers
    ///   that fail.
    package init(
        _ url: RemoteURL, options: NetworkOptions, cache: MediaCache?, client: any HTTPStarting, seed: UInt64? = nil,
        opening: RemoteOpening = RemoteOpening()
    ) throws(ScrubError) {
        // It does not count while the machine sleeps, so that no read fails because of that.
        let clock = SuspendingClock()
        let start = clock.now
        core = RemoteCore(
            RemoteCore.Surroundings(
                url: url, options: options, cache: options.usesCache ? cache : nil, client: client, opening: opening,
                now: { (clock.now - start).wholeNanoseconds }),
            seed: seed ?? .random(in: 0 ... .max))
        try core.open()
        (byteCount, contentIdentifier) = core.description
    }

    /// As the initializer does, with the address as text.
    package static func open(
        _ text: String, options: NetworkOptions, cache: MediaCache?, client: any HTTPStarting
    ) throws(ScrubError) -> RemoteFile {
        try RemoteFile(try RemoteURL(text), options: options, cache: cache, client: client)
    }

    deinit { core.close() }

    /// The cost of reading so far.
    package var cost: NetworkCost { core.bell.withLock { $0.cost } }

    /// The address of the last answer, behind redirects: the base of relative addresses in it. Nil before one came.
    package var answeredURL: RemoteURL? { core.bell.withLock { $0.answeredURL } }

    /// Whether the server answers ranges, as far as is known: without them the whole is fetched, in order.
    package var answersRanges: Bool { core.bell.withLock { !$0.board.isWhole } }

    package func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(ScrubError) -> Int {
        try unsafe core.read(at: offset, into: buffer)
    }

    package func read(
        fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer,
        unless cancellation: Cancellation
    ) throws(ScrubError) -> Int? {
        let core = core
        do {
            return try cancellation.waking({ core.bell.ring { _ in } }) {
                try unsafe core.read(at: offset, into: buffer, unless: cancellation)
            }
        } catch let error as ScrubError {
            throw error
        } catch {
            throw ScrubError(.inputOutput, "\(error)", file: name)
        }
    }

    package func byteCountAtHand(from offset: Int64) -> Int64 {
        core.bell.withLock { $0.board.heldCount(from: offset) }
    }
    /// Counts as one read that the cache answered alone.
    package func noteSavedIndex() { core.bell.withLock { $0.hits += 1 } }

    package func prefetch(_ ranges: [Range<Int64>]) { core.prefetch(ranges.map { ReadStretch($0) }) }

    package func prefetch(stretches: [ReadStretch]) { core.prefetch(stretches) }

    package func cancel() { core.cancel() }

    /// Ends all requests, and waits until the received bytes are handed to the cache (``MediaCache/flush()`` waits for
    /// the disk). Reads fail from now on. The end of the object does the same.
    package func close() { core.close() }
}

extension RemoteCore {
    /// The total, and the content's identifier.
    fileprivate var description: (Int64, String?) {
        bell.withLock { state in
            let total = state.known.total ?? 0
            var parts = [surroundings.url.key, surroundings.options.cacheIdentity ?? "", String(total)]
            let validator = state.known.validator
            if validator.isStrong {
                // The identity is that of the bytes, also when the cache has lost its entry.
                parts += [validator.entityTag ?? "", validator.lastModified ?? ""]
            } else if let medium = state.medium, key.credentials.isEmpty {
                parts.append("generation \(medium.generation)")
            } else {
                return (total, nil)
            }
            return (total, parts.joined(separator: "\n"))
        }
    }
}
