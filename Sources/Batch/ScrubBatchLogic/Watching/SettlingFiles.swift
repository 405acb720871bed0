/// Files that are changing, until they stop: then each is passed on once.
///
/// A file is *still* if the system's facts about it (its mark) have been the same for some seconds. The caller says
/// whether a still file is complete. While it is not, it is checked again, less and less often. After being still for a
/// long time, it is accepted as it is: a damaged file must also get its verdict.
///
/// Times are in milliseconds of a monotonic clock, which this type does not read itself. Memory: about 200 bytes and
/// the name for each file, for at most ``Rules/limit`` files.
package struct SettlingFiles<Mark: Hashable & Sendable>: Sendable {
    package struct Rules: Hashable, Sendable {
        /// The time for which a file must be unchanged.
        package var settle: Int64 = 5_000
        /// How long to wait for an incomplete file that does not change.
        package var patience: Int64 = 3_600_000
        /// The longest pause between checks of an incomplete file.
        package var longestPause: Int64 = 60_000
        /// The maximum number of files.
        package var limit = 65_536

        package init() {}
    }

    /// The outcome of checking a file.
    package enum Sight: Hashable, Sendable {
        /// There is no file with that name, or it is not one of these files.
        case gone
        /// It changed too recently.
        case moving
        /// It has been unchanged for long enough: ``judge(_:complaint:now:)`` is next.
        case still
    }

    /// The decision about a file that is still.
    package enum Decision: Hashable, Sendable {
        case begin
        /// It is incomplete, and the wait was long enough.
        case beginAsItIs(String)
        case wait
    }

    private struct File: Sendable {
        var mark: Mark?
        /// Since when the mark has been the same.
        var since: Int64
        /// The time of the next check.
        var look: Int64
        var pause: Int64
        var complaint: String?
    }

    package let rules: Rules
    private var files: [ExactName: File] = [:]
    /// No file is checked before this time.
    private var earliest = Int64.max

    package init(_ rules: Rules = Rules()) { self.rules = rules }

    /// The number of awaited files.
    package var count: Int { files.count }

    /// The number of awaited files that are still and incomplete.
    package var incompleteCount: Int { files.values.count { $0.complaint != nil } }

    /// Records that something has happened to a file.
    ///
    /// - Parameter mark: the system's current facts about it; `nil` if it was not checked.
    /// - Returns: false if there are too many files; a later walk then finds it.
    package mutating func touch(_ path: String, _ mark: Mark?, now: Int64) -> Bool {
        let name = ExactName(path)
        let known = files[name]
        guard known != nil || files.count < rules.limit else { return false }
        // A read or a change of permissions is not a reason to start over.
        let isSame = known?.mark != nil && known?.mark == mark
        let since = isSame ? known?.since ?? now : now
        let look = sum(now, rules.settle)
        files[name] = File(mark: mark, since: since, look: look, pause: rules.settle, complaint: known?.complaint)
        earliest = min(earliest, look)
        return true
    }

    /// Forgets a file that is gone or in progress.
    package mutating func forget(_ path: String) { files[ExactName(path)] = nil }

    /// Forgets all files below a folder.
    package mutating func forget(below folder: String) {
        let prefix = Array((folder + "/").utf8)
        files = files.filter { !$0.key.text.utf8.starts(with: prefix) }
    }

    /// Returns the files to check now, at most this many; pass each outcome to ``observe(_:_:now:)``.
    ///
    /// Cost: none before the first file's time, otherwise a pass over all files.
    package mutating func due(now: Int64, limit: Int = 4096) -> [String] {
        guard now >= earliest else { return [] }
        var found: [(look: Int64, path: String)] = []
        var next = Int64.max
        for (name, file) in files {
            if file.look <= now { found.append((file.look, name.text)) } else { next = min(next, file.look) }
        }
        found.sort { ($0.look, $0.path) < ($1.look, $1.path) }
        // Checked files get their next time there.
        earliest = found.isEmpty ? next : now
        return found.prefix(limit).map(\.path)
    }

    /// Records the outcome of checking a file.
    ///
    /// - Parameter mark: `nil` if there is no file with that name.
    package mutating func observe(_ path: String, _ mark: Mark?, now: Int64) -> Sight {
        let name = ExactName(path)
        guard var file = files[name] else { return .gone }
        guard let mark else {
            files[name] = nil
            return .gone
        }
        if file.mark != mark { (file.mark, file.since, file.pause, file.complaint) = (mark, now, rules.settle, nil) }
        let isStill = now - file.since >= rules.settle
        file.look = sum(isStill ? now : file.since, rules.settle)
        files[name] = file
        return isStill ? .still : .moving
    }

    /// Decides about a file that is still.
    ///
    /// - Parameter complaint: the reason why it seems incomplete; `nil` if there is none.
    package mutating func judge(_ path: String, complaint: String?, now: Int64) -> Decision {
        let name = ExactName(path)
        guard var file = files[name] else { return .wait }
        guard let complaint else {
            files[name] = nil
            return .begin
        }
        let end = sum(file.since, rules.patience)
        guard now < end else {
            files[name] = nil
            return .beginAsItIs(complaint)
        }
        file.complaint = complaint
        file.look = min(sum(now, file.pause), end)
        file.pause = min(sum(file.pause, file.pause), max(rules.longestPause, rules.settle))
        files[name] = file
        earliest = min(earliest, file.look)
        return .wait
    }

    private func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
