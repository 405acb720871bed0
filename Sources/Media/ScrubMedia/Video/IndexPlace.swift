internal import ScrubFileIO
internal import ScrubDecoding
internal import ScrubIndex

/// Where a video's index is kept, with what was found out later.
struct IndexPlace: Sendable {
    /// `nil` for what nothing identifies, and for what is not written to its end.
    let key: IndexFile.Key?
    /// `nil` also where nothing is kept.
    let store: IndexStore?

    /// Nowhere.
    init() { (key, store) = (nil, nil) }

    init(_ file: MediaSource, _ options: VideoAsset.OpenOptions) throws(ScrubError) {
        key = try file.identity == nil ? nil : IndexFile.Key(file, requestedStream: options.stream)
        store = key == nil ? nil : options.cache.path.map { IndexStore(path: $0, byteLimit: options.cache.byteLimit) }
    }

    /// The index as it is saved.
    func load() -> FrameIndex? { key.flatMap { store?.load($0) } }

    /// Saves a new index; `nil` where it is not kept.
    func save(_ index: FrameIndex, isBeside: Bool) -> IndexSaving? {
        guard let key, let store else { return nil }
        return IndexSaving(of: index, key, in: store, isBeside: isBeside)
    }

    /// What comparing has shown before.
    func loadProofs(of index: FrameIndex) -> [Int: Bool] {
        key.flatMap { store?.loadProofs($0, of: index) } ?? [:]
    }

    /// The saved file.
    var path: String? { key.flatMap { store?.path(of: $0) } }
}
