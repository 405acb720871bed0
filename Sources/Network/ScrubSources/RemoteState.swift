internal import ScrubSourcesLogic
internal import ScrubHTTPTransport
internal import ScrubMediaCache
internal import ScrubBase

/// The mutable state of a remote file, which ``RemoteCore`` keeps behind its lock.
struct RemoteState {
    /// A request under way.
    struct Answer {
        /// The range that was asked for; nil for the whole.
        let asked: Range<Int64>?
        /// The same of several ranges.
        var askedSeveral: ByteRanges?
        /// Reads a body of several parts.
        var parser: MultipartRanges?
        /// The end of the body, as its head says.
        var end: Int64?
        /// The place of its next byte.
        var next: Int64
        /// The meaning of the end, if this side stopped it.
        var ending: FetchBoard.Ending?
        var handle: (any HTTPCancelling)?
        /// The address that it was sent to in place of the file's own.
        var shortcut: HTTPRequest.Shortcut?
    }

    /// The state of the cache's part of an opening.
    enum MediumState { case unknown, wanted, settled }

    let errors: RemoteErrors
    let memoryByteLimit: Int
    var board: FetchBoard
    var store = BlockStore()
    var known: KnownContent
    /// The address of the last answer, behind redirects.
    var answeredURL: RemoteURL?
    /// The address that redirects lead to, until it fails; and the number of failures in a row.
    var shortcut: HTTPRequest.Shortcut?
    var shortcutFailures = 0
    var answers: [Int: Answer] = [:]
    /// The last failure of a read, and until when others fail with it.
    var recentFailure: (error: ScrubError, until: Int64)?
    var random: SplitRandom
    var cost = NetworkCost()
    /// Bytes that came over the network in this run, and those that were read from the cache and did not.
    var fetched = ByteRanges()
    var fromCache = ByteRanges()
    var hits: Int64 = 0
    var misses: Int64 = 0

    var medium: CachedMedium?
    var mediumState = MediumState.unknown
    /// The claim for which others wait: until the first answer's bytes are recorded.
    var opening: OpeningClaim?
    /// The request that brings it, or the one before that.
    var openingRequest: Int?
    /// The entry was taken without asking the server; its next answer begins its time to live again.
    var isUnconfirmed = false
    var mustRenew = false
    /// The content that took the place of this one, for the next opening.
    var successor: (total: Int64, validator: Validator)?
    /// Bytes in memory of each request that are not written to the cache yet. They stay in memory.
    var unwritten: [Int: ByteRanges] = [:]
    /// Requests that are over, whose claims end when all is written.
    var ended: Set<Int> = []

    /// Answers of the whole where a part was asked for.
    var wholeAnswers = 0
    /// The total is asked for by a request of the whole, as answers of parts do not say it.
    var asksForTotal = false
    var isClosing = false
    var hasWorker = false
    var workerHasEnded = false
}

/// Random numbers for pauses: SplitMix64. Seeded from the system, or by a test.
struct SplitRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
