@testable import ScrubMedia

/// A clock that the test moves.
final class FakeClock: Sendable {
    private let time = Locked<Int64>(0)
    var now: Int64 { time.withLock { $0 } }
    func advance(by nanoseconds: Int64) { time.withLock { $0 += nanoseconds } }
    func advance(to moment: Int64) { time.withLock { $0 = max($0, moment) } }
}

/// Pictures of a video that isn't there: each is its own number.
final class FakePictures: KeptPictures {
    private let frames = Locked<[Int]>([])
    private let small = Locked<Set<Int>>([])
    private let strip = Locked<Set<Int>>([])
    private let limit: Int
    /// What is known of the nearest picture as that of its own frame.
    let nearestVerdict = Locked(Verdict.exact)
    init(limit: Int) { self.limit = limit }

    func forget(_ frame: Int) { frames.withLock { $0.removeAll { $0 == frame } } }

    func keep(_ frame: Int) {
        frames.withLock { frames in
            guard !frames.contains(frame) else { return }
            frames.append(frame)
            if frames.count > limit { frames.removeFirst() }
        }
    }
    func full(_ frame: Int) -> SourceAnswer<Int>? {
        frames.withLock { $0.contains(frame) ? SourceAnswer(image: frame, verdict: .exact, decoded: 0) : nil }
    }
    func preview(_ frame: Int) -> Int? { small.withLock { $0.contains(frame) ? frame : nil } }
    func keepSmall(_ frame: Int) { strip.withLock { _ = $0.insert(frame) } }
    func keepPreview(_ frame: Int) { small.withLock { _ = $0.insert(frame) } }
    func nearest(to frame: Int, within distance: Int) -> NearPicture<Int>? {
        let full = frames.withLock { $0.min { abs($0 - frame) < abs($1 - frame) } }
        let small = small.withLock { $0 }.union(strip.withLock { $0 }).min { abs($0 - frame) < abs($1 - frame) }
        let verdict = nearestVerdict.withLock { $0 }
        let isSmall = small.map { small in full.map { abs($0 - frame) > abs(small - frame) } ?? true } ?? false
        return (isSmall ? small : full).flatMap { number in
            abs(number - frame) < distance
                ? NearPicture(frame: number, image: number, isFull: !isSmall, verdict: verdict) : nil
        }
    }
}

/// A decoder that takes the same time for every frame of a group, from the group's start or from where it is.
struct FakeSource: PictureSource {
    struct Failure: Sendable { var frame: Int }

    let clock: FakeClock
    let pictures: FakePictures
    let groupLength: Int
    /// Nanoseconds for a frame.
    let cost: Int64
    var failing: Set<Int> = []
    var damaged: Set<Int> = []
    /// Frames whose bytes never come.
    var absent: Set<Int> = []
    private(set) var isHeldUp = false
    /// Frames that a pass brings, one a step, in this order.
    var passing: [Int] = []
    /// Whether the work under way is finished first for frames near it.
    var jitters = false
    /// Whether there is memory to decode in.
    let memory: Locked<Int>
    /// Whether there is a decoder to decode with.
    let hasDecoder: Locked<Bool>
    /// How often others could have had it.
    private(set) var restCount = 0

    /// The next frame that the decoder would give.
    private(set) var position = 0
    private(set) var target: Int?
    private(set) var decoded = 0
    /// All frames ever decoded.
    private(set) var total = 0
    private(set) var noted: [Int] = []
    private(set) var prepared = 0
    private(set) var memoryNewsCount = 0

    init(
        clock: FakeClock, pictures: FakePictures, groupLength: Int, cost: Int64, memory: Locked<Int> = Locked(1),
        hasDecoder: Locked<Bool> = Locked(true)
    ) {
        (self.clock, self.pictures, self.groupLength, self.cost) = (clock, pictures, groupLength, cost)
        (self.memory, self.hasDecoder) = (memory, hasDecoder)
    }

    mutating func takeDecoder() -> Bool { hasDecoder.withLock { $0 } }
    mutating func restDecoder() { restCount += 1 }
    mutating func close() {}

    mutating func begin(_ frame: Int) {
        precondition(target == nil, "one at a time")
        (target, decoded) = (frame, 0)
        let start = frame / groupLength * groupLength
        if position <= start || position > frame { position = start }
    }

    mutating func step(_ deliver: (Int, Int) -> Void) throws(ScrubError) -> SourceStep<Int> {
        guard let target else { preconditionFailure("nothing was begun") }
        clock.advance(by: cost)
        isHeldUp = absent.contains(target)
        if isHeldUp { return .more }
        let frame = position
        (position, decoded, total) = (position + 1, decoded + 1, total + 1)
        if failing.contains(frame) {
            self.target = nil
            throw ScrubError(.inputOutput, "frame \(frame) cannot be read")
        }
        if memory.withLock({ $0 == 0 }) {
            self.target = nil
            return .starved
        }
        guard frame == target else {
            pictures.keep(frame)
            deliver(frame, frame)
            return .more
        }
        self.target = nil
        if damaged.contains(frame) {
            return .answer(SourceAnswer(image: frame, verdict: .damaged("made up"), decoded: decoded))
        }
        pictures.keep(frame)
        return .answer(SourceAnswer(image: frame, verdict: .exact, decoded: decoded))
    }

    mutating func leave() { target = nil }
    func hasPass(for frame: Int, isStill: Bool) -> Bool { passing.contains(frame) && !isStill }
    mutating func stepPass(_ deliver: (Int, Int, Int) -> Void) {
        clock.advance(by: cost)
        let frame = passing.removeFirst()
        total += 1
        pictures.keep(frame)
        deliver(frame, frame, 1)
    }
    func isWorthLeaving(for frame: Int) -> Bool { !jitters || target.map { abs($0 - frame) > groupLength } ?? true }
    mutating func note(_ frame: Int) { noted.append(frame) }
    mutating func noteMemoryNews() { memoryNewsCount += 1 }
    mutating func prepare(isMoving: Bool, isPreviewed: Bool) -> Bool {
        prepared += 1
        return false
    }
}

/// A session without threads: requests at their times, and turns between them.
final class FakeSession {
    typealias Showing = ScrubSessionState<Int>.Showing

    let clock = FakeClock()
    let pictures: FakePictures
    let board: ScrubSessionState<Int>
    private(set) var loop: ScrubLoop<FakeSource>
    private let shown = Locked<[Showing]>([])
    private let left = Locked<[Int]>([])
    private(set) var errors: [ScrubError] = []
    /// The requests that were told that they failed.
    private(set) var givenUp: [Int] = []
    /// Whether there is memory to decode in, and whether it came back.
    let memory = Locked(1)
    let memoryNews = Locked(false)
    let hasDecoder = Locked(true)
    /// Pictures that may still be handed out.
    let lendable = Locked(Int.max)

    static let patience: Int64 = 50_000_000

    init(
        groupLength: Int, cost: Int64, kept: Int = 40, failing: Set<Int> = [], damaged: Set<Int> = [],
        jitters: Bool = false, absent: Set<Int> = [], passing: [Int] = []
    ) {
        pictures = FakePictures(limit: kept)
        let (shown, left, clock) = (shown, left, clock)
        let schedule = ScrubSchedule(patience: FakeSession.patience)
        board = ScrubSessionState(
            schedule, kept: pictures,
            lend: { [lendable] _ in
                lendable.withLock { left in
                    guard left > 0 else { return nil }
                    left -= 1
                    return .init(loan: nil)
                }
            }, outlet: { showing in shown.withLock { $0.append(showing) } })
        var source = FakeSource(
            clock: clock, pictures: pictures, groupLength: groupLength, cost: cost, memory: memory,
            hasDecoder: hasDecoder)
        (source.failing, source.damaged, source.jitters) = (failing, damaged, jitters)
        (source.absent, source.passing) = (absent, passing)
        loop = ScrubLoop(
            source, board: board, clock: { clock.now },
            cancelled: { frame, _ in left.withLock { $0.append(frame) } },
            takeMemoryNews: { [memoryNews] in memoryNews.exchange(\.self, for: false) })
    }

    var showings: [Showing] { shown.withLock { $0 } }
    var cancelled: [Int] { left.withLock { $0 } }

    /// Turns until there is nothing to do, or a moment is reached.
    func run(until moment: Int64 = .max) {
        while clock.now < moment {
            do throws(ScrubError) {
                if try loop.turn() { continue }
            } catch {
                errors.append(error)
                if let request = loop.giveUp(error, now: clock.now) { givenUp.append(request.serial) }
                continue
            }
            if moment < .max { clock.advance(to: moment) }
            return
        }
    }

    /// Asks for frames at their times, then lets the finger rest on the last one.
    func drag(_ moves: [(time: Int64, frame: Int)]) {
        for (place, move) in moves.enumerated() {
            run(until: move.time)
            board.ask(move.frame, isMoving: place < moves.count - 1, now: clock.now)
        }
        run()
    }
}
