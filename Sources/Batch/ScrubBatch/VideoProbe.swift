internal import ScrubBatchLogic
internal import ScrubFileIO
internal import ScrubBase
internal import ScrubDecoding
internal import ScrubMedia

/// The findings about a file before anything is decoded: the same answer for runs, plans and `--dry-run`.
///
/// Thread safety: safe from any thread. Cost: the file's key, its record, and its index if it is a film to process.
struct VideoProbe: Sendable {
    let options: BatchOptions
    let optionsKey: String
    /// Whether existing results need not be made again.
    var keepsCurrent = true

    enum Finding: Sendable {
        /// The film needs no work: its row for the state, and the outcome to report, if there is one.
        case settled(BatchState.Row, BatchOutcome?)
        /// A film to process.
        case film(VideoAsset, ContentKey)
    }

    /// - Parameter row: the known facts about the film, even if this throws.
    func look(into item: BatchItem, _ row: inout BatchState.Row) throws(ScrubError) -> Finding {
        // If it cannot even be read, it counts as the same film as long as it looks the same.
        if item.row?.facts == item.file.facts { row.attempts = item.row?.attempts ?? 0 }
        let key = try ContentKey(path: item.file.path)
        row.key = key.text
        guard key.container != nil || MediaWalk.promisesFilm(item.file.path) else {
            row.status = .other
            return .settled(row, item.isNamed ? BatchOutcome(item.file, .skipped, reason: BatchOutcome.notFilm) : nil)
        }
        if keepsCurrent, let there = try found(item, key.text, row) { return there }
        // It may have failed with other contents.
        if let known = item.row?.key { row.attempts = known == key.text ? item.row?.attempts ?? 0 : 0 }
        let asset: VideoAsset
        do throws(ScrubError) {
            asset = try VideoAsset(path: item.file.path, options: options.opening, savesBeside: false)
        } catch  where error.fact == .noVideo {
            (row.status, row.reason) = (.other, error.cause)
            return .settled(row, item.isNamed ? BatchOutcome(item.file, .skipped, reason: error.cause) : nil)
        }
        if let obstacle = try options.store.obstacle(to: asset, of: item.file) {
            (row.status, row.reason, row.recordMark) = (.left, obstacle.reason, obstacle.mark)
            return .settled(row, BatchOutcome(item.file, .skipped, reason: obstacle.reason))
        }
        return .film(asset, key)
    }

    /// Returns another run's result in the film's place, if it is for this film and these options.
    private func found(
        _ item: BatchItem, _ key: String, _ row: BatchState.Row
    ) throws(ScrubError) -> Finding? {
        let store = options.store
        guard let record = try store.record(of: item.file), record.key == key, record.options == optionsKey else {
            return nil
        }
        var row = row
        (row.pictures, row.recordMark) = (record.pictures, store.mark(of: record, of: item.file))
        row.byteCount = record.byteCount
        // A retry request is not answered with the record.
        if record.status == "failed", item.row?.status != .waiting {
            guard record.program == BatchRecord.program else { return nil }
            (row.status, row.reason, row.code, row.program) = (.failed, record.reason, record.code, record.program)
            return .settled(row, BatchOutcome(item.file, .failed, reason: record.reason, code: record.code))
        }
        guard record.status == "done" else { return nil }
        guard try store.holds(record, of: item.file, byHash: options.checksResults) else { return nil }
        var outcome = BatchOutcome(item.file, .kept)
        (outcome.pictures, outcome.byteCount) = (row.pictures, row.byteCount)
        return .settled(row, outcome)
    }
}

extension BatchWork {
    /// Returns the bytes that decoding a film takes, as in docs/engine.md, with the picture in progress and the small
    /// pictures.
    func memory(of asset: VideoAsset, threads: Int) -> Int {
        let each = FrameEngine.workingByteCount(asset.index, threadCount: 1)
        let (decoders, isMany) = (threads * decoderCount).multipliedReportingOverflow(
            by: min(each, .max - (8 << 20)) + (8 << 20))
        let (bytes, isMore) = decoders.addingReportingOverflow(keptBytes)
        return isMany || isMore ? .max : bytes
    }
}

extension BatchOutcome {
    /// Why a named file with other content, such as an animated GIF, is skipped.
    static let notFilm = "not a film; use 'scrub thumbs' for thumbnails of animated images"

    /// Returns a film whose decoding needs more memory than all films may use: the next run may have more, and nothing
    /// waits for it.
    static func tooLarge(_ file: FoundFile, needed: Int, limit: Int) -> BatchOutcome {
        let mebibytes = needed >> 20 + (needed & 0xF_FFFF == 0 ? 0 : 1)
        return BatchOutcome(
            file, .failed,
            reason:
                "decoding it takes \(mebibytes) MiB, but the limit for all films together is \(limit >> 20) MiB: use --memory \(mebibytes)",
            code: Int(ScrubError.Code.unavailable.exitStatus))
    }

    /// Returns a film that failed.
    static func failure(_ file: FoundFile, _ error: ScrubError) -> BatchOutcome {
        let what = [error.place?.description, error.causeWording.text(for: .command)].compactMap { $0 }
            .joined(separator: ": ")
        // General advice about damaged data does not help with a thousand films.
        return BatchOutcome(
            file, .failed, reason: error.adviceWording.map { "\(what) (\($0.text(for: .command)))" } ?? what,
            code: Int(error.code.exitStatus))
    }
}
