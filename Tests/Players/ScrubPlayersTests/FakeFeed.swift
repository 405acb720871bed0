import ScrubPlayersLogic
import ScrubBase

@testable import ScrubPlayers

/// A feed whose pictures are their own numbers. A frame takes three packets.
struct FakeFeed: PictureFeed {
    /// A test's view of all feeds.
    final class Watch: Sendable {
        struct Counts: Sendable {
            var open = 0
            var peakOpen = 0
            var begun: [Int] = []
            var steps = 0
            var prepared = 0
            var failsAt: Int?
            var starvesAt: Int?
        }
        let counts = Locked(Counts())
        init() {}
        var open: Int { counts.withLock { $0.open } }
        var begun: [Int] { counts.withLock { $0.begun } }
    }

    let frameCount: Int
    let watch: Watch
    private var isOpen = false
    private var next: Int?
    private var direction = 1
    private var packets = 0
    private var fed = 0
    private(set) var decodedCount = 0
    var readByteCount: Int64 { Int64(decodedCount) * 10 }

    init(frameCount: Int, watch: Watch) { (self.frameCount, self.watch) = (frameCount, watch) }

    mutating func begin(at frame: Int, _ direction: PlaybackDirection, stride: Int) throws(ScrubError) {
        precondition((0..<frameCount).contains(frame))
        let isNew = !isOpen
        isOpen = true
        watch.counts.withLock { counts in
            if isNew { counts.open += 1 }
            counts.peakOpen = max(counts.peakOpen, counts.open)
            counts.begun.append(frame)
        }
        (next, self.direction) = (frame, direction == .forward ? stride : -stride)
        (packets, fed) = (0, 0)
    }

    mutating func step(isAhead: Bool) throws(ScrubError) -> FeedStep<Int> {
        precondition(isOpen, "a step before begin or after close")
        guard let frame = next else { return .end }
        let (fails, starves) = watch.counts.withLock { counts -> (Bool, Bool) in
            counts.steps += 1
            defer { if counts.starvesAt == frame { counts.starvesAt = nil } }
            return (counts.failsAt == frame, counts.starvesAt == frame)
        }
        if fails { throw ScrubError(.inputOutput, "the disk is gone") }
        if starves { return .starved }
        packets += 1
        fed += 1
        decodedCount += 1
        if packets % 3 == 1, packets == 1 {
            return .placeholder(FedPicture(frame: frame, image: -1, verdict: .approximate("near")))
        }
        guard packets % 3 == 0 else { return .more }
        let after = frame + direction
        next = (0..<frameCount).contains(after) ? after : nil
        defer { fed = 0 }
        return .frame(FedPicture(frame: frame, image: frame, verdict: .exact, decodedCount: fed))
    }

    mutating func prepare() throws(ScrubError) -> Bool {
        precondition(isOpen, "prepare after close")
        return watch.counts.withLock { counts in
            counts.prepared += 1
            return counts.prepared % 4 != 0
        }
    }

    mutating func close() {
        if isOpen { watch.counts.withLock { $0.open -= 1 } }
        isOpen = false
        next = nil
    }
}

/// Takes the frames that a lane delivers, in a queue of a few frames.
final class LaneListener: Sendable {
    struct Heard: Sendable {
        var frames: [Int] = []
        var tickets: [Int] = []
        var placeholders = 0
        var ends = 0
        var failures = 0
        var starved = 0
        var waits = 0
        /// Frames that may still come before the queue is full.
        var room = Int.max
        /// Deliveries under way.
        var busy = 0
        var wasConcurrent = false
    }

    let heard = Locked(Heard())
    init(room: Int = .max) { heard.withLock { $0.room = room } }

    func take(_ ticket: Int, _ news: PipelineUpdate<Int>) -> Bool {
        heard.withLock { heard in
            heard.tickets.append(ticket)
            switch news {
            case .frame(let fed):
                heard.frames.append(fed.frame)
                heard.room -= 1
                return heard.room > 0
            case .placeholder: heard.placeholders += 1
            case .withoutPreview: break
            case .end: heard.ends += 1
            case .failed: heard.failures += 1
            case .starved: heard.starved += 1
            case .waitingForDecoder: heard.waits += 1
            }
            return true
        }
    }

    var frames: [Int] { heard.withLock { $0.frames } }
    var ends: Int { heard.withLock { $0.ends } }
}
