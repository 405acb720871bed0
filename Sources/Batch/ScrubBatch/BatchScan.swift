internal import ScrubBatchLogic
internal import ScrubFileIO
internal import ScrubBase

/// A place where films are looked for.
package enum BatchSource: Sendable {
    /// A folder, with the beginning of the places below it.
    case folder(String, prefix: String)
    /// Files that a list names.
    case files([FoundFile])
    /// Files of folders that were found before.
    case found([FoundFile])
    /// Files that a list names but that do not exist. They are reported as failed but not recorded, because they may be
    /// done and only out of reach.
    case absent([FoundFile])
}

/// Looks through the sources and parts films to do from finished ones, by stat(2) and the state alone.
struct BatchScan {
    let options: BatchOptions
    let optionsKey: String
    /// The state; `nil` if nothing is known yet.
    let state: BatchState?
    /// Films on which runs ended that were at work on them, and how many.
    let abandoned: [String: String]

    /// The films to do.
    private(set) var work: [BatchItem] = []
    private(set) var passedOver = 0
    private(set) var problems: [ScrubError] = []
    /// Which file has a place.
    private var places: [ExactName: FileNumber] = [:]

    /// A file by its device and its number there; none for one that is not there.
    private struct FileNumber: Equatable {
        var device: UInt64 = 0
        var number: UInt64 = 0
    }

    init(_ options: BatchOptions, _ optionsKey: String, _ state: BatchState?, abandoned: [String: String]) {
        (self.options, self.optionsKey, self.state, self.abandoned) = (options, optionsKey, state, abandoned)
    }

    /// - Parameter report: gets the films that need no work.
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
                    report(BatchOutcome(file, .failed, reason: "is not there", code: 66))
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
            // The same film again, by a list and its folder perhaps.
            guard other != number else { return }
            throw ScrubError(
                .usage, "another film's results have the same place, '\(file.place.shown)'", file: file.path,
                advice: "name the folders of the films, or give each its own 'place' in a list, or its own --to")
        }
        let row = try state?.row(file.place)
        let isSame = row?.facts == file.facts
        if !isSame, let admits = options.admits, !admits(file, .found) { return }
        if let isOwn = options.isOwn, !isListed {
            // A key is computed only if it is not known yet.
            let known = file.promised?.key ?? (isSame ? row?.key : nil)
            // One that cannot be read is reported by one shard, too.
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
                        + "; tried again in \(PlainText.shortClock(milliseconds: Int(left) * 1000, isWhole: true)) at the earliest",
                    code: row.code))
        default: break
        }
        work.append(BatchItem(file, row: row, isNamed: isNamed))
    }

    /// Whether a failure is one still: of this release of FFmpeg, and with its record where it has one.
    private func isFinal(_ row: BatchState.Row, _ file: FoundFile) -> Bool {
        guard row.program == nil || row.program == BatchRecord.program else { return false }
        return row.recordMark == nil || options.store.isCurrent(row.recordMark, of: file)
    }

    /// Returns the work in the order in which it is begun, as on the disk if that is free. The films at which earlier
    /// runs ended come last, each alone.
    ///
    /// The scan keeps nothing of it: of a library of a hundred thousand films each copy takes megabytes.
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

/// A film that is to be worked on.
struct BatchItem: Sendable {
    let file: FoundFile
    /// The film's row, in memory of its own: it is thrice as large as the rest, and most films of a first run have
    /// none.
    private let known: [BatchState.Row]
    /// Whether the caller named it: then it is reported even if it is not a film.
    let isNamed: Bool

    init(_ file: FoundFile, row: BatchState.Row?, isNamed: Bool) {
        (self.file, self.isNamed, known) = (file, isNamed, row.map { [$0] } ?? [])
    }

    /// What the state says about the film.
    var row: BatchState.Row? { known.first }

    /// The likely share of the whole: predicted seconds, else its bytes at a rate that fits most films.
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
