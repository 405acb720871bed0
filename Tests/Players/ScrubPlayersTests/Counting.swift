import Glibc
@testable import ScrubPlayersLogic
import ScrubBase
import ScrubMedia
import Testing

@testable import ScrubPlayers

/// Waits for something that other threads bring about: for the condition itself, and not for a time.
///
/// It is asked until it holds, and not once more. The limit is there so that a test that fails ends. It counts from the
/// last change of `progress`, which a machine with other work may make slow.
func until(
    _ what: @autoclosure () -> String, _ condition: () -> Bool, progress: () -> Int = { 0 },
    _ place: SourceLocation = #_sourceLocation
) async {
    var (turns, changes, last) = (0, 0, progress())
    while turns < 3_000_000, changes < 1_000_000 {
        if condition() { return }
        await Task.yield()
        usleep(100)
        let now = progress()
        (turns, changes, last) = now == last ? (turns + 1, changes, last) : (0, changes + 1, now)
    }
    Issue.record("\(what())", sourceLocation: place)
}

/// The living objects of players: none in the end.
final class Census: Sendable {
    private struct State {
        var objects: [(name: String, object: WeakBox)] = []
        var timebases: [Timebase] = []
    }

    private final class WeakBox: Sendable {
        private struct Held { weak var object: (any AnyObject & Sendable)? }
        private let held = Locked(Held())
        init(_ object: any AnyObject & Sendable) { held.withLock { $0.object = object } }
        var isAlive: Bool { held.withLock { $0.object != nil } }
    }

    let resources: DecodingResources
    private let state = Locked(State())

    init(_ resources: DecodingResources = DecodingResources()) { self.resources = resources }

    /// Counts a player, its parts, and its timebase.
    func note(_ player: Player) {
        state.withLock { state in
            state.objects.append(("player", WeakBox(player)))
            state.objects.append(("core", WeakBox(player.core)))
            state.objects.append(("board", WeakBox(player.core.board)))
            state.objects.append(("hub", WeakBox(player.core.hub)))
            if !state.timebases.contains(where: { $0 === player.timebase }) { state.timebases.append(player.timebase) }
        }
    }

    func note(_ presenter: Presenter) {
        state.withLock { state in
            state.objects.append(("presenter", WeakBox(presenter)))
            state.objects.append(("slot", WeakBox(presenter.slot)))
        }
    }

    func note(_ name: String, _ object: any AnyObject & Sendable) {
        state.withLock { $0.objects.append((name, WeakBox(object))) }
    }

    private var living: [String] {
        var names = state.withLock { state in state.objects.filter { $0.object.isAlive }.map(\.name) }
        if resources.openDecoderCount > 0 { names.append("\(resources.openDecoderCount) decoders") }
        if resources.waitingCount > 0 {
            names.append("\(resources.waitingCount) waiting for decoders")
        }
        if let bytes = resources.budget?.usedByteCount, bytes > 0 { names.append("\(bytes) bytes") }
        for timebase in state.withLock({ $0.timebases }) where timebase !== Timebase.realTime && timebase.isRunning {
            names.append("a timebase's thread")
        }
        return names
    }

    /// Waits until nothing is left: objects, decoders with their threads, bytes, and the timebases' threads.
    func reachesZero(_ place: SourceLocation = #_sourceLocation) async {
        await until("left: \(living)", { living.isEmpty }, progress: { 0 }, place)
        let left = living
        #expect(left == [], sourceLocation: place)
    }
}

extension Player {
    /// Seeks with waiting callers, of which none may be left.
    var pendingSeekCount: Int { core.state.withLock { $0.seeks.count } }

    /// The player's state, for a test that failed.
    var summary: String {
        core.state.withLock { state in
            let run = state.machine.current
            return """
                \(state.playbackState(at: state.lastNow)), item \(String(describing: run?.item)), shown \(String(describing: run?.shownFrame)), \
                queue \(run?.queue.map(\.frame) ?? []), complete \(String(describing: run?.isComplete)), full \(String(describing: run?.isLaneFull)), \
                first \(String(describing: run?.awaitsFirst)), starved \(String(describing: run?.isStarved)), moving \(state.machine.isMoving), \
                upcoming \(state.machine.upcoming), next \(String(describing: state.machine.next?.item)), stalled \(state.machine.isStalled), \
                waits \(state.machine.waitsForUpcoming), list \(String(describing: state.playlist.currentItem?.id)) ended \(state.playlist.isEnded), \
                loading \(state.loading.keys.map(\.value)), draining \(state.isDraining) \(state.jobs.count), presenter \(core.board.owner != nil), \
                attached \(core.resources.openDecoderCount), waiting \(core.resources.waitingCount)
                """
        }
    }
}
