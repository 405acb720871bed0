internal import Bitstream
internal import FileIO
internal import LibAV
package import ScrubBase
internal import ScrubIndex

/// Frames of one group of pictures that are decoded in one pass.
struct BatchGroup: Sendable {
    /// Frame numbers with their plans, by the order in which decoding reaches them.
    let members: [(number: Int, plan: DecodePlan)]
    let feeds: FeedPlan

    var targets: [Int] { members.map(\.plan.target) }
}

extension FrameEngine {
    /// Several frames, each group of pictures once; every answer is handed out as soon as it is there.
    ///
    /// Groups are decoded side by side, one thread each: threads that share a picture's or a chain's work wait for
    /// each other, groups never do.
    ///
    /// - Parameter numbers: frame numbers in any order; repeats are answered once.
    package func frames(
        _ numbers: [Int], deliver: (Int, Answer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        try frames(numbers, map: { (_, answer) throws(ScrubError) in answer }, deliver: deliver)
    }

    /// Several frames, each group of pictures once; what is made of every answer is handed out as soon as it is there.
    ///
    /// - Parameters:
    ///   - isCoarseFirst: whether groups come in an order from coarse to fine, so that the first few lie all over the film.
    ///   - map: makes something of an answer, on the thread that decoded it, so that this too is done side by side.
    package func frames<Result: Sendable>(
        _ numbers: [Int], isCoarseFirst: Bool = false,
        map: @escaping @Sendable (Int, Answer) throws(ScrubError) -> Result,
        deliver: (Int, Result) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        var left: [Int] = []
        var groups = groups(numbers, left: &left)
        if isCoarseFirst { groups = BitReversal.order(groups.count).map { groups[$0] } }
        let isParallel = groups.count > 1 && options.threadCount > 1 && index.facts.route == .direct
        if isParallel {
            try decodeSideBySide(groups, left: &left, map: map, deliver: deliver)
        } else {
            for group in groups {
                try decode(group, left: &left) { (number, answer) throws(ScrubError) in
                    try deliver(number, try map(number, answer))
                }
            }
        }
        if !left.isEmpty {
            try careful.decode(frames: left) { (number, answer) throws(ScrubError) in
                try deliver(number, try map(number, answer))
            }
        }
    }

    /// What frames take together: coded pictures given to decoders, their bytes in the file, and groups. May read the
    /// headers of pictures.
    package func batchCost(of numbers: [Int]) -> (pictures: Int, bytes: Int64, groups: Int) {
        var left: [Int] = []
        let groups = groups(numbers, left: &left)
        var (pictures, bytes) = (0, Int64(0))
        for group in groups {
            pictures += group.feeds.fed
            for feed in group.feeds.feeds { bytes += Int64(index.pictures.sizes[feed.picture]) }
        }
        return (pictures, bytes, groups.count)
    }

    /// Whether a frame's own coded picture is all that it takes. May read the head of it.
    package func isKeyFrame(_ number: Int) -> Bool {
        let plan = restartPlan(forFrame: number)
        guard plan.restart == plan.target else { return false }
        if case .restart(.gradual) = plan.start { return false }
        return true
    }

    /// The restart of a frame and how many pictures lie between: about what it costs. May read the heads of restarts.
    package func distanceFromRestart(_ number: Int) -> Int { restartPlan(forFrame: number).feed }

    private func groups(_ numbers: [Int], left: inout [Int]) -> [BatchGroup] {
        var plans: [Int: [(number: Int, plan: DecodePlan)]] = [:]
        for number in Set(numbers) {
            let plan = restartPlan(forFrame: number)
            if troubled.contains(plan.restart) {
                left.append(number)
            } else {
                plans[plan.restart, default: []].append((number, plan))
            }
        }
        return plans.keys.sorted().compactMap { restart in
            let members = (plans[restart] ?? []).sorted { $0.plan.target < $1.plan.target }
            guard let last = members.max(by: { $0.plan.last < $1.plan.last }) else { return nil }
            return BatchGroup(members: members, feeds: feedPlan(last.plan, targets: members.map(\.plan.target)))
        }
    }

    private func decode(
        _ group: BatchGroup, left: inout [Int], deliver: (Int, Answer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        let job = try startJob(.init(plan: group.feeds, targets: group.targets, isDrained: true))
        left += try group.run(job, reader: &reader, deliver: deliver)
        if job.decoder.isClean { pool.put(job.decoder) } else { troubled.insert(group.feeds.plan.restart) }
    }

    private enum Message<Result: Sendable>: Sendable {
        case answer(Int, Result)
        /// Frames of a group that need the careful way, and the group's restart when there was trouble.
        case left([Int], troubled: Int?)
        case failed(ScrubError)
        case over
    }

    private func decodeSideBySide<Result: Sendable>(
        _ groups: [BatchGroup], left: inout [Int], map: @escaping @Sendable (Int, Answer) throws(ScrubError) -> Result,
        deliver: (Int, Result) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        leaveWorkInAdvance()
        pool.settings.x264Build = reader.encoderBuild()
        let count = min(options.threadCount, groups.count)
        // Every answer on its way holds a picture.
        let messages = Handover<Message<Result>>(capacity: count)
        let waiting = Locked(groups[...])
        var threads: [DedicatedThread] = []
        defer {
            messages.close()
            for thread in threads { thread.join() }
        }
        let (file, index, pool) = (file, index, pool.forWorkers())
        for _ in 0..<count {
            threads.append(
                try DedicatedThread {
                    FrameEngine.work(on: waiting, file: file, index: index, pool: pool, map: map, messages: messages)
                })
        }
        var running = count
        while running > 0, let message = messages.pop() {
            switch message {
            case .answer(let number, let answer): try deliver(number, answer)
            case .left(let numbers, let restart):
                left += numbers
                if let restart { troubled.insert(restart) }
            case .failed(let error): throw error
            case .over: running -= 1
            }
        }
    }

    /// One worker: takes groups until there are none, or nobody listens any more.
    private static func work<Result: Sendable>(
        on waiting: Locked<ArraySlice<BatchGroup>>, file: FileSource, index: FrameIndex, pool: DecoderPool.Settings,
        map: @Sendable (Int, Answer) throws(ScrubError) -> Result, messages: Handover<Message<Result>>
    ) {
        var pool = DecoderPool(index: index, settings: pool)
        var reader = PacketReader(file: file, index: index)
        while let group = waiting.withLock({ $0.popFirst() }) {
            do throws(ScrubError) {
                let (decoder, feeds) = try pool.take(for: group.feeds, targets: group.targets)
                let job = DecodeJob(
                    .init(plan: group.feeds, targets: group.targets, isDrained: true), decoder: decoder, feeds: feeds)
                let left = try group.run(job, reader: &reader) { (number, answer) throws(ScrubError) in
                    guard messages.push(.answer(number, try map(number, answer))) else {
                        throw ScrubError(.inputOutput, "nobody takes the answers any more")
                    }
                }
                if decoder.isClean { pool.put(decoder) }
                if !left.isEmpty {
                    messages.push(.left(left, troubled: decoder.isClean ? nil : group.feeds.plan.restart))
                }
            } catch {
                messages.push(.failed(error))
                return
            }
        }
        messages.push(.over)
    }
}

extension BatchGroup {
    /// Does the group's work.
    ///
    /// - Returns: the frames that got no clean answer.
    fileprivate func run(
        _ job: DecodeJob, reader: inout PacketReader,
        deliver: (Int, FrameEngine.Answer) throws(ScrubError) -> Void
    ) throws(ScrubError) -> [Int] {
        var members = Dictionary(uniqueKeysWithValues: members.map { ($0.plan.target, $0) })
        var told = 0
        let take: DecodeJob.Delivery = { (picture, frame) throws(ScrubError) in
            guard let (number, plan) = members.removeValue(forKey: picture) else { return }
            // Each answer has the pictures up to its own that no answer before it has told.
            let cost = feeds.unitCount(through: plan.last)
            let share = max(0, min(job.fed, cost) - told)
            told += share
            try deliver(
                number,
                FrameEngine.Answer(picture: picture, frame: frame, verdict: .exact, decoded: share, plan: plan))
        }
        while !job.isOver { try job.step(reader: &reader, deliver: take) }
        return members.values.map(\.number)
    }
}
