import ScrubFileIO
import Foundation
import ScrubLibAV
import ScrubBase
import ScrubDecoding
import ScrubIndex
import ScrubTestSupport

@testable import ScrubMedia

/// A scrubbing session over a remote file, without threads. It has requests at their times, turns between them, and a
/// clock that moves only with turns and with awaited bytes.
final class DistantSession {
    /// A movement of the finger, and its time.
    struct Move {
        var time: Int64
        var frame: Int
        var isMoving = true
    }

    private final class World: Sendable {
        let now = Locked<Int64>(0)
        let moves = Locked<ArraySlice<Move>>([])
        let ask = Locked<(@Sendable (Move, Int64) -> Void)?>(nil)
        let turns = StepCancellation()
        let waited = Locked<Int64>(0)

        /// Makes the finger's movements up to now.
        func deliver() -> Bool {
            let time = now.withLock { $0 }
            var isAny = false
            while let move = moves.withLock({ moves in
                moves.first.map { $0.time <= time } == true ? moves.popFirst() : nil
            }) {
                ask.withLock { $0 }?(move, time)
                turns.cancel()
                isAny = true
            }
            return isAny
        }

        /// Waits for bytes, or until the finger moves.
        func wait(until moment: Int64) {
            let next = moves.withLock { $0.first?.time } ?? .max
            now.withLock { now in
                let end = max(now, min(moment, next))
                waited.withLock { $0 += end - now }
                now = end
            }
            _ = deliver()
        }
    }

    let source: DistantSource
    let asset: VideoAsset
    private let world = World()
    private let showings = Locked<[ScrubSessionState<SharedFrame>.Showing]>([])
    private var loop: ScrubLoop<SessionDecoder>
    private let board: ScrubSessionState<SharedFrame>
    private let budget = ScrubBudget()
    private let turnCost: Int64
    private let failures = Locked<[ScrubError]>([])
    private let left = Locked(0)

    /// - Parameters:
    ///   - delay: nanoseconds from a request to its first byte.
    ///   - turnCost: nanoseconds that a turn takes.
    ///   - known: bytes that were fetched at another time.
    init(
        _ path: String, delay: Int64, bytesPerSecond: Int64, turnCost: Int64 = 500_000, keyPictureCount: Int = 48,
        known: [Range<Int64>] = []
    ) throws {
        let world = world
        var way = DistantSource.Way()
        (way.delay, way.bytesPerSecond) = (delay, bytesPerSecond)
        way.now = { world.now.withLock { $0 } }
        way.wait = { world.wait(until: $0) }
        source = DistantSource(path: path, identifier: path, known: known, way: way)
        asset = try VideoAsset(source: source, name: path, options: VideoAsset.OpenOptions(cache: .none))
        self.turnCost = turnCost
        var options = ScrubSession.Options()
        (options.threadCount, options.keyPictureCount) = (1, keyPictureCount)
        let kept = SessionPictures(
            asset.index, sizes: .full, previews: nil, keyPictureByteLimit: options.keyPictureByteCount(asset.index),
            guaranteedByteCount: 0)
        let settings = options.engineSettings
        let member = try budget.join(kept, options.guarantee(asset.index)) {}
        let engine = FrameEngine(
            asset.seekPlanner(), options: settings, budget: member, cache: kept.full)
        let schedule = ScrubSchedule(patience: options.patience.wholeNanoseconds)
        let (showings, left) = (showings, left)
        let board = ScrubSessionState<SharedFrame>(
            schedule, kept: kept, outlet: { shown in showings.withLock { $0.append(shown) } })
        self.board = board
        loop = ScrubLoop(
            SessionDecoder(engine, kept, options, budget: member), board: board, clock: way.now,
            cancelled: { _, _ in left.withLock { $0 += 1 } })
        world.ask.withLock { ask in
            ask = { board.ask($0.frame, isMoving: $0.isMoving, now: $1) }
        }
    }

    var now: Int64 { world.now.withLock { $0 } }
    /// Nanoseconds that reads have waited.
    var waited: Int64 { world.waited.withLock { $0 } }
    var errors: [ScrubError] { failures.withLock { $0 } }

    /// Plays the finger's movements, from now on, and goes on until nothing is left to do.
    func play(_ moves: [Move]) -> [ScrubSessionState<SharedFrame>.Showing] {
        let start = now
        showings.withLock { $0 = [] }
        world.moves.withLock { all in
            all = moves.map { Move(time: start + $0.time, frame: $0.frame, isMoving: $0.isMoving) }[...]
        }
        while true {
            _ = world.deliver()
            var hasWorked = true
            do throws(ScrubError) {
                hasWorked = try world.turns.begin().perform { () throws(ScrubError) in try loop.turn() }
            } catch {
                failures.withLock { $0.append(error) }
                _ = loop.giveUp(error, now: now)
            }
            if hasWorked {
                world.now.withLock { $0 += turnCost }
            } else if let next = world.moves.withLock({ $0.first?.time }) {
                world.now.withLock { $0 = max($0, next) }
            } else {
                return showings.withLock { $0 }
            }
        }
    }
}
