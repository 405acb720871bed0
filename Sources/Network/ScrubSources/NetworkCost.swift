/// The cost of reading a source over the network.
public struct NetworkCost: Hashable, Sendable, Codable {
    /// The number of requests sent, including those caused by redirects and retries.
    public var requestCount: Int64
    /// The number of bytes received over the network in response bodies, without headers.
    public var fetchedByteCount: Int64
    /// The number of bytes read from the cache instead of the network. Each byte is counted once.
    public var cachedByteCount: Int64
    /// The number of requests that were retried after a failure.
    public var retryCount: Int64

    /// The keys of the JSON text.
    private enum CodingKeys: String, CodingKey {
        case requestCount = "requests"
        case fetchedByteCount = "bytesFetched"
        case cachedByteCount = "bytesFromCache"
        case retryCount = "retries"
    }

    /// Creates a cost. It is zero by default.
    public init(
        requestCount: Int64 = 0, fetchedByteCount: Int64 = 0, cachedByteCount: Int64 = 0, retryCount: Int64 = 0
    ) {
        self.requestCount = requestCount
        self.fetchedByteCount = fetchedByteCount
        self.cachedByteCount = cachedByteCount
        self.retryCount = retryCount
    }

    /// Returns the sum of two costs.
    public static func + (one: NetworkCost, other: NetworkCost) -> NetworkCost {
        NetworkCost(
            requestCount: one.requestCount + other.requestCount,
            fetchedByteCount: one.fetchedByteCount + other.fetchedByteCount,
            cachedByteCount: one.cachedByteCount + other.cachedByteCount, retryCount: one.retryCount + other.retryCount)
    }
}

/// A source that consists of several sources and has their total cost.
package protocol CostingSource: Sendable {
    /// The network cost so far; `nil` if the network was not used.
    var networkCost: NetworkCost? { get }
}
