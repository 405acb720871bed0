package import ScrubFileIO
package import ScrubBase

/// Indexes on disk, found by a file's identity, not by its name.
package struct IndexStore: Sendable {
    /// The default limit of all saved indexes together: 512 MiB, enough for about two thousand feature films.
    package static let defaultByteLimit: Int64 = 512 << 20

    package let directory: CacheDirectory
    /// The saved dependencies, which are kept next to the indexes with the same limit.
    private let dependencies: CacheDirectory
    /// The results of comparing restarts, with the same limit.
    private let proofs: CacheDirectory
    /// The metadata of the files, and the cost of their frames: a few hundred bytes each.
    private let facts: CacheDirectory
    private let costs: CacheDirectory
    /// Previews of the videos' frames, one file for each video and recipe. Previews may take half of all saved data,
    /// because those of a long video are larger than a thousand indexes.
    package let previews: CacheDirectory

    /// - Parameter totalLimit: the maximum number of bytes of all saved data, of every kind.
    package init(
        path: String, byteLimit: Int64 = IndexStore.defaultByteLimit, totalLimit: Int64 = CacheDirectory.totalLimit()
    ) {
        func kind(_ suffix: String) -> CacheDirectory {
            CacheDirectory(path: path, suffix: suffix, byteLimit: byteLimit, totalLimit: totalLimit)
        }
        directory = kind(".scrubindex")
        dependencies = kind(".scrubdeps")
        proofs = kind(".scrubproofs")
        facts = kind(".scrubfacts")
        costs = kind(".scrubcost")
        previews = CacheDirectory(
            path: path, suffix: ".scrubpreviews", byteLimit: byteLimit > 0 ? totalLimit / 2 : 0, totalLimit: totalLimit)
    }

    /// Returns the saved index of a file's current state, if there is a valid one.
    package func load(_ key: IndexFile.Key) -> FrameIndex? {
        guard let region = directory.region(key.name) else { return nil }
        if let index = try? IndexFile.decode(region, key: key) { return index }
        directory.remove(key.name)
        return nil
    }

    /// Saves an index.
    package func save(_ index: FrameIndex, _ key: IndexFile.Key) throws(ScrubError) {
        try directory.store(IndexFile.encode(index, key: key), as: key.name)
    }

    /// Returns the saved dependencies of an index.
    package func loadDependencies(_ key: IndexFile.Key, of index: FrameIndex) -> [DependencyTable] {
        guard let region = dependencies.region(key.name) else { return [] }
        if let tables = try? DependencyFile.decode(region.bytes, key: key, pictures: index.pictures.count) {
            return tables
        }
        dependencies.remove(key.name)
        return []
    }

    /// Saves dependencies.
    package func save(_ tables: [DependencyTable], _ key: IndexFile.Key) throws(ScrubError) {
        try dependencies.store(DependencyFile.encode(tables, key: key), as: key.name)
    }

    /// Returns the saved comparisons of the restarts of an index.
    package func loadProofs(_ key: IndexFile.Key, of index: FrameIndex) -> [Int: Bool] {
        guard let region = proofs.region(key.name) else { return [:] }
        if let found = try? RestartProofFile.decode(region.bytes, key: key, pictures: index.pictures.count) {
            return found
        }
        proofs.remove(key.name)
        return [:]
    }

    /// Saves the results of comparing restarts.
    package func save(_ found: [Int: Bool], _ key: IndexFile.Key) throws(ScrubError) {
        try proofs.store(RestartProofFile.encode(found, key: key), as: key.name)
    }

    /// Returns the saved metadata of a file.
    package func loadFacts(_ key: IndexFile.Key) -> MediaFacts? {
        guard let region = facts.region(key.name) else { return nil }
        if let found = try? MediaFactsFile.decode(region.bytes, key: key) { return found }
        facts.remove(key.name)
        return nil
    }

    /// Saves the metadata of a file.
    package func save(_ found: MediaFacts, _ key: IndexFile.Key) throws(ScrubError) {
        try facts.store(MediaFactsFile.encode(found, key: key), as: key.name)
    }

    /// Returns the saved cost of frames.
    package func loadCost(_ key: IndexFile.Key, of index: FrameIndex) -> CostSummary? {
        guard let region = costs.region(key.name) else { return nil }
        if let found = try? CostFile.decode(region.bytes, key: key, frameCount: index.frameCount) { return found }
        costs.remove(key.name)
        return nil
    }

    /// Saves the cost of frames.
    package func save(_ cost: CostSummary, _ key: IndexFile.Key) throws(ScrubError) {
        try costs.store(CostFile.encode(cost, key: key), as: key.name)
    }

    /// Returns the path of the index of a key, whether or not it exists.
    package func path(of key: IndexFile.Key) -> String { directory.path(of: key.name) }
}
