package import ScrubBase
package import ScrubSources

extension JSONText {
    /// Adds the network cost; nothing for local files.
    package mutating func add(network cost: NetworkCost?) {
        guard let cost else { return }
        var line = JSONText()
        line.add("requests", cost.requestCount)
        line.add("bytesFetched", cost.fetchedByteCount)
        line.add("bytesFromCache", cost.cachedByteCount)
        line.add("retries", cost.retryCount)
        add("network", .object(line))
    }
}
