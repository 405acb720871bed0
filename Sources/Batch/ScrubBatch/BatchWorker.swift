internal import ScrubBatchLogic
internal import ScrubFileIO
internal import Glibc
internal import ScrubHashing
internal import ScrubBase
internal import ScrubMedia
internal import ScrubThumbnails

/// A result that is whole and has no name yet.
struct MadeResult: Sendable {
    var row: BatchState.Row
    var outcome: BatchOutcome
    /// The folder, beside the place that it will have.
    var folder: String
    /// Of its place; released when it is there.
    var lock: Int64
}

/// Works on one film after another; as many threads as there are processors share one.
///
/// Thread safety: safe from any thread.
struct BatchWorker: Sendable {
    let options: BatchOptions
    let work: BatchWork
    let optionsKey: String
    let state: BatchState
    let locks: LockTable
    let gate: BatchGate
    /// Whether films in hand are to be dropped.
    let isCancelled: @Sendable () -> Bool

    /// What became of a film.
    enum Result: Sendable {
        /// Another run works on it.
        case busy
        /// It was broken off: what there is of it is kept for the next run.
        case dropped
        /// Nothing has to be put anywhere.
        case settled(BatchState.Row, BatchOutcome?)
        case made(MadeResult)
        /// Nothing can be written any more: not this film's fault, and no other would fare better.
        case hopeless(ScrubError)
    }

    /// Works on a film.
    ///
    /// - Parameter threads: asked once, when it is known what is to be decoded: how many threads may do it.
    func process(_ item: BatchItem, threads: () -> Int) throws(ScrubError) -> Result {
        let lock = BatchPlaces.lock(item.file.place)
        guard locks.take(lock) else { return .busy }
        var keepsLock = false
        defer { if !keepsLock { locks.release(lock) } }
        try state.begin(item.file.place, path: item.file.path, owner: BatchOwner.own)
        let start = (wall: ContinuousClock.now, cpu: BatchWorker.threadTime)
        var row = BatchState.Row(place: item.file.place, path: item.file.path, status: .done)
        (row.facts, row.options) = (item.file.facts, optionsKey)
        var outcome = BatchOutcome(item.file, .done)
        let result: Result
        do throws(ScrubError) {
            result = try process(item, &row, &outcome, lock, threads)
        } catch {
            if isHopeless(error) {
                try? state.drop(item.file.place)
                return .hopeless(error)
            }
            if isCancelled() {
                try state.drop(item.file.place)
                return .dropped
            }
            result = try fail(error, item, row, outcome, lock)
        }
        func timed(_ row: BatchState.Row, _ outcome: BatchOutcome) -> (BatchState.Row, BatchOutcome) {
            var (row, outcome) = (row, outcome)
            outcome.seconds = BatchWorker.seconds(since: start.wall)
            outcome.cpu += BatchWorker.threadTime - start.cpu
            (row.seconds, row.cpu, row.finished) = (outcome.seconds, outcome.cpu, options.clock())
            return (row, outcome)
        }
        switch result {
        case .made(var made):
            keepsLock = true
            (made.row, made.outcome) = timed(made.row, made.outcome)
            return .made(made)
        case .settled(let row, let outcome?) where outcome.status == .failed:
            let (row, outcome) = timed(row, outcome)
            return .settled(row, outcome)
        default: return result
        }
    }

    /// - Parameters:
    ///   - row: what is known of the film, also when this throws.
    ///   - lock: the number of its lock, which is taken.
    private func process(
        _ item: BatchItem, _ row: inout BatchState.Row, _ outcome: inout BatchOutcome, _ lock: Int64,
        _ threads: () -> Int
    ) throws(ScrubError) -> Result {
        let (asset, key): (VideoAsset, ContentKey)
        switch try FilmLook(options: options, optionsKey: optionsKey).look(into: item, &row) {
        case .settled(let row, let outcome): return .settled(row, outcome)
        case .film(let found, let known): (asset, key) = (found, known)
        }
        let features = try features(of: asset)
        (outcome.features, outcome.predicted) = (features, features.flatMap { options.predict?($0) })
        outcome.predictedBytes = try features.map { (features) throws(ScrubError) in
            try work.predictBytes(asset, work.slots(features))
        }
        (row.features, row.predicted) = (features?.text, outcome.predicted)
        var count = max(1, threads())
        while count > 1, work.memory(of: asset, threads: count) > gate.byteLimit { count -= 1 }
        let needed = work.memory(of: asset, threads: count)
        guard needed <= gate.byteLimit else { return tooLarge(item, row, outcome, needed) }
        let bytes = gate.takeBytes(needed)
        defer { gate.giveBytes(bytes) }
        let folder = workFolder(item, key.text)
        if let above = Folder.folder(of: folder) { try Folder.make(above) }
        let began = (wall: ContinuousClock.now, process: BatchWorker.processTime, thread: BatchWorker.threadTime)
        // Of a run that was killed: what is finished is gone on from, all else is made again.
        for name in Folder.list(folder) where !OutputFolder.isTransient(name) { Folder.removeTree(folder + "/" + name) }
        let made = try work.make(
            asset,
            .init(
                folder: folder, subject: .init(name: item.file.place, key: key.text), threadCount: count,
                isCancelled: isCancelled))
        // Its other threads' time is not this thread's: at most all of theirs, and at most what the process took beside
        // this thread.
        if count > 1 {
            let others = BatchWorker.processTime - began.process - (BatchWorker.threadTime - began.thread)
            outcome.cpu = max(0, min(BatchWorker.seconds(since: began.wall) * Double(count - 1), others))
        }
        // Pictures that were read while the file was written are not trusted.
        guard let now = FileFacts(path: item.file.path), now == item.file.facts else {
            Folder.removeTree(folder)
            throw ScrubError(
                .inputOutput, "was changed while it was read", file: item.file.path, advice: "it is tried again later")
        }
        var record = record(item, key.text, asset.frames.count)
        (record.pictures, record.warnings) = (made.pictures, made.warnings)
        // What was finished and not used is not part of the result.
        for name in Folder.list(folder) where OutputFolder.isTransient(name) { Folder.removeTree(folder + "/" + name) }
        record.files = try BatchRecord.files(in: folder)
        if let complaint = made.complaint {
            (record.status, record.reason, record.code) = ("failed", complaint.cause, Int(complaint.code.exitStatus))
            (record.program, row.program) = (BatchRecord.program, BatchRecord.program)
            (row.status, row.reason, row.code) = (.failed, complaint.cause, record.code)
            (outcome.status, outcome.reason, outcome.code) = (.failed, complaint.cause, record.code)
        }
        let text = Array(record.text.utf8)
        try AtomicFile.write(text, to: folder + "/" + BatchRecord.fileName)
        (outcome.pictures, outcome.decoded, outcome.warnings) = (made.pictures, made.decoded, made.warnings)
        outcome.byteCount = record.files.reduce(text.count) { $0 + $1.bytes }
        (row.pictures, row.byteCount) = (made.pictures, outcome.byteCount)
        return .made(MadeResult(row: row, outcome: outcome, folder: folder, lock: lock))
    }

    /// What becomes of a film that failed: a record where it would fail again, else another try later.
    private func fail(
        _ error: ScrubError, _ item: BatchItem, _ row: BatchState.Row, _ outcome: BatchOutcome, _ lock: Int64
    ) throws(ScrubError) -> Result {
        var (row, outcome) = (row, outcome)
        let status = error.code.exitStatus
        let told = BatchOutcome.failure(item.file, error)
        let reason = told.reason
        row.attempts += 1
        (row.reason, row.code) = (reason, told.code)
        (outcome.status, outcome.reason, outcome.code) = (.failed, reason, told.code)
        // A decoder that this FFmpeg lacks it lacks tomorrow; a damaged name of a codec looks the same.
        let isLacking: Bool
        if case .averror? = error.systemError { isLacking = error.code == .unavailable } else { isLacking = false }
        let kind = isLacking ? .permanent : FilmRetryPolicy.kind(ofExitStatus: status)
        if case .retry(let delay) = FilmRetryPolicy().next(after: kind, failures: row.attempts) {
            (row.status, row.notBefore) = (.waiting, options.clock() + delay)
            return .settled(row, outcome)
        }
        row.status = .failed
        guard kind == .permanent, let key = row.key else { return .settled(row, outcome) }
        row.program = BatchRecord.program
        let folder = workFolder(item, key)
        var record = record(item, key, 0)
        (record.status, record.reason, record.code, record.program) = (
            "failed", reason, Int(status), BatchRecord.program
        )
        do throws(ScrubError) {
            Folder.removeTree(folder)
            try Folder.make(folder)
            try AtomicFile.write(Array(record.text.utf8), to: folder + "/" + BatchRecord.fileName)
        } catch  where !isHopeless(error) {
            // The state knows it; other films' folders may take what this one's does not.
            return .settled(row, outcome)
        }
        return .made(MadeResult(row: row, outcome: outcome, folder: folder, lock: lock))
    }

    /// Where a film's result is made: work for other options cannot be continued.
    private func workFolder(_ item: BatchItem, _ key: String) -> String {
        options.store.workFolder(of: item.file, key: PlainText.hexadecimal(xxh3(Array((key + optionsKey).utf8))))
    }

    private func record(_ item: BatchItem, _ key: String, _ frames: Int) -> BatchRecord {
        BatchRecord(
            file: item.file.place, key: key, options: optionsKey, status: "done", pictures: 0, frames: frames,
            warnings: [],
            files: [])
    }

    private func features(of asset: VideoAsset) throws(ScrubError) -> CostFeatures? {
        guard let request = work.request else { return nil }
        return try CostFeatures(of: asset, request, thumbnailPixels: work.thumbnailPixels)
    }

    /// What becomes of a film whose decoding takes more than all films may: the next run may have more, and nothing
    /// waits for it.
    private func tooLarge(
        _ item: BatchItem, _ row: BatchState.Row, _ outcome: BatchOutcome, _ needed: Int
    ) -> Result {
        var (row, outcome) = (row, outcome)
        let told = BatchOutcome.tooLarge(item.file, needed: needed, limit: gate.byteLimit)
        row.attempts = item.row?.attempts ?? 0
        (row.status, row.notBefore, row.code, row.reason) = (.waiting, -1, told.code, told.reason)
        (outcome.status, outcome.reason, outcome.code) = (.failed, told.reason, told.code)
        return .settled(row, outcome)
    }

    /// Whether the disk takes nothing more; one film's read-only folder does not stop the others.
    private func isHopeless(_ error: ScrubError) -> Bool {
        guard case .errno(let number) = error.systemError else { return false }
        return [ENOSPC, EDQUOT].contains(number) || number == EROFS && options.store.isOneDisk
    }

    /// Seconds that this thread has computed.
    private static var threadTime: Double { time(of: CLOCK_THREAD_CPUTIME_ID) }

    /// Seconds that all threads of this process have computed.
    private static var processTime: Double { time(of: CLOCK_PROCESS_CPUTIME_ID) }

    private static func time(of clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    static func seconds(since start: ContinuousClock.Instant) -> Double {
        Double(start.duration(to: .now).wholeNanoseconds) / 1e9
    }
}
