package import ScrubFileIO
package import ScrubBase

/// Indexes on disk: found again by a file's identity, not by its name.
package struct IndexStore: Sendable {
    /// The default limit of all saved indexes together: 512 MiB, some two thousand feature films.
    package static let defaultByteLimit: Int64 = 512 << 20

    package let directory: CacheDirectory
    /// Dependencies, beside the indexes and as many bytes at most.
    private let dependencies: CacheDirectory
    /// The results of comparing restarts; as many bytes at most.
    private let proofs: CacheDirectory
    /// The files' claims about themselves, and the cost of their frames: a few hundred bytes each.
    private let facts: CacheDirectory
    private let costs: CacheDirectory
    /// Previews of the films' frames, a file for each film and recipe. They may take half of everything that is saved:
    /// a long film's are larger than a thousand indexes.
    package let previews: CacheDirectory

    /// - Parameter totalLimit: the most bytes of everything that is saved here, of every kind.
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

    /// Returns the saved index of a file's present state, if there is a sound one.
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

    /// Saves dependencies that were found out.
    package func save(_ tables: [DependencyTable], _ key: IndexFile.Key) throws(ScrubError) {
        try dependencies.store(DependencyFile.encode(tables, key: key), as: key.name)
    }

    /// Returns the saved comparisons of an index's restarts.
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

    /// Returns the saved claims of a file about itself.
    package func loadFacts(_ key: IndexFile.Key) -> MediaFacts? {
        guard let region = facts.region(key.name) else { return nil }
        if let found = try? MediaFactsFile.decode(region.bytes, key: key) { return found }
        facts.remove(key.name)
        return nil
    }

    /// Saves the claims of a file about itself.
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

    /// Returns the path at which the index of a key is, or would be.
    package func path(of key: IndexFile.Key) -> String { directory.path(of: key.name) }
}
