#if CommandLine
internal import ScrubReports
internal import Scrub
internal import ScrubPlayers
internal import ScrubBase

/// A player's event as a JSON object.
struct PlayEventText {
    let event: Player.Event
    let list: PlayList
    let nanoseconds: Int64

    /// - Parameter nanoseconds: the time since the beginning.
    init(_ event: Player.Event, list: PlayList, nanoseconds: Int64) {
        (self.event, self.list, self.nanoseconds) = (event, list, nanoseconds)
    }

    var json: String {
        var line = JSONText()
        func begin(_ name: String) {
            line.add("event", name)
            line.add("ms", Double(nanoseconds / 1000) / 1e3)
        }
        switch event {
        case .itemTransition(let from, let to, let reason):
            begin("itemTransition")
            line.add("from", place(from))
            line.add("to", place(to))
            line.add("reason", reason.rawValue)
        case .positionDiscontinuity(let from, let to, let reason):
            begin("positionDiscontinuity")
            line.add("from", position(from))
            line.add("to", position(to))
            line.add("reason", reason.rawValue)
        case .stateChanged(let state):
            begin("stateChanged")
            let (name, error) = PlayEventText.name(state)
            line.add("state", name)
            if let error { line.add("error", error.description(for: .command)) }
        case .itemEnded(let item):
            begin("itemEnded")
            line.add("item", place(item))
        case .playlistEnded: begin("playlistEnded")
        case .stalled(let at):
            begin("stalled")
            line.add("at", position(at))
        case .resumed(let at, let span):
            begin("resumed")
            line.add("at", position(at))
            line.add("stalledMs", Double(span.wholeNanoseconds / 1000) / 1e3)
        case .framesDropped(let frames):
            begin("framesDropped")
            line.add("late", frames.lateCount)
            line.add("skippedBeforeDecoding", frames.skippedBeforeDecodingCount)
            line.add("jumped", frames.jumpedCount)
        case .failed(let item, let error):
            begin("failed")
            line.add("item", place(item))
            line.add("error", error.description(for: .command))
            line.add("code", Int(error.code.exitStatus))
        case .playlistChanged(let items):
            begin("playlistChanged")
            line.add("items", items.count)
        case .buffering(let isLikely, let duration):
            begin("buffering")
            line.add("isLikelyToKeepUp", isLikely)
            line.add("bufferedSeconds", duration.doubleValue)
        case .presenterChanged(let hasPresenter, let generation):
            begin("presenterChanged")
            line.add("hasPresenter", hasPresenter)
            line.add("generation", generation)
        case .memoryPressure(let level):
            begin("memoryPressure")
            line.add("level", "\(level)")
        case .overflow(let count):
            begin("overflow")
            line.add("count", count)
        }
        return line.text
    }

    /// Returns the file of an item, and its position on the command line.
    private func place(_ item: PlayerItem.ID?) -> JSONText.Value {
        guard let entry = item.flatMap({ list.entry(of: $0) }) else { return .null }
        var line = JSONText()
        line.add("item", entry.place)
        line.add(path: entry.file)
        return .object(line)
    }

    private func position(_ position: Player.Position) -> JSONText.Value {
        var line = JSONText()
        line.add("item", position.item.flatMap { list.entry(of: $0)?.place })
        line.add("seconds", decimal: TimeText(position.time).seconds)
        line.add("frame", position.frame)
        return .object(line)
    }

    private static func name(_ state: PlaybackState) -> (String, ScrubError?) {
        switch state {
        case .idle: ("idle", nil)
        case .preparing: ("preparing", nil)
        case .paused: ("paused", nil)
        case .playing: ("playing", nil)
        case .stalled: ("stalled", nil)
        case .ended: ("ended", nil)
        case .failed(let error): ("failed", error)
        }
    }
}
#endif
