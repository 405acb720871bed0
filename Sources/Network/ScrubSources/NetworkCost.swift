/// The cost of a source on the network.
public struct NetworkCost: Hashable, Sendable, Codable {
    /// Requests that were sent, those after redirects and those made again included.
    public var requests: Int64
    /// Bytes of answers that came over the network, headers left out.
    public var bytesFetched: Int64
    /// Bytes that were read and did not come over the network, since they were in the cache: each counts once.
    public var bytesFromCache: Int64
    /// Requests that were made again because one failed.
    public var retries: Int64

    /// Nothing yet.
    public init(requests: Int64 = 0, bytesFetched: Int64 = 0, bytesFromCache: Int64 = 0, retries: Int64 = 0) {
        self.requests = requests
        self.bytesFetched = bytesFetched
        self.bytesFromCache = bytesFromCache
        self.retries = retries
    }

    /// Returns the cost of several sources together.
    public static func + (one: NetworkCost, other: NetworkCost) -> NetworkCost {
        NetworkCost(
            requests: one.requests + other.requests, bytesFetched: one.bytesFetched + other.bytesFetched,
            bytesFromCache: one.bytesFromCache + other.bytesFromCache, retries: one.retries + other.retries)
    }
}

/// A source that is made of several, and has the cost of all of them.
package protocol CostingSource: Sendable {
    /// The network cost so far; nil if none was used.
    var networkCost: NetworkCost? { get }
}
