internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
package import ScrubBase
internal import ScrubIndex

/// Frames of one group of pictures that are decoded in one pass.
struct BatchGroup: Sendable {
    /// Frame numbers with their plans, in the order in which decoding reaches them.
    let members: [(number: Int, plan: DecodePlan)]
    let feeds: FeedPlan
}

extension SeekPlanner {
    /// Returns the combined cost of frames: coded pictures given to decoders, their bytes in the file, and groups.
    package func batchCost(of numbers: [Int]) -> (pictures: Int, bytes: Int64, groups: Int) {
        let groups = groups(numbers)
        var (pictures, bytes) = (0, Int64(0))
        for group in groups {
            pictures += group.feeds.fed
            for feed in group.feeds.feeds { bytes += Int64(index.pictures.sizes[feed.picture]) }
        }
        return (pictures, bytes, groups.count)
    }

    /// Returns frames grouped by the groups in which they are decoded, in decode order. Repeats are merged.
    ///
    /// - Parameter isWindowed: whether their reads were already announced.
    func groups(_ numbers: [Int], isWindowed: Bool = false) -> [BatchGroup] {
        var plans: [Int: [(number: Int, plan: DecodePlan)]] = [:]
        if file.isRemote, !isWindowed { expect(frames: Set(numbers).sorted()) }
        for number in Set(numbers) {
            let plan = plan(forFrame: number)
            plans[plan.restart, default: []].append((number, plan))
        }
        return plans.sorted { $0.key < $1.key }.map { _, plans in
            let members = plans.sorted { $0.plan.target < $1.plan.target }
            let last = GroupResources.last(of: members.map(\.plan))
            return BatchGroup(members: members, feeds: feedPlan(last, targets: members.map(\.plan.target)))
        }
    }
}

extension SeekPlanner {
    /// Returns frames of a remote file in parts that are decoded one after another. Each part is announced as a whole,
    /// along with as many of the following parts as there is room for.
    ///
    /// The first part is small, so that a result is available soon.
    fileprivate func windows(of numbers: [Int], _ order: BatchOrder) -> some Sequence<[Int]> {
        var groups: [Int: (frames: [Int], bytes: Int64)] = [:]
        for number in Set(numbers).sorted() {
            let plan = guess(forFrame: number)
            let bytes = forecast.range(of: plan.target).map { Int64($0.count) } ?? 0
            groups[plan.restart, default: ([], 0)].frames.append(number)
            groups[plan.restart]?.bytes += plan.target > plan.restart ? SeekPlanner.windowByteCount / 64 : bytes
        }
        var windows: [[Int]] = []
        var (bytes, limit): (Int64, Int64) = (0, SeekPlanner.windowByteCount / 32)
        for (_, group) in order.arranging(groups.sorted { $0.key < $1.key }) {
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
            // The next part is in transit while this one is decoded.
            self.expect(frames: all[place...].joined())
            return all[place]
        }
    }
}

extension GroupResources {
    /// Runs a pass without interruption.
    ///
    /// - Throws: ``ScrubError/cancelled`` between two packets if the work on this thread is cancelled.
    fileprivate mutating func decode(
        _ pass: FramePass, deliver: (Int, FrameEngine.Answer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        while !pass.isOver {
            if Cancellation.isCurrentCancelled {
                pass.leave(&self)
                throw .cancelled
            }
            let answers: [(number: Int, answer: FrameEngine.Answer)]
            do throws(ScrubError) { answers = try pass.step(&self).answers } catch {
                // An abandoned read loses nothing: the decoder keeps its position.
                if error.isCancellation { pass.leave(&self) }
                throw error
            }
            for (number, answer) in answers { try deliver(number, answer) }
        }
    }
}

extension FrameEngine {
    /// Decodes several frames, each group of pictures once, and delivers every answer as soon as it is available.
    ///
    /// Groups are decoded in parallel, one thread each: threads that share the work on a picture or a chain wait for
    /// each other, but groups never do.
    ///
    /// - Parameter numbers: frame numbers in any order. Repeats are answered once.
    /// - Throws: ``ScrubError/cancelled`` between two packets if the work on this thread is cancelled.
    package func frames(
        _ numbers: [Int], deliver: (Int, Answer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        try frames(numbers, map: { (_, answer) throws(ScrubError) in answer }, deliver: deliver)
    }

    /// Decodes several frames, each group of pictures once, and delivers the result for every answer as soon as it is
    /// available.
    ///
    /// - Parameters:
    ///   - order: the order of the answers.
    ///   - map: maps an answer to a result on the thread that decoded it, so that the mapping also runs in parallel.
    package func frames<Result: Sendable>(
        _ numbers: [Int], order: BatchOrder = .any,
        map: @escaping @Sendable (Int, Answer) throws(ScrubError) -> Result,
        deliver: (Int, Result) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        leavePrefetch()
        // A picture on which no frame of a batch depends is not needed after it either.
        let leavesGaps = planner.leavesGaps
        planner.leavesGaps = true
        defer { planner.leavesGaps = leavesGaps }
        let numbers = try deliverKept(numbers, order, map: map, deliver: deliver)
        if planner.file.isRemote {
            for numbers in planner.windows(of: numbers, order) {
                try Cancellation.check()
                try decode(numbers, order, map: map, deliver: deliver)
            }
        } else {
            try decode(numbers, order, map: map, deliver: deliver)
        }
    }

    /// Answers the frames whose pictures are cached, if the order does not matter.
    ///
    /// - Returns: the other frames.
    private func deliverKept<Result: Sendable>(
        _ numbers: [Int], _ order: BatchOrder, map: @Sendable (Int, Answer) throws(ScrubError) -> Result,
        deliver: (Int, Result) throws(ScrubError) -> Void
    ) throws(ScrubError) -> [Int] {
        guard case .any = order, cache.withLock({ $0.count > 0 }) else { return numbers }
        var missing: [Int] = []
        for number in Set(numbers).sorted() {
            let picture = Int(index.frames[number])
            guard let kept = cache.withLock({ $0[picture] }) else {
                missing.append(number)
                continue
            }
            let answer = Answer(judged: kept, decoded: 0, plan: planner.guess(forPicture: picture))
            try deliver(number, try map(number, answer))
        }
        return missing
    }

    private func decode<Result: Sendable>(
        _ numbers: [Int], _ order: BatchOrder,
        map: @escaping @Sendable (Int, Answer) throws(ScrubError) -> Result,
        deliver: (Int, Result) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        try proveRestarts(of: numbers)
        let groups = order.arranging(planner.groups(numbers, isWindowed: planner.file.isRemote))
        if groups.count > 1, options.threadCount > 1, index.facts.route == .direct {
            try decodeSideBySide(groups, order, map: map, deliver: deliver)
            return
        }
        try resources.decode(FramePass(groups, planner, batchOptions)) { (number, answer) throws(ScrubError) in
            try deliver(number, try map(number, answer))
        }
    }

    var batchOptions: GroupRun.Options {
        GroupRun.Options(hasSecondOpinions: options.hasSecondOpinions, returnsTargetsOnly: true)
    }

    /// Compares the restarts from which frames are decoded, if nothing else proves them.
    private func proveRestarts(of numbers: [Int]) throws(ScrubError) {
        let numbers = Set(numbers).sorted()
        var refutations = -1
        // If a claim is false, an earlier one is used for more pictures, and is compared again for them.
        while refutations != planner.proofs.refutations {
            refutations = planner.proofs.refutations
            for number in numbers {
                while true {
                    let plan = planner.plan(forFrame: number)
                    guard let claim = planner.unprovenRestarts(of: plan).first else { break }
                    let run = GroupRun(proving: claim, for: plan, &resources)
                    while run.end == nil {
                        try Cancellation.check()
                        _ = try run.step(&resources)
                    }
                    if run.end == .starved { throw FrameEngine.noMemory }
                }
            }
        }
    }

    private enum Message<Result: Sendable>: Sendable {
        case answer(Int, Result)
        /// All answers of the worker's last group are available.
        case groupIsOver
        case failed(ScrubError)
        /// A worker has finished, with the restarts at which the fast path had errors.
        case over(troubled: Set<Int>)
    }

    private func decodeSideBySide<Result: Sendable>(
        _ groups: [BatchGroup], _ order: BatchOrder,
        map: @escaping @Sendable (Int, Answer) throws(ScrubError) -> Result,
        deliver: (Int, Result) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        let count = min(options.threadCount, groups.count)
        // Every answer in transit holds a picture.
        let lines = (0..<(order.ahead == nil ? 1 : count)).map { _ in
            BoundedQueue<Message<Result>>(capacity: order.ahead ?? count)
        }
        let waiting = WaitingGroups(groups)
        var running = count
        settle()
        defer {
            for line in lines { line.close() }
            // Closing decoders takes a few milliseconds, in which the answers can be used.
            if running > 0 || !options.isForOneBatch { settle() }
        }
        let (settings, options, troubled) = (resources.pool.forWorkers(), batchOptions, resources.troubled)
        // A worker also ends if no caller takes its answers.
        let cancellations = lines.map { line in
            Cancellation(within: .current) { line.hasEnded }
        }
        for worker in 0..<count {
            let planner = planner.forAnotherThread
            let line = worker % lines.count
            ending.append(
                try DedicatedThread {
                    cancellations[line].perform {
                        let planner = planner()
                        var resources = GroupResources(
                            planner, OpenDecoderPool(index: planner.index, settings: settings), troubled: troubled)
                        FrameEngine.work(
                            on: waiting, line, &resources, options, map: map, messages: lines[line])
                    }
                })
        }
        func take(_ message: Message<Result>) throws(ScrubError) {
            switch message {
            case .answer(let number, let answer): try deliver(number, answer)
            case .groupIsOver: break
            case .failed(let error): throw error
            case .over(let troubled):
                resources.troubled.formUnion(troubled)
                running -= 1
            }
        }
        if order.ahead != nil {
            // The worker whose group's turn it is finds room, because its line is being emptied; the others may wait.
            for _ in groups {
                guard let line = waiting.takers.pop() else { break }
                while let message = lines[line].pop() {
                    if case .groupIsOver = message { break }
                    try take(message)
                }
            }
        }
        for line in lines {
            // A line belongs to one worker, or a single line to all of them.
            let left = lines.count == 1 ? 0 : running - 1
            while running > left, let message = line.pop() { try take(message) }
        }
    }

    /// Runs a worker, which takes groups until there are none left, or no caller takes the answers.
    private static func work<Result: Sendable>(
        on waiting: WaitingGroups, _ line: Int, _ resources: inout GroupResources, _ options: GroupRun.Options,
        map: @Sendable (Int, Answer) throws(ScrubError) -> Result, messages: BoundedQueue<Message<Result>>
    ) {
        while let group = waiting.next(for: line) {
            do throws(ScrubError) {
                try resources.decode(FramePass([group], resources.planner, options)) {
                    (number, answer) throws(ScrubError) in
                    guard messages.push(.answer(number, try map(number, answer))) else { throw .cancelled }
                }
            } catch {
                messages.push(.failed(error))
                return
            }
            messages.push(.groupIsOver)
        }
        messages.push(.over(troubled: resources.troubled))
    }
}

/// Groups that workers take one after another, with a record of the takers.
///
/// Thread safety: safe from any thread.
private struct WaitingGroups: Sendable {
    private let groups: Locked<ArraySlice<BatchGroup>>
    /// For each taken group, the line on which its answers arrive, in the order of the groups.
    let takers: BoundedQueue<Int>

    init(_ groups: [BatchGroup]) {
        self.groups = Locked(groups[...])
        // There is room for all, so taking a group never waits.
        takers = BoundedQueue(capacity: groups.count)
    }

    /// Returns the next group; `nil` if all are taken.
    ///
    /// - Parameter line: the line on which its answers arrive.
    func next(for line: Int) -> BatchGroup? {
        groups.withLock { groups in
            guard let group = groups.popFirst() else { return nil }
            takers.push(line)
            return group
        }
    }
}
