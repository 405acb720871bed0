internal import ScrubFileIO
internal import ScrubDecoding
internal import ScrubIndex

/// The location of a video's saved index, and of later findings.
struct IndexLocation: Sendable {
    /// The index's key; `nil` for content without an identifier, and for an incomplete file.
    let key: IndexFile.Key?
    /// The index's store; also `nil` if nothing is saved.
    let store: IndexStore?
    /// Whether previews are kept next to the index.
    let keepsPreviews: Bool

    /// Creates a place where nothing is saved.
    init() { (key, store, keepsPreviews) = (nil, nil, false) }

    init(_ file: MediaSource, _ options: VideoAsset.OpenOptions) throws(ScrubError) {
        key = try file.identity == nil ? nil : IndexFile.Key(file, requestedStream: options.stream)
        keepsPreviews = options.keepsPreviews
        store = key == nil ? nil : options.cache.path.map { IndexStore(path: $0, byteLimit: options.cache.byteLimit) }
    }

    func load() -> FrameIndex? { key.flatMap { store?.load($0) } }

    /// Saves a new index; `nil` if it is not kept.
    func save(_ index: FrameIndex, isBeside: Bool) -> IndexSaving? {
        guard let key, let store else { return nil }
        return IndexSaving(of: index, key, in: store, isBeside: isBeside)
    }

    /// Returns the results of earlier comparisons.
    func loadProofs(of index: FrameIndex) -> [Int: Bool] {
        key.flatMap { store?.loadProofs($0, of: index) } ?? [:]
    }

    var path: String? { key.flatMap { store?.path(of: $0) } }
}
