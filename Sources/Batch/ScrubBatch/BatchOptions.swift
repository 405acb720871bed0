package import ScrubBatchLogic
internal import ScrubFileIO
package import ScrubBase
package import ScrubMedia

/// Options for running a batch.
package struct BatchOptions: Sendable {
    /// The folder of results.
    package var folder: String
    /// The state's database; `nil` for the usual place.
    package var statePath: String?
    /// Processors that are used.
    package var coreCount: Int = Processors.count
    /// Bytes that decoding may take, over all films.
    package var memory: Int
    /// Options for opening films.
    package var opening = VideoAsset.OpenOptions()
    /// Whether results that are there are proven by their hashes, and made again where these are not right.
    package var checksResults = false
    /// Which of the films below folders are this run's; gets a film's key. Films of lists were chosen before.
    package var isOwn: (@Sendable (_ key: String) -> Bool)?
    /// Asked about films that are new or changed; false postpones a film. The callback must see to it that the film
    /// comes again.
    package var admits: (@Sendable (_ file: FoundFile, _ moment: Moment) -> Bool)?
    /// Predicts the seconds that a film takes on one processor.
    package var predict: (@Sendable (CostFeatures) -> Double?)?
    /// The costs of films on this machine: read for predictions, and added to; `nil` for the folder's own films alone.
    package var costs: MachineCosts?
    /// The number of films in hand, for callers that want to know during a run.
    package let inHand = Locked(0)
    /// The places of results that media servers look for; `nil` to have them all in the folder.
    package var servers: ServerPlaces?
    /// The object store that results go to; `nil` to have them in the folder.
    package var objects: ObjectStore?
    /// Whether results are previews, which lie in the cache of ``opening``.
    var makesPreviews = false
    /// Seconds since 1970.
    package var clock: @Sendable () -> Int64 = { BatchClock.now }

    /// The moment at which it is asked whether a film is to be worked on.
    package enum Moment: Sendable {
        /// It was found.
        case found
        /// It is its turn.
        case begun
    }

    package init(folder: String, memory: Int) { (self.folder, self.memory) = (folder, memory) }

    /// The store of results.
    var store: any ResultStore {
        if let objects { return objects }
        if makesPreviews { return PreviewResultStore(FolderStore(folder: folder), cache: opening.cache.path) }
        return servers.map { ServerStore(folder: folder, $0) } ?? FolderStore(folder: folder)
    }

    /// Returns the path of the state, if no other one is given. It is in the user's state folder (`XDG_STATE_HOME`,
    /// else `~/.local/state`), named by a hash of the folder's path. Without a home it is beside the results.
    package func stateFile() throws(ScrubError) -> String {
        if let statePath { return statePath }
        try Folder.make(folder)
        return BatchState.standardPath(forFolder: folder)
    }
}

/// The outcome of one film.
package struct BatchOutcome: Sendable {
    package enum Status: String, Sendable {
        /// Its results were made.
        case done
        /// They already existed.
        case kept
        case failed
        /// It is not a film, although its suffix is one of films or the caller named it.
        case skipped
    }

    package var file: FoundFile
    package var status: Status
    package var reason: String?
    package var code: Int?
    /// Wall time that it took.
    package var seconds = 0.0
    /// Time of processors.
    package var cpu = 0.0
    /// Pictures of the result.
    package var pictures = 0
    /// Coded pictures that were decoded.
    package var decoded = 0
    /// Bytes of the result.
    package var byteCount = 0
    package var predicted: Double?
    package var predictedBytes: Double?
    package var features: CostFeatures?
    package var warnings: [String] = []

    package init(_ file: FoundFile, _ status: Status) { (self.file, self.status) = (file, status) }
}

/// The outcome of a run.
package struct BatchSummary: Sendable {
    package var counts: [BatchOutcome.Status: Int] = [:]
    /// Files that are not films and do not claim to be.
    package var passedOver = 0
    package var pictures = 0
    package var decoded = 0
    package var byteCount = 0
    package var seconds = 0.0
    package var cpu = 0.0
    /// Bytes of memory that were set aside for decoding, at most.
    package var peakBytes = 0
    /// The folders and files that could not be looked into.
    package var problems: [ScrubError] = []
    /// Whether the run was broken off before its end.
    package var isBrokenOff = false
    /// Films that were not begun, because the cache has no room for more previews. They are not in ``counts``.
    package var unbegun = 0
    /// Films that were left: 0 where everything that was found is accounted for or put off.
    package var left = 0

    package init() {}

    package var files: Int { counts.values.reduce(0, +) }

    mutating func add(_ outcome: BatchOutcome) {
        counts[outcome.status, default: 0] += 1
        guard outcome.status == .done else { return }
        pictures += outcome.pictures
        decoded += outcome.decoded
        byteCount += outcome.byteCount
        cpu += outcome.cpu
    }
}
