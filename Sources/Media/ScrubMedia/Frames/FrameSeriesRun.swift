internal import ScrubFileIO
internal import ScrubDecoding
internal import ScrubIndex

/// A series being decoded on a thread of its own; ends with its last reference.
final class FrameSeriesRun<Product: SeriesProduct>: Sendable {
    private let results = AsyncHandover<Product.Element>(capacity: 2)
    private let cancellation = Cancellation()
    /// Wakes the thread where it waits for a decoder, or for room in `results`.
    private let bell = Handover<Void>(capacity: 1)
    /// Counts the pictures that callers hold.
    private let loans: PictureLoans?

    init(_ request: SeriesRequest, _ product: Product) throws(ScrubError) {
        try product.check()
        let (results, cancellation, bell) = (results, cancellation, bell)
        let share = try request.resources.map { (resources) throws(ScrubError) in
            try GeneratorShare(
                resources, request.asset, request.options, waitingPictureCount: FrameSeries.waitingLimit
            ) { bell.offer(()) }
        }
        loans = share?.loans
        try DedicatedThread {
            cancellation.perform {
                let work = SeriesWork(request, product, results, share.map { ($0, bell) })
                work.run()
                work.close()
            }
            results.finish()
        }.detach()
    }

    deinit { leave() }

    /// Says that no caller takes more results.
    private func leave() {
        results.leave()
        bell.close()
        cancellation.cancel()
    }

    /// Returns the next result; `nil` after the last.
    ///
    /// - Throws: `CancellationError` when the task was cancelled.
    func next() async throws -> Product.Element? {
        let result = await withTaskCancellationHandler {
            await results.next()
        } onCancel: {
            leave()
        }
        // There is room for another one.
        bell.offer(())
        if result == nil { try Task.checkCancellation() }
        return result?.handedOut(by: loans)
    }
}

/// The work of a series' thread: window after window of positions.
///
/// In any order, a window is many positions, and its groups are decoded side by side. In the order asked it is few.
/// Frames that lie apart are decoded as batches; for frames that follow each other closely an engine goes on where it
/// stands.
///
/// With shared resources frames come one by one from one decoder. It is given back when others wait: after a frame, and
/// while no caller takes the results.
private final class SeriesWork<Product: SeriesProduct> {
    private let request: SeriesRequest
    private let product: Product
    private let results: AsyncHandover<Product.Element>
    private let engine: FrameEngine
    private let threadCount: Int
    private let share: (own: GeneratorShare, bell: Handover<Void>)?
    private var chooser: ToleranceChooser
    private var asset: VideoAsset { request.asset }

    init(
        _ request: SeriesRequest, _ product: Product, _ results: AsyncHandover<Product.Element>,
        _ share: (own: GeneratorShare, bell: Handover<Void>)?
    ) {
        (self.request, self.product, self.results, self.share) = (request, product, results, share)
        var settings = request.options.engine
        settings.expectsMovement = true
        threadCount = max(1, settings.threadCount)
        engine =
            share?.own.engine(request.asset, settings)
            ?? FrameEngine(request.asset.seekPlanner(), options: settings)
        chooser = ToleranceChooser(request.asset, engine.planner)
    }

    /// The most positions of a window.
    private var windowLimit: Int {
        if request.order == .asDecoded { return FrameSeries.lookAheadLimit }
        if share != nil { return 1 }
        let room = request.options.cacheByteLimit / max(1, asset.index.pictureByteCount)
        return min(FrameSeries.windowLimit, max(1, room))
    }

    func run() {
        let positions = request.positions()
        let limit = windowLimit
        var place = 0
        while !results.isLeft {
            let first = place
            var window: [SeriesWish] = []
            var failures: [Product.Element] = []
            while window.count + failures.count < limit, !results.isLeft, let position = positions.next() {
                do throws(ScrubError) {
                    window.append(try wish(place, position))
                } catch {
                    failures.append(product.failure(place, position, error))
                }
                place += 1
            }
            guard !window.isEmpty || !failures.isEmpty else { return }
            var outlet = Outlet(isOrdered: request.order == .asRequested, from: first, push: push)
            for failure in failures { outlet.take(failure) }
            let wishes = Dictionary(grouping: window, by: \.frame)
            if request.order == .asDecoded {
                decodeByGroups(wishes, &outlet)
            } else {
                decode(window.map(\.frame), wishes, &outlet)
            }
        }
    }

    /// Closes the decoders, and gives back its shared resources.
    func close() {
        guard let share else { return }
        engine.closeDecoders()
        share.own.leave()
    }

    /// Brings a result, and waits until there is room for it.
    private func push(_ element: Product.Element) {
        guard let share else {
            results.push(element)
            return
        }
        while results.offer(element) == nil {
            share.own.seat.rest()
            _ = share.bell.pop()
            share.own.yield(engine)
        }
    }

    /// Waits for a decoder, where it is shared.
    ///
    /// - Returns: false once the consumer has left.
    private func takeDecoder() -> Bool {
        guard let share else { return true }
        while !results.isLeft {
            share.own.yield(engine)
            if share.own.seat.take() { return true }
            // Its decoder is wanted: it is given back before the next one is asked for.
            if !share.own.seat.isWantedBack { _ = share.bell.pop() }
        }
        return false
    }

    private func wish(_ place: Int, _ position: FramePosition) throws(ScrubError) -> SeriesWish {
        do throws(ScrubError) {
            let frame = try asset.frame(at: position).frame.number
            let time = asset.requestedTime(of: position, frame: frame)
            let chosen = chooser.frame(for: frame, at: time, request.tolerance) { _ in false }
            return SeriesWish(place: place, position: position, requestedFrame: frame, frame: chosen, time: time)
        } catch {
            throw error.inFile(asset.path)
        }
    }

    /// Each group once, some of them at a time.
    private func decodeByGroups(_ wishes: [Int: [SeriesWish]], _ outlet: inout Outlet<Product.Element>) {
        let groups = Dictionary(grouping: wishes.keys, by: restart(of:)).sorted { $0.key < $1.key }.map(\.value)
        guard share == nil else { return decodeSingly(groups.flatMap { $0.sorted() }, wishes, &outlet) }
        // So many that threads rarely wait for the last group of a batch.
        let count = 16 * threadCount
        for start in stride(from: 0, to: groups.count, by: count) where !results.isLeft {
            var missing = Set(groups[start..<min(start + count, groups.count)].joined())
            decodeBatch(&missing, wishes, &outlet)
            decodeSingly(missing.sorted(), wishes, &outlet)
        }
    }

    /// Returns the restart at which decoding of a frame begins. Distant parts of the file are not read for that.
    private func restart(of frame: Int) -> Int {
        guard asset.file.isRemote else { return engine.planner.plan(forFrame: frame).restart }
        return asset.index.restartCount(through: Int(asset.index.frames[frame]))
    }

    /// A window of the order asked.
    private func decode(
        _ numbers: [Int], _ wishes: [Int: [SeriesWish]], _ outlet: inout Outlet<Product.Element>
    ) {
        guard share == nil else { return decodeSingly(numbers, wishes, &outlet) }
        let groups = Set(numbers.map { engine.planner.plan(forFrame: $0).restart })
        let isDense = numbers.count >= 4 * groups.count
        let isOneWay =
            zip(numbers, numbers.dropFirst()).allSatisfy(<=) || zip(numbers, numbers.dropFirst()).allSatisfy(>=)
        var missing = Set(numbers)
        if !isDense { decodeBatch(&missing, wishes, &outlet) }
        decodeSingly(
            (isOneWay ? numbers : numbers.sorted()).filter { missing.remove($0) != nil }, wishes, &outlet)
    }

    /// Decodes groups side by side. Failures of a batch are left: tried one by one, each frame has its own reason.
    private func decodeBatch(
        _ missing: inout Set<Int>, _ wishes: [Int: [SeriesWish]], _ outlet: inout Outlet<Product.Element>
    ) {
        let product = product
        try? engine.frames(
            Array(missing),
            map: { (_, answer) throws(ScrubError) in product.make(answer) }
        ) { (number, made) throws(ScrubError) in
            missing.remove(number)
            deliver(.success(made), of: number, wishes, &outlet)
        }
    }

    /// Decodes one frame after the other. If making takes long, some wait for it, and it is done side by side.
    private func decodeSingly(
        _ numbers: [Int], _ wishes: [Int: [SeriesWish]], _ outlet: inout Outlet<Product.Element>
    ) {
        let count = product.isCostly && share == nil ? threadCount : 1
        for start in stride(from: 0, to: numbers.count, by: count) {
            let part = Array(numbers[start..<min(start + count, numbers.count)])
            var answers: [Result<FrameEngine.Answer, ScrubError>] = []
            for number in part {
                guard let answer = decode(number) else { return }
                answers.append(answer)
            }
            for (number, made) in zip(part, make(answers)) { deliver(made, of: number, wishes, &outlet) }
        }
    }

    /// Makes something of answers, each on a thread of its own, the last one on this.
    private func make(
        _ answers: [Result<FrameEngine.Answer, ScrubError>]
    ) -> [Result<Product.Made, ScrubError>] {
        let product = product
        let made = Locked([Int: Result<Product.Made, ScrubError>]())
        var threads: [DedicatedThread] = []
        for (place, answer) in answers.enumerated() {
            let work: @Sendable () -> Void = {
                let result = answer.map { product.make($0) }
                made.withLock { $0[place] = result }
            }
            if place + 1 < answers.count, let thread = try? DedicatedThread(work) {
                threads.append(thread)
            } else {
                work()
            }
        }
        for thread in threads { thread.join() }
        let all = made.withLock { $0 }
        return answers.indices.compactMap { all[$0] }
    }

    /// One frame; `nil` when its answer is no longer wanted.
    private func decode(_ number: Int) -> Result<FrameEngine.Answer, ScrubError>? {
        guard takeDecoder() else { return nil }
        defer { share?.own.seat.noteProgress() }
        do throws(ScrubError) {
            return .success(try engine.frame(number))
        } catch  where error.isCancellation {
            return nil
        } catch {
            return .failure(error.inFile(asset.path))
        }
    }

    /// Gives a frame's answer to every position that wants it.
    private func deliver(
        _ made: Result<Product.Made, ScrubError>, of number: Int, _ wishes: [Int: [SeriesWish]],
        _ outlet: inout Outlet<Product.Element>
    ) {
        for wish in wishes[number] ?? [] { outlet.take(product.element(wish, made, of: asset)) }
    }
}

/// Brings the results of a window into order.
private struct Outlet<Element: SeriesElement> {
    private let push: (Element) -> Void
    private let isOrdered: Bool
    private var waiting: [Int: Element] = [:]
    /// The first place that was not handed out.
    private var next: Int

    init(isOrdered: Bool, from place: Int, push: @escaping (Element) -> Void) {
        (self.push, self.isOrdered, next) = (push, isOrdered, place)
    }

    mutating func take(_ result: Element) {
        guard isOrdered else {
            push(result)
            return
        }
        waiting[result.place] = result
        while let result = waiting.removeValue(forKey: next) {
            push(result)
            next += 1
        }
    }
}
