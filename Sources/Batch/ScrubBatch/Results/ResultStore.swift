internal import ScrubFileIO
internal import ScrubBase
internal import ScrubMedia

/// Where the results of a batch are put, and what tells that they are there.
///
/// Thread safety: safe from any thread; ``put(_:)`` from one at a time.
protocol ResultStore: Sendable {
    /// Whether one disk takes all results, so that none could be stored where one is refused for the disk's sake.
    var isOneDisk: Bool { get }

    /// Where a film's result is made.
    ///
    /// The name has the place's lock in it, as copies of one film have one key.
    func workFolder(of file: FoundFile, key: String) -> String

    /// The record of a film's result; `nil` where there is none.
    func record(of file: FoundFile) throws(ScrubError) -> BatchRecord?

    /// Whether all is there that a record names.
    ///
    /// - Parameter byHash: whether the bytes are looked at too.
    func holds(_ record: BatchRecord, of file: FoundFile, byHash: Bool) throws(ScrubError) -> Bool

    /// What tells a result from one that was put there later; `nil` where there is none.
    func mark(of record: BatchRecord, of file: FoundFile) -> String?

    /// Whether a result is still the one that had a mark, as far as that costs nothing.
    func isCurrent(_ mark: String?, of file: FoundFile) -> Bool

    /// Why nothing is to be made for a film, though nothing of it is there; asked before anything is decoded.
    ///
    /// - Throws: when its result could not be put there.
    func obstacle(to asset: VideoAsset, of file: FoundFile) throws(ScrubError) -> ResultObstacle?

    /// Puts results in their places, each whole or not at all, and takes their work folders away.
    ///
    /// - Returns: what came of each.
    /// - Throws: when nothing can be put anywhere; then no result of these was.
    func put(_ results: [MadeResult]) throws(ScrubError) -> [Result<StoredResult, ScrubError>]

    /// Takes away what killed runs have left beside the results of films.
    func sweep(_ files: [FoundFile], _ locks: LockTable, now: Int64)
}

/// What is in the place of a film's results, and is left there.
struct ResultObstacle: Sendable {
    var reason: String
    /// Of what is there, as of a result.
    var mark: String
}

/// A result in its place.
struct StoredResult: Sendable {
    /// As ``ResultStore/mark(of:of:)``.
    var mark: String?
    /// What could not be put there, a sentence each.
    var warnings: [String] = []
}
