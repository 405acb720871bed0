internal import ScrubFileIO
internal import ScrubBase
internal import ScrubMedia

/// The store of a batch's results, with the marks by which they are recognized.
///
/// Thread safety: safe from any thread; ``put(_:)`` from one at a time.
protocol ResultStore: Sendable {
    /// Whether one disk takes all results, so that none could be stored where one is refused for the disk's sake.
    var isOneDisk: Bool { get }

    /// Returns the folder in which a film's result is made.
    ///
    /// The name has the place's lock in it, as copies of one film have one key.
    func workFolder(of file: FoundFile, key: String) -> String

    /// Returns the record of a film's result; `nil` if it has none.
    func record(of file: FoundFile) throws(ScrubError) -> BatchRecord?

    /// Whether all is there that a record names.
    ///
    /// - Parameter byHash: whether the bytes are looked at too.
    func holds(_ record: BatchRecord, of file: FoundFile, byHash: Bool) throws(ScrubError) -> Bool

    /// Returns the mark that tells a result from a later one; `nil` if it has none.
    func mark(of record: BatchRecord, of file: FoundFile) -> String?

    /// Whether a result is still the one that had a mark, as far as that costs nothing.
    func isCurrent(_ mark: String?, of file: FoundFile) -> Bool

    /// Why nothing is to be made for a film, though nothing of it is there; asked before anything is decoded.
    ///
    /// - Throws: if its result could not be put there.
    func obstacle(to asset: VideoAsset, of file: FoundFile) throws(ScrubError) -> ResultObstacle?

    /// Puts results in their places, each whole or not at all, and takes their work folders away.
    ///
    /// - Returns: the outcome of each.
    /// - Throws: if nothing can be put anywhere; then no result of these was.
    func put(_ results: [MadeResult]) throws(ScrubError) -> [Result<StoredResult, ScrubError>]

    /// Removes files that killed runs have left beside the results of films.
    func sweep(_ files: [FoundFile], _ locks: LockTable, now: Int64)
}

/// A file in the place of a film's results, which is left there.
struct ResultObstacle: Sendable {
    var reason: String
    /// The mark of the obstacle, as of a result.
    var mark: String
}

/// A result in its place.
struct StoredResult: Sendable {
    /// As ``ResultStore/mark(of:of:)``.
    var mark: String?
    /// The instructions that could not be followed, a sentence each.
    var warnings: [String] = []
}
