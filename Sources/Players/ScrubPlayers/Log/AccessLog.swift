internal import ScrubBase

/// A player's record of its work and its cost: each seek with its request and its result, stalls, dropped frames,
/// decoders.
///
/// Thread safety: safe from any thread. Memory: at most ``entryLimit`` entries of some hundred bytes; the oldest go
/// first and stay in the ``counters``.
public final class AccessLog: Sendable {
    private struct State {
        var entries: [AccessLog.Entry] = []
        /// The place of the oldest entry, once all places are taken.
        var first = 0
        var droppedEntryCount = 0
        var counters = AccessLog.Counters()
    }

    private let state = Locked(State())
    /// The most entries that it keeps.
    public let entryLimit: Int

    /// Makes an empty log.
    ///
    /// - Parameter entryLimit: the most entries that it keeps; 0 keeps the counters only.
    /// - Precondition: `entryLimit` is not negative.
    public init(entryLimit: Int = 1000) {
        precondition(entryLimit >= 0, "a log of \(entryLimit) entries: give a limit of 0 or more")
        self.entryLimit = entryLimit
    }

    /// The kept entries, oldest first.
    public var entries: [AccessLog.Entry] { state.withLock { ordered($0) } }
    /// The number of dropped entries.
    public var droppedEntryCount: Int { state.withLock { $0.droppedEntryCount } }
    /// All of it, counted.
    public var counters: AccessLog.Counters { state.withLock { $0.counters } }

    /// Takes an entry down.
    public func append(_ entry: AccessLog.Entry) {
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

    /// Counts presented frames, which have no entries of their own.
    public func countPresented(_ frames: Int = 1) {
        state.withLock { $0.counters.presentedFrames.addClamping(frames) }
    }

    /// Counts pictures that were decoded for playing.
    ///
    /// - Parameter again: the number of them that had been decoded before.
    public func countDecoded(_ pictures: Int, again: Int = 0) {
        state.withLock { state in
            state.counters.decodedPictures.addClamping(pictures)
            state.counters.redecodedPictures.addClamping(again)
        }
    }

    /// Counts bytes that were read.
    public func countRead(_ bytes: Int64) { state.withLock { $0.counters.bytesRead.addClamping(bytes) } }

    /// Counters and entries as a JSON file (RFC 8259): an object with `counters`, `droppedEntries` and `entries`, one
    /// entry on a line. All numbers are integers; ratios are strings as `1001/30000`.
    public var json: String {
        let (entries, dropped, counters) = state.withLock { (ordered($0), $0.droppedEntryCount, $0.counters) }
        var json = JSONText()
        json.add("counters", .object(counters.jsonObject))
        json.add("droppedEntries", dropped)
        json.add("entries", lines: entries.map(\.jsonObject))
        return json.file
    }

    /// All that it has at this moment, as a value to write and read.
    public var snapshot: AccessLogSnapshot {
        state.withLock { state in
            AccessLogSnapshot(
                counters: state.counters, droppedEntries: state.droppedEntryCount, entries: ordered(state))
        }
    }

    private func ordered(_ state: State) -> [AccessLog.Entry] {
        Array(state.entries[state.first...] + state.entries[..<state.first])
    }
}

/// The content of an ``AccessLog`` at one moment. It is written as ``AccessLog/json`` is, and read from that.
///
/// Thread safety: a value.
public struct AccessLogSnapshot: Sendable, Hashable, Codable {
    /// All of it, counted.
    public let counters: AccessLog.Counters
    /// The number of dropped entries.
    public let droppedEntries: Int
    /// The kept entries, oldest first.
    public let entries: [AccessLog.Entry]
}
