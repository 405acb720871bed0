package import ScrubBase
package import ScrubSources

extension JSONText {
    /// Adds the network cost; nothing for local files.
    package mutating func add(network cost: NetworkCost?) {
        guard let cost else { return }
        var line = JSONText()
        line.add("requests", cost.requests)
        line.add("bytesFetched", cost.bytesFetched)
        line.add("bytesFromCache", cost.bytesFromCache)
        line.add("retries", cost.retries)
        add("network", .object(line))
    }
}
