package import ScrubSourcesLogic
package import ScrubHTTPTransport
package import ScrubMediaCache
package import ScrubBase

/// A file on the network, read in ranges through memory and the disk cache.
///
/// It fetches the ranges announced with ``prefetch(_:)`` in a few large requests. Other reads are fetched too, with
/// some additional bytes while reads are sequential. A read waits for its first byte only. Bytes of two versions of the
/// content are never mixed: every response is checked against the first one.
///
/// Memory: at most ``NetworkOptions/memoryByteLimit``, and the bytes that are being written to the cache. It has one
/// thread, from the first missing byte until ``close()``.
///
/// Thread safety: safe from any thread.
package final class RemoteFile: MultirangeByteSource, IndexedByteSource {
    private let core: RemoteCore
    package let byteCount: Int64
    package let contentIdentifier: String?
    /// The name in messages: the address without credentials and without its query.
    package var name: String { core.surroundings.url.shownName }

    /// Opens an address.
    ///
    /// It blocks for at most one response, with the first 12 KiB, if the cache does not know the address yet or its
    /// entry is older than its time to live. Otherwise it makes no request. If a server does not report the size, it
    /// makes two or three requests.
    ///
    /// - Parameters:
    ///   - cache: the cache for fetched bytes; `nil` for none. It is not used if the options disable it.
    ///   - seed: the seed for the pauses between attempts, for tests; `nil` for the system's random numbers.
    ///   - opening: the size of the first request, and the maximum wait for others that are opening the address.
    /// - Throws: a ``ScrubError`` that names the address. The code is `noInput` if the resource does not exist or
    ///   access is denied, and `unavailable` if its address is not allowed. It is also `unavailable` if the server does
    ///   not support ranges and the whole content does not fit anywhere. It is `badData` for a coded response, and
    ///   `inputOutput` for failed transfers.
    package init(
        _ url: RemoteURL, options: NetworkOptions, cache: MediaCache?, client: any HTTPRequestStarter,
        seed: UInt64? = nil,
        opening: RemoteOpening = RemoteOpening()
    ) throws(ScrubError) {
        // The clock stops while the machine sleeps, so that no read fails because of sleep.
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

    /// Opens an address like the initializer, given as text.
    package static func open(
        _ text: String, options: NetworkOptions, cache: MediaCache?, client: any HTTPRequestStarter
    ) throws(ScrubError) -> RemoteFile {
        try RemoteFile(try RemoteURL(text), options: options, cache: cache, client: client)
    }

    deinit { core.close() }

    /// The cost of reading so far.
    package var cost: NetworkCost { core.bell.withLock { $0.cost } }

    /// The address of the last response, after redirects, which is the base of relative addresses in it; `nil` before
    /// the first response.
    package var answeredURL: RemoteURL? { core.bell.withLock { $0.answeredURL } }

    /// Whether the server supports ranges, as far as is known. Without them, the whole content is fetched, in order.
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
            return try cancellation.withCancellationHandler(
                onCancel: { core.bell.ring { _ in } },
                operation: { try unsafe core.read(at: offset, into: buffer, unless: cancellation) })
        } catch let error as ScrubError {
            throw error
        } catch {
            throw ScrubError(.inputOutput, "\(error)", file: name)
        }
    }

    package func availableByteCount(from offset: Int64) -> Int64 {
        core.bell.withLock { $0.board.heldCount(from: offset) }
    }
    /// Counts as one read that the cache alone answered.
    package func noteSavedIndex() { core.bell.withLock { $0.hits += 1 } }

    package func prefetch(_ ranges: [Range<Int64>]) { core.prefetch(ranges.map { ReadSpan($0) }) }

    package func prefetch(stretches: [ReadSpan]) { core.prefetch(stretches) }

    package func cancel() { core.cancel() }

    /// Ends all requests, and waits until the received bytes are passed to the cache (``MediaCache/flush()`` waits for
    /// the disk). Reads fail from now on. Releasing the object does the same.
    package func close() { core.close() }
}

extension RemoteCore {
    /// The size, and the content's identifier.
    fileprivate var description: (Int64, String?) {
        bell.withLock { state in
            let total = state.known.total ?? 0
            var parts = [surroundings.url.key, surroundings.options.cacheIdentity ?? "", String(total)]
            let validator = state.known.validator
            if validator.isStrong {
                // The identity belongs to the bytes, even if the cache has lost its entry.
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
