internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
package import ScrubBase
internal import ScrubIndex

/// Frames of one group of pictures that are decoded in one pass.
struct BatchGroup: Sendable {
    /// Frame numbers with their plans, by the order in which decoding reaches them.
    let members: [(number: Int, plan: DecodePlan)]
    let feeds: FeedPlan
    /// Whether the fast way is known to meet trouble.
    let isTroubled: Bool

    var targets: [Int] { members.map(\.plan.target) }
}

extension SeekPlanner {
    /// What frames take together: coded pictures given to decoders, their bytes in the file, and groups.
    package func batchCost(of numbers: [Int]) -> (pictures: Int, bytes: Int64, groups: Int) {
        let groups = groups(numbers, troubled: [])
        var (pictures, bytes) = (0, Int64(0))
        for group in groups {
            pictures += group.feeds.fed
            for feed in group.feeds.feeds { bytes += Int64(index.pictures.sizes[feed.picture]) }
        }
        return (pictures, bytes, groups.count)
    }

    /// Frames by the groups that they are decoded in, in decode order. Repeats are one.
    ///
    /// - Parameter isWindowed: whether it was said already what they take.
    func groups(_ numbers: [Int], troubled: Set<Int>, isWindowed: Bool = false) -> [BatchGroup] {
        var plans: [Int: [(number: Int, plan: DecodePlan)]] = [:]
        if file.isRemote, !isWindowed { expect(frames: Set(numbers).sorted()) }
        for number in Set(numbers) {
            let plan = plan(forFrame: number)
            plans[plan.restart, default: []].append((number, plan))
        }
        return plans.keys.sorted().compactMap { restart in
            let members = (plans[restart] ?? []).sorted { $0.plan.target < $1.plan.target }
            guard let last = members.max(by: { $0.plan.last < $1.plan.last }) else { return nil }
            return BatchGroup(
                members: members, feeds: feedPlan(last.plan, targets: members.map(\.plan.target)),
                isTroubled: troubled.contains(restart))
        }
    }
}

extension SeekPlanner {
    /// Frames of a file that is far away in parts that are decoded one after the other: of each part all is announced
    /// at once, and of the parts behind it as much as there is room for.
    ///
    /// The first part is small, so that something is there soon.
    fileprivate func windows(of numbers: [Int], isCoarseFirst: Bool) -> some Sequence<[Int]> {
        var groups: [Int: (frames: [Int], bytes: Int64)] = [:]
        for number in Set(numbers).sorted() {
            let plan = guess(forPicture: Int(index.frames[number]))
            let bytes = forecast.range(of: plan.target).map { Int64($0.count) } ?? 0
            groups[plan.restart, default: ([], 0)].frames.append(number)
            groups[plan.restart]?.bytes += plan.target > plan.restart ? SeekPlanner.windowByteCount / 64 : bytes
        }
        var order = groups.keys.sorted()
        if isCoarseFirst { order = BitReversal.order(order.count).map { order[$0] } }
        var windows: [[Int]] = []
        var (bytes, limit): (Int64, Int64) = (0, SeekPlanner.windowByteCount / 32)
        for restart in order {
            guard let group = groups[restart] else { continue }
            if windows.isEmpty || bytes + group.bytes > limit {
                if !windows.isEmpty { limit = min(2 * limit, SeekPlanner.windowByteCount / 2) }
                windows.append([])
                bytes = 0
            }
            windows[windows.count - 1] += group.frames
            bytes += group.bytes
        }
        let all = windows
        return all.indices.lazy.map { place in
            // What comes next is on its way while this is decoded.
            self.expect(frames: all[place...].joined())
            return all[place]
        }
    }
}

/// Decodes groups one after the other, on one thread, with a decoder that it keeps.
private struct GroupWorker: ~Copyable {
    let planner: SeekPlanner
    var pool: OpenDecoderPool
    var reader: PacketReader

    let hasSecondOpinions: Bool
    let isCancelled: @Sendable () -> Bool

    init(
        planner: SeekPlanner, pool: OpenDecoderPool, hasSecondOpinions: Bool,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        (self.planner, self.pool, self.isCancelled) = (planner, pool, isCancelled)
        self.hasSecondOpinions = hasSecondOpinions
        reader = PacketReader(file: planner.file, index: planner.index)
        self.pool.learn(from: &reader)
    }

    /// Answers all frames of a group.
    ///
    /// - Returns: whether the fast way met trouble.
    mutating func decode(
        _ group: BatchGroup, deliver: (Int, FrameEngine.Answer) throws(ScrubError) -> Void
    ) throws(ScrubError) -> Bool {
        var (left, isTroubled) = ([group], false)
        while let next = left.popLast() {
            var members = Dictionary(uniqueKeysWithValues: next.members.map { ($0.plan.target, $0) })
            let hasTrouble = try decode(next, &members, deliver)
            if next.feeds.plan.restart == group.feeds.plan.restart { isTroubled = hasTrouble }
            guard !members.isEmpty else { continue }
            // The decoder denies what the container claims: they are decoded from the restart before.
            planner.proofs.record(next.feeds.plan.restart, isProven: false)
            left += planner.groups(members.values.map(\.number), troubled: [], isWindowed: true)
        }
        return isTroubled
    }

    /// - Parameter members: those that are not answered stay, because their restart is not a restart after all.
    /// - Returns: whether the fast way met trouble.
    private mutating func decode(
        _ group: BatchGroup, _ members: inout [Int: (number: Int, plan: DecodePlan)],
        _ deliver: (Int, FrameEngine.Answer) throws(ScrubError) -> Void
    ) throws(ScrubError) -> Bool {
        for member in members.values { try planner.checkOrder(of: member.plan) }
        if !group.isTroubled, try !decodeFast(group, &members, deliver) { return false }
        guard !members.isEmpty else { return false }
        try decodeCarefully(group.feeds.plan, &members, deliver)
        return true
    }

    /// - Returns: false when the decoder denied that the group begins with a restart.
    private mutating func decodeFast(
        _ group: BatchGroup, _ members: inout [Int: (number: Int, plan: DecodePlan)],
        _ deliver: (Int, FrameEngine.Answer) throws(ScrubError) -> Void
    ) throws(ScrubError) -> Bool {
        let work = DecodeTask.Work(plan: group.feeds, targets: group.targets, isDrained: true)
        let (decoder, feeds) = try pool.take(for: work.plan, targets: work.targets)
        let plan = group.feeds.plan
        decoder.handOutOnly(planner.canBeDenied(plan) ? work.targets + [plan.restart] : work.targets)
        defer { decoder.handOutOnly(nil) }
        let task = DecodeTask(work, decoder: decoder, feeds: feeds)
        var told = 0
        var watch = RequestWatch(planner.file)
        while !task.isOver {
            if isCancelled() { throw FrameEngine.nobodyListens }
            let (pictures, refusal) = try watch.timed { () throws(ScrubError) in try task.stepFast(reader: &reader) }
            if let refusal {
                try refuse(&members, refusal, deliver)
                return true
            }
            for picture in pictures {
                watch.begin()
                if planner.isDenied(plan, by: picture) { return false }
                guard let (number, plan) = members.removeValue(forKey: picture.number) else { continue }
                // Each answer has the pictures up to its own that no answer before it has told.
                let cost = group.feeds.unitCount(through: plan.last)
                let share = max(0, min(task.decoded, cost) - told)
                told += share
                try deliver(
                    number,
                    FrameEngine.Answer(
                        picture: picture.number, frame: picture.frame, verdict: planner.rated(.exact, plan),
                        decoded: share, plan: plan))
            }
        }
        if decoder.findings.isStarved { throw FrameEngine.noMemory }
        if decoder.isClean { planner.noteSound(work) }
        if let decoder = task.takeDecoder(), decoder.isClean { pool.put(decoder) }
        return true
    }

    /// Answers what is left of a group that takes too long: the others are worth going on for.
    private func refuse(
        _ members: inout [Int: (number: Int, plan: DecodePlan)], _ refusal: ScrubError,
        _ deliver: (Int, FrameEngine.Answer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        let reason = [refusal.cause, refusal.advice].compactMap { $0 }.joined(separator: "; ")
        for (number, plan) in members.values.sorted(by: { $0.plan.target < $1.plan.target }) {
            try deliver(
                number,
                FrameEngine.Answer(
                    picture: plan.target, frame: nil, verdict: .undecodable(reason), decoded: 0, plan: plan))
        }
        members = [:]
    }

    private mutating func decodeCarefully(
        _ plan: DecodePlan, _ members: inout [Int: (number: Int, plan: DecodePlan)],
        _ deliver: (Int, FrameEngine.Answer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        var plans = members.values.map(\.plan)
        if planner.canBeDenied(plan) { plans.append(planner.plan(forPicture: plan.restart)) }
        let careful = CarefulDecoder(
            plans, planner: planner, allocator: pool.allocator, hasSecondOpinions: hasSecondOpinions)
        var told = 0
        var watch = RequestWatch(planner.file)
        while !careful.isOver {
            if isCancelled() { throw FrameEngine.nobodyListens }
            let (pictures, refusal) = try watch.timed { () throws(ScrubError) in try careful.step(reader: &reader) }
            if let refusal { return try refuse(&members, refusal, deliver) }
            for (target, picture) in pictures {
                watch.begin()
                let found = picture.frame.map { DecodedPicture(number: target, frame: $0) }
                if let found, planner.isDenied(plan, by: found) { return }
                guard let (number, plan) = members.removeValue(forKey: target) else { continue }
                let share = careful.fed - told
                told += share
                try deliver(
                    number,
                    FrameEngine.Answer(
                        picture: target, frame: picture.frame, verdict: planner.rated(picture.verdict, plan),
                        decoded: share, plan: plan))
            }
        }
        if careful.isStarved { throw FrameEngine.noMemory }
    }
}

extension FrameEngine {
    /// Ends work that no caller waits for any more. No caller sees this error.
    static var nobodyListens: ScrubError {
        ScrubError(.inputOutput, "no caller takes the answers any more")
    }

    /// Several frames, each group of pictures once; every answer is handed out as soon as it is there.
    ///
    /// Groups are decoded side by side, one thread each: threads that share a picture's or a chain's work wait for
    /// each other, groups never do.
    ///
    /// - Parameter numbers: frame numbers in any order; repeats are answered once.
    package func frames(
        _ numbers: [Int], isCancelled: @escaping @Sendable () -> Bool = WorkCancellation.onThisThread,
        deliver: (Int, Answer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        try frames(
            numbers, isCancelled: isCancelled, map: { (_, answer) throws(ScrubError) in answer }, deliver: deliver)
    }

    /// Several frames, each group of pictures once; what is made of every answer is handed out as soon as it is there.
    ///
    /// - Parameters:
    ///   - isCoarseFirst: whether groups come in an order from coarse to fine, so that the first few lie all over the
    ///     film.
    ///   - isCancelled: asked between packets; what was begun then ends with an error.
    ///   - map: makes something of an answer, on the thread that decoded it, so that this too is done side by side.
    package func frames<Result: Sendable>(
        _ numbers: [Int], isCoarseFirst: Bool = false,
        isCancelled: @escaping @Sendable () -> Bool = WorkCancellation.onThisThread,
        map: @escaping @Sendable (Int, Answer) throws(ScrubError) -> Result,
        deliver: (Int, Result) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        leavePrefetch()
        if planner.file.isRemote {
            interruption?.lower()
            for numbers in planner.windows(of: numbers, isCoarseFirst: isCoarseFirst) {
                if isCancelled() { throw FrameEngine.nobodyListens }
                try decode(numbers, isCoarseFirst: isCoarseFirst, isCancelled: isCancelled, map: map, deliver: deliver)
            }
        } else {
            try decode(numbers, isCoarseFirst: isCoarseFirst, isCancelled: isCancelled, map: map, deliver: deliver)
        }
    }

    private func decode<Result: Sendable>(
        _ numbers: [Int], isCoarseFirst: Bool, isCancelled: @escaping @Sendable () -> Bool,
        map: @escaping @Sendable (Int, Answer) throws(ScrubError) -> Result,
        deliver: (Int, Result) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        try proveRestarts(of: numbers, isCancelled)
        var groups = planner.groups(numbers, troubled: troubled, isWindowed: planner.file.isRemote)
        if isCoarseFirst { groups = BitReversal.order(groups.count).map { groups[$0] } }
        if groups.count > 1, options.threadCount > 1, index.facts.route == .direct {
            try decodeSideBySide(groups, isCancelled: isCancelled, map: map, deliver: deliver)
            return
        }
        var worker = GroupWorker(
            planner: planner, pool: pool, hasSecondOpinions: options.hasSecondOpinions, isCancelled: isCancelled)
        defer { pool = worker.pool }
        for group in groups {
            let isTroubled = try worker.decode(group) { (number, answer) throws(ScrubError) in
                try deliver(number, try map(number, answer))
            }
            if isTroubled { troubled.insert(group.feeds.plan.restart) }
        }
    }

    /// Compares the restarts that frames are decoded from, where nothing else proves them.
    private func proveRestarts(of numbers: [Int], _ isCancelled: () -> Bool) throws(ScrubError) {
        let numbers = Set(numbers).sorted()
        var refutations = -1
        // Where a claim does not hold, one before it stands for more pictures, and is compared again for them.
        while refutations != planner.proofs.refutations {
            refutations = planner.proofs.refutations
            for number in numbers {
                while let claim = planner.unprovenRestarts(of: planner.plan(forFrame: number)).first {
                    let prover = RestartProver(claim, planner: planner, allocator: pool.allocator)
                    while try !prover.step(reader: &reader) {
                        if prover.isStarved { throw FrameEngine.noMemory }
                        if isCancelled() { throw FrameEngine.nobodyListens }
                    }
                    planner.record(prover)
                }
            }
        }
    }

    private enum Message<Result: Sendable>: Sendable {
        case answer(Int, Result)
        /// The restart of a group in which the fast way met trouble.
        case trouble(Int)
        case failed(ScrubError)
        case over
    }

    private func decodeSideBySide<Result: Sendable>(
        _ groups: [BatchGroup], isCancelled: @escaping @Sendable () -> Bool,
        map: @escaping @Sendable (Int, Answer) throws(ScrubError) -> Result,
        deliver: (Int, Result) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        let count = min(options.threadCount, groups.count)
        // Every answer on its way holds a picture.
        var running = count
        let messages = Handover<Message<Result>>(capacity: count)
        let waiting = Locked(groups[...])
        settle()
        defer {
            messages.close()
            // Closing decoders takes some milliseconds, in which the answers can be put to use.
            if running > 0 || !options.isForOneBatch { settle() }
        }
        let (settings, hasSecondOpinions) = (pool.forWorkers(), options.hasSecondOpinions)
        for _ in 0..<count {
            let planner = planner.forAnotherThread
            ending.append(
                try DedicatedThread {
                    FrameEngine.work(
                        on: waiting, planner: planner(), settings: settings, hasSecondOpinions: hasSecondOpinions,
                        isCancelled: { isCancelled() || messages.hasEnded }, map: map, messages: messages)
                })
        }
        while running > 0, let message = messages.pop() {
            switch message {
            case .answer(let number, let answer): try deliver(number, answer)
            case .trouble(let restart): troubled.insert(restart)
            case .failed(let error): throw error
            case .over: running -= 1
            }
        }
    }

    /// One worker: takes groups until none are left, or no caller listens any more.
    private static func work<Result: Sendable>(
        on waiting: Locked<ArraySlice<BatchGroup>>, planner: SeekPlanner, settings: OpenDecoderPool.Settings,
        hasSecondOpinions: Bool, isCancelled: @escaping @Sendable () -> Bool,
        map: @Sendable (Int, Answer) throws(ScrubError) -> Result,
        messages: Handover<Message<Result>>
    ) {
        var worker = GroupWorker(
            planner: planner, pool: OpenDecoderPool(index: planner.index, settings: settings),
            hasSecondOpinions: hasSecondOpinions, isCancelled: isCancelled)
        while let group = waiting.withLock({ $0.popFirst() }) {
            do throws(ScrubError) {
                let isTroubled = try worker.decode(group) { (number, answer) throws(ScrubError) in
                    guard messages.push(.answer(number, try map(number, answer))) else {
                        throw FrameEngine.nobodyListens
                    }
                }
                if isTroubled { messages.push(.trouble(group.feeds.plan.restart)) }
            } catch {
                messages.push(.failed(error))
                return
            }
        }
        messages.push(.over)
    }
}
