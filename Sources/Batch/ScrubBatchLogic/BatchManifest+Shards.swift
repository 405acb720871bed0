extension BatchManifest {
    /// Returns the files of one shard, in the manifest's order; all of them if it is `nil`.
    ///
    /// If every file has a cost, the shards are balanced by it; otherwise, files are divided by the hash of their
    /// ``Entry/place``. Every machine with the same manifest gets the same result, without opening a file.
    package func entries(of shard: Shard?) -> [Entry] {
        guard let shard, shard.count > 1 else { return entries }
        let shards = shards(count: shard.count)
        return zip(entries, shards).filter { $0.1 == shard.index }.map(\.0)
    }

    /// Returns the shard of each file, from 0, in the manifest's order.
    package func shards(count: Int) -> [Int] {
        guard isBalanced else { return entries.map { ShardAssignment.shard(ofKey: $0.place, count: count) } }
        return ShardAssignment.balanced(entries.map { ($0.place, $0.cost ?? 0) }, count: count)
    }

    /// Whether every file has a cost, so that shards are balanced by it.
    package var isBalanced: Bool { entries.allSatisfy { $0.cost != nil } }
}
