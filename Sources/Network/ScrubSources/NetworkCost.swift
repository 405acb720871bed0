/// The cost of reading a source over the network.
public struct NetworkCost: Hashable, Sendable, Codable {
    /// The number of requests sent, including those after redirects and retries.
    public var requests: Int64
    /// The bytes of response bodies that came over the network, without headers.
    public var bytesFetched: Int64
    /// The bytes read from the cache instead of the network. Each byte counts once.
    public var bytesFromCache: Int64
    /// The number of requests repeated after a failure.
    public var retries: Int64

    /// Creates a cost. It is zero by default.
    public init(requests: Int64 = 0, bytesFetched: Int64 = 0, bytesFromCache: Int64 = 0, retries: Int64 = 0) {
        self.requests = requests
        self.bytesFetched = bytesFetched
        self.bytesFromCache = bytesFromCache
        self.retries = retries
    }

    /// Returns the sum of two costs.
    public static func + (one: NetworkCost, other: NetworkCost) -> NetworkCost {
        NetworkCost(
            requests: one.requests + other.requests, bytesFetched: one.bytesFetched + other.bytesFetched,
            bytesFromCache: one.bytesFromCache + other.bytesFromCache, retries: one.retries + other.retries)
    }
}

/// A source that consists of several sources and has their total cost.
package protocol CostingSource: Sendable {
    /// The network cost so far; `nil` if the network was not used.
    var networkCost: NetworkCost? { get }
}
