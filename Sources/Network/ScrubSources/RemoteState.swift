internal import ScrubSourcesLogic
internal import ScrubHTTPTransport
internal import ScrubMediaCache
internal import ScrubBase

/// The mutable state of a remote file, protected by the lock of ``RemoteCore``.
struct RemoteState {
    /// A request in progress.
    struct Answer {
        /// The requested range; `nil` for the whole content.
        let asked: Range<Int64>?
        /// The requested ranges, if there are several.
        var askedSeveral: ByteRanges?
        /// The parser of a body with several parts.
        var parser: MultipartRanges?
        /// The end of the body, according to its header.
        var end: Int64?
        /// The offset of its next byte.
        var next: Int64
        /// The meaning of the end, if this side stopped it.
        var ending: FetchScheduler.Ending?
        var handle: (any HTTPCancelling)?
        /// The address to which it was sent instead of the file's own.
        var shortcut: HTTPRequest.Shortcut?
    }

    /// The state of the cache during an opening.
    enum MediumState { case unknown, wanted, settled }

    let errors: RemoteErrors
    let memoryByteLimit: Int
    var board: FetchScheduler
    var store = BlockStore()
    var known: KnownContent
    /// The address of the last response, after redirects.
    var answeredURL: RemoteURL?
    /// The address to which redirects lead, until it fails, with the number of consecutive failures.
    var shortcut: HTTPRequest.Shortcut?
    var shortcutFailures = 0
    var answers: [Int: Answer] = [:]
    /// The last failure of a read, and the time until which others fail with it.
    var recentFailure: (error: ScrubError, until: Int64)?
    var random: SplitRandom
    var cost = NetworkCost()
    /// The bytes that came over the network in this run, and those that were read from the cache instead.
    var fetched = ByteRanges()
    var fromCache = ByteRanges()
    var hits: Int64 = 0
    var misses: Int64 = 0

    var medium: CachedMedium?
    var mediumState = MediumState.unknown
    /// The claim that others wait for, until the first response's bytes are recorded.
    var opening: OpeningClaim?
    /// The request that delivers it, or the one before that.
    var openingRequest: Int?
    /// Whether the entry was used without asking the server. The next response renews its time to live.
    var isUnconfirmed = false
    var mustRenew = false
    /// The content that replaced this one, for the next opening.
    var successor: (total: Int64, validator: Validator)?
    /// The bytes in memory of each request that are not written to the cache yet. They stay in memory.
    var unwritten: [Int: ByteRanges] = [:]
    /// The ended requests, whose claims end when everything is written.
    var ended: Set<Int> = []

    /// The number of responses with the whole content although a part was requested.
    var wholeAnswers = 0
    /// Whether the size is determined by a request for the whole content, because responses with parts do not contain
    /// it.
    var asksForTotal = false
    var isClosing = false
    var hasWorker = false
    var workerHasEnded = false
}

/// A generator of random numbers for pauses: SplitMix64. Seeded by the system, or by a test.
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
