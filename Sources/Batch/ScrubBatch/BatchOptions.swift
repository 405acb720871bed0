package import ScrubBatchLogic
internal import ScrubFileIO
package import ScrubBase
package import ScrubMedia

/// Options for running a batch.
package struct BatchOptions: Sendable {
    /// The folder of results.
    package var folder: String
    /// The state's database; `nil` for the default path.
    package var statePath: String?
    /// The number of processors to use.
    package var coreCount: Int = Processors.count
    /// The bytes that decoding may take, for all films together.
    package var memory: Int
    /// Options for opening films.
    package var opening = VideoAsset.OpenOptions()
    /// Whether existing results are checked by their hashes, and remade if the hashes are wrong.
    package var checksResults = false
    /// Decides by a film's key whether a film below a folder belongs to this run. Films in lists have already been
    /// chosen.
    package var isOwn: (@Sendable (_ key: String) -> Bool)?
    /// Called for films that are new or changed; false postpones a film. The callback must ensure that the film is
    /// found again.
    package var admits: (@Sendable (_ file: FoundFile, _ moment: Moment) -> Bool)?
    /// Predicts how many seconds a film takes on one processor.
    package var predict: (@Sendable (CostFeatures) -> Double?)?
    /// The costs of films on this machine, which are read for predictions and added to; `nil` for only the folder's own
    /// films.
    package var costs: MachineCosts?
    /// The number of films in progress, for callers that query it during a run.
    package let inHand = Locked(0)
    /// The places where media servers look for results; `nil` to keep all results in the folder.
    package var servers: ServerLocations?
    /// The object store for results; `nil` to keep them in the folder.
    package var objects: ObjectStore?
    /// Whether results are previews, which are in the cache of ``opening``.
    var makesPreviews = false
    /// Seconds since 1970.
    package var clock: @Sendable () -> Int64 = { BatchClock.now }

    /// The moment at which the run asks whether to process a film.
    package enum Moment: Sendable {
        /// The film was found.
        case found
        /// It is the film's turn.
        case begun
    }

    package init(folder: String, memory: Int) { (self.folder, self.memory) = (folder, memory) }

    /// The store of results.
    var store: any ResultStore {
        if let objects { return objects }
        if makesPreviews { return PreviewResultStore(FolderStore(folder: folder), cache: opening.cache.path) }
        return servers.map { ServerStore(folder: folder, $0) } ?? FolderStore(folder: folder)
    }

    /// Returns the default path of the state. It is in the user's state folder (`XDG_STATE_HOME`,
    /// else `~/.local/state`), named by a hash of the folder's path. Without a home, it is beside the results.
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
        /// It is not a film, although it has a film's suffix or was named by the caller.
        case skipped
    }

    package var file: FoundFile
    package var status: Status
    package var reason: String?
    package var code: Int?
    /// The wall time that the work took.
    package var seconds = 0.0
    /// The processor time.
    package var cpu = 0.0
    /// The number of pictures in the result.
    package var pictures = 0
    /// The number of coded pictures that were decoded.
    package var decoded = 0
    /// The result's size in bytes.
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
    /// Files that are not films and do not have a film's suffix.
    package var passedOver = 0
    package var pictures = 0
    package var decoded = 0
    package var byteCount = 0
    package var seconds = 0.0
    package var cpu = 0.0
    /// The most bytes of memory reserved for decoding at any one time.
    package var peakBytes = 0
    /// The folders and files that could not be read.
    package var problems: [ScrubError] = []
    /// Whether the run was interrupted.
    package var isBrokenOff = false
    /// Films that were not started, because the cache has no room for more previews. They are not in ``counts``.
    package var unbegun = 0
    /// The number of remaining films: 0 if everything that was found is accounted for or postponed.
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
