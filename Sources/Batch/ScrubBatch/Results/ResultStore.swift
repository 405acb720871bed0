internal import ScrubFileIO
internal import ScrubBase
internal import ScrubMedia

/// The store of a batch's results, with the marks by which they are recognized.
///
/// Thread safety: safe from any thread; call ``put(_:)`` from one thread at a time.
protocol ResultStore: Sendable {
    /// Whether all results are on one disk, so that if it rejects one, it rejects all.
    var isOneDisk: Bool { get }

    /// Returns the folder in which a film's result is made.
    ///
    /// The name contains the place's lock number, because copies of a film have the same key.
    func workFolder(of file: FoundFile, key: String) -> String

    /// Returns the record of a film's result; `nil` if it has none.
    func record(of file: FoundFile) throws(ScrubError) -> BatchRecord?

    /// Whether everything that a record names exists.
    ///
    /// - Parameter byHash: whether the bytes are also checked.
    func holds(_ record: BatchRecord, of file: FoundFile, byHash: Bool) throws(ScrubError) -> Bool

    /// Returns the mark that distinguishes a result from a later one; `nil` if it has none.
    func mark(of record: BatchRecord, of file: FoundFile) -> String?

    /// Whether a result still has a given mark, as far as that can be determined without cost.
    func isCurrent(_ mark: String?, of file: FoundFile) -> Bool

    /// Why no result is to be made for a film although none exists; called before anything is decoded.
    ///
    /// - Throws: if its result could not be stored there.
    func obstacle(to asset: VideoAsset, of file: FoundFile) throws(ScrubError) -> ResultObstacle?

    /// Moves results to their places, each completely or not at all, and removes their work folders.
    ///
    /// - Returns: the outcome of each.
    /// - Throws: if no result can be stored; in that case, none of these was.
    func put(_ results: [MadeResult]) throws(ScrubError) -> [Result<StoredResult, ScrubError>]

    /// Removes files that killed runs have left beside the results of films.
    func sweep(_ files: [FoundFile], _ locks: LockTable, now: Int64)
}

/// A file in the place of a film's results, which is left untouched.
struct ResultObstacle: Sendable {
    var reason: String
    /// The mark of the obstacle, like a result's.
    var mark: String
}

/// A result in its place.
struct StoredResult: Sendable {
    /// As for ``ResultStore/mark(of:of:)``.
    var mark: String?
    /// The instructions that could not be followed, one sentence each.
    var warnings: [String] = []
}
