internal import ScrubBatchLogic
internal import ScrubFileIO
internal import ScrubBase
internal import ScrubHashing
internal import ScrubMedia
internal import ScrubThumbnails

/// A film that a worker is processing: the steps from the first examination to a result that is complete but has no
/// name yet.
///
/// Use once, from the thread that holds the lock of the film's place.
struct FilmJob {
    private let worker: BatchWorker
    private let item: BatchItem
    /// The number of its lock, which is taken.
    private let lock: Int64
    /// The known facts about the film, even if a step throws.
    private var row: BatchState.Row
    private var outcome: BatchOutcome

    private var options: BatchOptions { worker.options }

    init(_ item: BatchItem, _ worker: BatchWorker, lock: Int64) {
        (self.item, self.worker, self.lock) = (item, worker, lock)
        row = BatchState.Row(place: item.file.place, path: item.file.path, status: .done)
        (row.facts, row.options) = (item.file.facts, worker.optionsKey)
        outcome = BatchOutcome(item.file, .done)
    }

    /// Performs all steps.
    ///
    /// - Parameter threads: called once, when the work is known; returns the number of threads that may decode.
    mutating func work(threads: () -> Int) throws(ScrubError) -> BatchWorker.Result {
        let look = VideoProbe(options: options, optionsKey: worker.optionsKey)
        switch try look.look(into: item, &row) {
        case .settled(let row, let outcome): return .settled(row, outcome)
        case .film(let asset, let key):
            try predict(asset)
            let (count, byteCount) = fitting(threads(), asset)
            guard byteCount <= worker.gate.byteLimit else { return tooLarge(byteCount) }
            let bytes = worker.gate.takeBytes(byteCount)
            defer { worker.gate.giveBytes(bytes) }
            let folder = try emptiedFolder(key.text)
            let made = try make(asset, key.text, in: folder, threadCount: count)
            try checkFile(folder)
            return .made(try result(made, key.text, frameCount: asset.frames.count, in: folder))
        }
    }

    /// Predicts the film's cost, if possible.
    private mutating func predict(_ asset: VideoAsset) throws(ScrubError) {
        guard let features = try worker.work.features(of: asset) else { return }
        (outcome.features, outcome.predicted) = (features, options.predict?(features))
        // Previews have a thousand times a set's bytes, so the learned factor would be theirs alone.
        if !worker.work.makesPreviews {
            outcome.predictedBytes = try worker.work.predictBytes(asset, worker.work.slots(features))
        }
        (row.features, row.predicted) = (features.text, outcome.predicted)
    }

    /// Returns as many of the threads as memory allows, at least one, and the bytes that they need.
    private func fitting(_ threads: Int, _ asset: VideoAsset) -> (threadCount: Int, byteCount: Int) {
        var count = max(1, threads)
        while count > 1, worker.work.memory(of: asset, threads: count) > worker.gate.byteLimit { count -= 1 }
        return (count, worker.work.memory(of: asset, threads: count))
    }

    /// Postpones a film whose decoding needs more memory than all films may use: the next run may have more.
    private mutating func tooLarge(_ needed: Int) -> BatchWorker.Result {
        let told = BatchOutcome.tooLarge(item.file, needed: needed, limit: worker.gate.byteLimit)
        row.attempts = item.row?.attempts ?? 0
        (row.status, row.notBefore) = (.waiting, -1)
        fail(told.reason, told.code)
        return .settled(row, outcome)
    }

    /// The folder in which the result is made. Of a killed run's leftovers, only the parts from which work continues
    /// are kept.
    private func emptiedFolder(_ key: String) throws(ScrubError) -> String {
        let folder = workFolder(key)
        if let above = Folder.folder(of: folder) { try Folder.make(above) }
        for name in Folder.list(folder) where !OutputFolder.isTransient(name) { Folder.removeTree(folder + "/" + name) }
        return folder
    }

    private mutating func make(
        _ asset: VideoAsset, _ key: String, in folder: String, threadCount: Int
    ) throws(ScrubError) -> BatchWork.Made {
        let times = WorkTimes()
        let made = try worker.work.make(
            asset,
            .init(
                folder: folder, subject: .init(name: item.file.place, key: key), threadCount: threadCount,
                checksResults: options.checksResults))
        outcome.cpu = times.otherSeconds(ofThreads: threadCount - 1)
        return made
    }

    /// Pictures that were read while the file was being written are not trusted.
    private func checkFile(_ folder: String) throws(ScrubError) {
        guard let now = FileFacts(path: item.file.path), now == item.file.facts else {
            Folder.removeTree(folder)
            throw ScrubError(
                .inputOutput, "was changed while it was being read", file: item.file.path,
                advice: "it will be retried later")
        }
    }

    /// Writes the record of the result, which completes the folder.
    private mutating func result(
        _ made: BatchWork.Made, _ key: String, frameCount: Int, in folder: String
    ) throws(ScrubError) -> MadeResult {
        var record = record(key, frameCount: frameCount)
        (record.pictures, record.warnings) = (made.pictures, made.warnings)
        record.previews = made.previews
        if made.isRest { (outcome.features, row.features) = (nil, nil) }
        record.files = try BatchRecord.gather(folder, keeping: worker.work.keeps)
        (outcome.pictures, outcome.decoded, outcome.warnings) = (made.pictures, made.decoded, made.warnings)
        row.pictures = made.pictures
        if let complaint = made.complaint {
            row.status = .failed
            fail(complaint.causeWording.text(for: .command), Int(complaint.code.exitStatus))
            markFailed(&record)
        }
        try record.write(in: folder)
        outcome.byteCount = record.byteCount
        row.byteCount = outcome.byteCount
        return MadeResult(row: row, outcome: outcome, record: record, folder: folder, lock: lock)
    }

    /// Postpones a film whose previews have no room in the cache: the next run may find room.
    mutating func hasNoRoom(_ error: ScrubError) -> BatchWorker.Result {
        let told = BatchOutcome.failure(item.file, error)
        (row.status, row.notBefore) = (.waiting, -1)
        fail(told.reason, told.code)
        return .full(row, outcome)
    }

    /// Returns the result of a failed film: a record if it would fail again, or else a later retry.
    mutating func failed(_ error: ScrubError) throws(ScrubError) -> BatchWorker.Result {
        let told = BatchOutcome.failure(item.file, error)
        row.attempts += 1
        fail(told.reason, told.code)
        // A decoder that this FFmpeg lacks will still be missing later; a damaged codec name looks the same.
        let isLacking: Bool
        if case .averror? = error.systemError { isLacking = error.code == .unavailable } else { isLacking = false }
        let kind = isLacking ? .permanent : FilmRetryPolicy.kind(ofExitStatus: error.code.exitStatus)
        if case .retry(let delay) = FilmRetryPolicy().next(after: kind, failures: row.attempts) {
            (row.status, row.notBefore) = (.waiting, options.clock() + delay)
            return .settled(row, outcome)
        }
        row.status = .failed
        guard kind == .permanent, let key = row.key else { return .settled(row, outcome) }
        let folder = workFolder(key)
        var record = record(key, frameCount: 0)
        markFailed(&record)
        do throws(ScrubError) {
            Folder.removeTree(folder)
            try Folder.make(folder)
            try record.write(in: folder)
        } catch  where !options.isHopeless(error) {
            // The state has it; other films' folders may accept files that this one does not.
            return .settled(row, outcome)
        }
        return .made(MadeResult(row: row, outcome: outcome, record: record, folder: folder, lock: lock))
    }

    private mutating func fail(_ reason: String?, _ code: Int?) {
        (row.reason, row.code) = (reason, code)
        (outcome.status, outcome.reason, outcome.code) = (.failed, reason, code)
    }

    /// Copies the row's description of the failure to the record, with the program that failed.
    private mutating func markFailed(_ record: inout BatchRecord) {
        row.program = BatchRecord.program
        (record.status, record.reason, record.code, record.program) = ("failed", row.reason, row.code, row.program)
    }

    /// Returns the folder in which a film's result is made: work for other options cannot be continued.
    private func workFolder(_ key: String) -> String {
        let name = PlainText.hexadecimal(xxh3(Array((key + worker.optionsKey).utf8)))
        return options.store.workFolder(of: item.file, key: name)
    }

    private func record(_ key: String, frameCount: Int) -> BatchRecord {
        BatchRecord(
            file: item.file.place, key: key, options: worker.optionsKey, status: "done", pictures: 0,
            frames: frameCount, warnings: [], files: [])
    }
}
