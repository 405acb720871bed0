internal import ScrubBatchLogic
internal import ScrubFileIO
internal import ScrubBase

/// A source of films.
package enum BatchSource: Sendable {
    /// A folder, with the prefix of the places below it.
    case folder(String, prefix: String)
    /// Files in a list.
    case files([FoundFile])
    /// Files that were found in folders before.
    case found([FoundFile])
    /// Files in a list that do not exist. They are reported as failed but not recorded, because they may be finished
    /// and only temporarily out of reach.
    case absent([FoundFile])
}

/// Goes through the sources and separates films to process from finished ones, using only stat(2) and the state.
struct BatchScan {
    let options: BatchOptions
    let optionsKey: String
    /// The state; `nil` if nothing is known yet.
    let state: BatchState?
    /// Films during whose processing runs ended, and the number of those runs.
    let abandoned: [String: String]

    /// The films to process.
    private(set) var work: [BatchItem] = []
    private(set) var passedOver = 0
    private(set) var problems: [ScrubError] = []
    /// The file that has each place.
    private var places: [ExactName: FileNumber] = [:]

    /// A file by its device and inode number; none for a missing file.
    private struct FileNumber: Equatable {
        var device: UInt64 = 0
        var number: UInt64 = 0
    }

    init(_ options: BatchOptions, _ optionsKey: String, _ state: BatchState?, abandoned: [String: String]) {
        (self.options, self.optionsKey, self.state, self.abandoned) = (options, optionsKey, state, abandoned)
    }

    /// - Parameter report: receives the films that need no work.
    mutating func look(
        into sources: [BatchSource], stopsAdmitting: () -> Bool, report: (BatchOutcome) -> Void
    ) throws(ScrubError) {
        for source in sources {
            switch source {
            case .files(let files):
                for file in files where !stopsAdmitting() { try visit(file, isNamed: true, isListed: true, report) }
            case .found(let files):
                for file in files where !stopsAdmitting() { try visit(file, isNamed: false, isListed: false, report) }
            case .absent(let files):
                for file in files where places[ExactName(file.place)] == nil {
                    places[ExactName(file.place)] = FileNumber()
                    report(BatchOutcome(file, .failed, reason: "is missing", code: 66))
                }
            case .folder(let path, let prefix):
                var walk = MediaWalk(leavingOut: [options.folder])
                try walk.walk(path, prefix: prefix) { (file) throws(ScrubError) in
                    try visit(file, isNamed: false, isListed: false, report)
                    return !stopsAdmitting()
                }
                problems += walk.problems
            }
        }
    }

    private mutating func visit(
        _ file: FoundFile, isNamed: Bool, isListed: Bool, _ report: (BatchOutcome) -> Void
    ) throws(ScrubError) {
        let number = FileNumber(device: file.facts.device, number: file.facts.inode)
        if let other = places.updateValue(number, forKey: ExactName(file.place)) {
            // The same film again, for example from a list and from its folder.
            guard other != number else { return }
            throw ScrubError(
                .usage, "another film's results would be written to the same place, '\(file.place.shown)'",
                file: file.path,
                advice:
                    "specify the folders that contain the films, or give each film its own 'place' in a list or its own --to"
            )
        }
        let row = try state?.row(file.place)
        let isSame = row?.facts == file.facts
        if !isSame, let admits = options.admits, !admits(file, .found) { return }
        if let isOwn = options.isOwn, !isListed {
            // A key is computed only if it is not known yet.
            let known = file.promised?.key ?? (isSame ? row?.key : nil)
            // A film that cannot be read is also reported by only one shard.
            guard isOwn(known ?? (try? ContentKey(path: file.path).text) ?? file.place) else { return }
        }
        guard let row, isSame else { return work.append(BatchItem(file, row: row, isNamed: isNamed)) }
        switch row.status {
        case .other:
            passedOver += 1
            if isNamed { report(BatchOutcome(file, .skipped, reason: row.reason ?? BatchOutcome.notFilm)) }
            return
        case .done where row.options == optionsKey && !options.checksResults:
            if options.store.isCurrent(row.recordMark, of: file) {
                var outcome = BatchOutcome(file, .kept)
                (outcome.pictures, outcome.byteCount) = (row.pictures, row.byteCount)
                return report(outcome)
            }
        case .left where row.options == optionsKey && options.store.isCurrent(row.recordMark, of: file):
            return report(BatchOutcome(file, .skipped, reason: row.reason))
        case .failed where row.options == optionsKey && isFinal(row, file):
            return report(BatchOutcome(file, .failed, reason: row.reason, code: row.code))
        case .waiting where row.options == optionsKey:
            guard case .after(let left) = row.nextTry(now: options.clock()) else { break }
            return report(
                BatchOutcome(
                    file, .failed,
                    reason: (row.reason ?? "")
                        + "; it will be retried in \(PlainText.shortClock(milliseconds: Int(left) * 1000, isWhole: true)) at the earliest",
                    code: row.code))
        default: break
        }
        work.append(BatchItem(file, row: row, isNamed: isNamed))
    }

    /// Whether a failure still applies: it is from this FFmpeg release, and its record, if any, still exists.
    private func isFinal(_ row: BatchState.Row, _ file: FoundFile) -> Bool {
        guard row.program == nil || row.program == BatchRecord.program else { return false }
        return row.recordMark == nil || options.store.isCurrent(row.recordMark, of: file)
    }

    /// Returns the work in starting order, which follows the disk where the order is free. The films on which earlier
    /// runs ended are last, each alone.
    ///
    /// The scan does not keep it: for a library of a hundred thousand films, each copy takes megabytes.
    mutating func ordered() -> (work: [BatchItem], suspects: [BatchItem]) {
        var others = work
        (work, places) = ([], [:])
        let suspects = others.filter { abandoned[$0.file.place] != nil }
        if !suspects.isEmpty { others.removeAll { abandoned[$0.file.place] != nil } }
        others.sort {
            ($0.file.facts.device, $0.file.facts.inode) < ($1.file.facts.device, $1.file.facts.inode)
        }
        let order = WorkOrder(others.map(\.weight), cores: options.coreCount)
        return ((order.first + order.middle + order.last).map { others[$0] }, suspects)
    }
}

/// A film to process.
struct BatchItem: Sendable {
    let file: FoundFile
    /// The film's row, in separate memory: it is three times as large as the rest, and most films of a first run have
    /// none.
    private let known: [BatchState.Row]
    /// Whether the caller named it; if so, it is reported even if it is not a film.
    let isNamed: Bool

    init(_ file: FoundFile, row: BatchState.Row?, isNamed: Bool) {
        (self.file, self.isNamed, known) = (file, isNamed, row.map { [$0] } ?? [])
    }

    /// The state's facts about the film.
    var row: BatchState.Row? { known.first }

    /// The likely share of the total: predicted seconds, or else its bytes at a rate that fits most films.
    var weight: Double {
        if let seconds = file.promised?.seconds, seconds > 0 { return seconds }
        return 0.02 + Double(file.facts.byteCount) / 200e6
    }
}

extension BatchOutcome {
    init(_ file: FoundFile, _ status: Status, reason: String?, code: Int? = nil) {
        self.init(file, status)
        (self.reason, self.code) = (reason, code)
    }
}
