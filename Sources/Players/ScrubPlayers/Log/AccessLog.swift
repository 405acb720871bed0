internal import ScrubBase

/// A log of a player's work and what it cost: seeks with their requests and results, stalls, dropped frames, and the
/// use of decoders.
///
/// Thread safety: safe from any thread. Memory: at most ``entryLimit`` entries of a few hundred bytes. The oldest
/// entries are dropped first, but ``counters`` still includes them.
public final class AccessLog: Sendable {
    private struct State {
        var entries: [AccessLog.Entry] = []
        /// The index of the oldest entry in `entries`, once the log is full.
        var first = 0
        var droppedEntryCount = 0
        var counters = AccessLog.Counters()
    }

    private let state = Locked(State())
    /// The maximum number of entries.
    public let entryLimit: Int

    /// Creates an empty log.
    ///
    /// - Parameter entryLimit: the maximum number of entries. With 0, only the counters are kept.
    /// - Precondition: `entryLimit` is not negative.
    package init(entryLimit: Int = 1000) {
        precondition(entryLimit >= 0, "the limit is \(entryLimit) entries: use 0 or more")
        self.entryLimit = entryLimit
    }

    /// The entries in the log, oldest first.
    public var entries: [AccessLog.Entry] { state.withLock { ordered($0) } }
    /// The number of dropped entries.
    public var droppedEntryCount: Int { state.withLock { $0.droppedEntryCount } }
    /// The totals of all entries, including dropped ones.
    public var counters: AccessLog.Counters { state.withLock { $0.counters } }

    /// Appends an entry.
    package func append(_ entry: AccessLog.Entry) {
        state.withLock { state in
            state.counters.count(entry.kind)
            if state.entries.count < entryLimit {
                state.entries.append(entry)
                return
            }
            state.droppedEntryCount.addClamping(1)
            guard entryLimit > 0 else { return }
            state.entries[state.first] = entry
            state.first = (state.first + 1) % entryLimit
        }
    }

    /// Counts presented frames, for which there are no entries.
    package func countPresented(_ frames: Int = 1) {
        state.withLock { $0.counters.presentedFrameCount.addClamping(frames) }
    }

    /// Counts pictures that were decoded for playback.
    ///
    /// - Parameter again: the number of those pictures that had been decoded before.
    package func countDecoded(_ pictures: Int, again: Int = 0) {
        state.withLock { state in
            state.counters.decodedPictureCount.addClamping(pictures)
            state.counters.redecodedPictureCount.addClamping(again)
        }
    }

    /// Counts bytes that were read.
    package func countRead(_ bytes: Int64) { state.withLock { $0.counters.readByteCount.addClamping(bytes) } }

    /// Counters and entries as JSON (RFC 8259): an object with `counters`, `droppedEntries` and `entries`, one entry
    /// per line. All numbers are integers; ratios are strings such as `1001/30000`.
    package var json: String {
        let (entries, dropped, counters) = state.withLock { (ordered($0), $0.droppedEntryCount, $0.counters) }
        var json = JSONText()
        json.add("counters", .object(counters.jsonObject))
        json.add("droppedEntries", dropped)
        json.add("entries", lines: entries.map(\.jsonObject))
        return json.file
    }

    /// The current content of the log, as a codable value.
    public var snapshot: Snapshot {
        state.withLock { state in
            Snapshot(
                counters: state.counters, droppedEntryCount: state.droppedEntryCount, entries: ordered(state))
        }
    }

    private func ordered(_ state: State) -> [AccessLog.Entry] {
        Array(state.entries[state.first...] + state.entries[..<state.first])
    }
}

extension AccessLog {
    /// The content of a log at one moment.
    ///
    /// Thread safety: a value type.
    public struct Snapshot: Sendable, Hashable, Codable {
        /// The totals of all entries, including dropped ones.
        public let counters: AccessLog.Counters
        /// The number of dropped entries.
        public let droppedEntryCount: Int
        /// The entries in the log, oldest first.
        public let entries: [AccessLog.Entry]

        private enum CodingKeys: String, CodingKey {
            case counters
            case droppedEntryCount = "droppedEntries"
            case entries
        }
    }
}
