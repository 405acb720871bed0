internal import ScrubFileIO
internal import ScrubDecoding
internal import ScrubIndex

/// A series that is decoded on a separate thread. It ends with its last reference.
final class FrameSeriesRun<Product: SeriesOutput>: Sendable {
    typealias Element = FrameSeries<Product.Value>.Element

    private let results = BoundedAsyncQueue<Element>(capacity: 2)
    private let product: Product
    private let cancellation = Cancellation()
    /// The thread, which is woken when a decoder is free and when `results` has room.
    private let thread: StepWorkerThread
    /// Counts the pictures held by callers.
    private let loans: HeldPictures?

    init(_ request: SeriesRequest, _ product: Product) throws(ScrubError) {
        try product.check()
        self.product = product
        // It is kept, because a waiting consumer could not be notified of its removal.
        let thread = StepWorkerThread(longestRest: nil)
        self.thread = thread
        let share = try request.resources.map { (resources) throws(ScrubError) in
            try GeneratorResources(
                resources, request.asset, request.options, waitingPictureCount: SeriesLimits.waiting
            ) { [weak thread] in thread?.ring() }
        }
        loans = share?.loans
        thread.give(SeriesLoop(request, product, results, share, cancellation))
        do throws(ScrubError) { try thread.start() } catch {
            thread.close(isIdle: true)
            throw error
        }
    }

    deinit { leave() }

    /// Records that no further results will be taken.
    private func leave() {
        results.leave()
        cancellation.cancel()
        thread.close()
    }

    /// Returns the next result, or `nil` after the last one.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    func next() async throws -> Element? {
        let result = await withTaskCancellationHandler {
            await results.next()
        } onCancel: {
            leave()
        }
        // There is now room for another result.
        thread.ring()
        if result == nil { try Task.checkCancellation() }
        guard let result, let loans else { return result }
        return Element(
            index: result.index, requested: result.requested,
            result: result.result.flatMap { value in
                Result { () throws(ScrubError) in try product.handedOut(value, by: loans) }
            })
    }
}

/// The work of a series' thread, one window of positions after another. A turn is a frame or a batch of frames.
///
/// In decode order, a window has many positions, and its groups are decoded in parallel. In the requested order, a
/// window has few positions. Frames that are far apart are decoded as batches; for frames that are close together, an
/// engine continues from its current position.
///
/// With shared resources, frames are decoded one at a time by one decoder. It is given back if others are waiting:
/// after a frame, and while no caller takes the results.
private final class SeriesLoop<Product: SeriesOutput>: StepwiseWork {
    typealias Element = FrameSeries<Product.Value>.Element

    private let request: SeriesRequest
    private let product: Product
    private let results: BoundedAsyncQueue<Element>
    private let engine: FrameEngine
    private let threadCount: Int
    private let share: GeneratorResources?
    private let cancellation: Cancellation
    private var chooser: ToleranceChooser
    /// The positions, created and read on the thread.
    private lazy var positions = request.positions()
    /// The index of the next position.
    private var place = 0
    /// The positions of the current window, by frame.
    private var wishes: [Int: [SeriesPosition]] = [:]
    /// The frames of the window to decode as batches, and those to decode one after another.
    private var (batches, singles): (ArraySlice<[Int]>, ArraySlice<Int>) = ([], [])
    private var outlet: ResultReorderBuffer<Product.Value>
    private var asset: VideoAsset { request.asset }

    init(
        _ request: SeriesRequest, _ product: Product, _ results: BoundedAsyncQueue<Element>,
        _ share: GeneratorResources?, _ cancellation: Cancellation
    ) {
        (self.request, self.product, self.results, self.share) = (request, product, results, share)
        self.cancellation = cancellation
        var settings = request.options.engine
        settings.expectsMovement = true
        threadCount = max(1, settings.threadCount)
        engine =
            share?.engine(request.asset, settings)
            ?? FrameEngine(request.asset.seekPlanner(), options: settings)
        chooser = ToleranceChooser(request.asset, engine.planner)
        outlet = ResultReorderBuffer(isOrdered: request.order == .asRequested)
    }

    /// The maximum number of positions in a window.
    private var windowLimit: Int {
        if request.order == .asDecoded { return SeriesLimits.lookAhead }
        if share != nil { return 1 }
        let room = request.options.cacheByteLimit / max(1, asset.index.pictureByteCount)
        return min(SeriesLimits.window, max(1, room))
    }

    func turn() -> StepOutcome { cancellation.perform { goOn() } }

    private func goOn() -> StepOutcome {
        guard !results.isLeft else { return .never }
        share?.yield(engine)
        guard bringOut() else {
            // The thread is woken when there is room.
            share?.seat.rest()
            return .rest(atMost: nil)
        }
        if !singles.isEmpty {
            // The thread is woken when a decoder is available.
            if let share, !share.seat.take() { return .rest(atMost: nil) }
            decodeSingles()
        } else if let batch = batches.popFirst() {
            singles = ArraySlice(decodeBatch(batch))
        } else if !beginWindow() {
            return .never
        }
        return .now
    }

    /// Closes the decoders, and returns the shared resources.
    func end() {
        if let share {
            engine.closeDecoders()
            share.leave()
        }
        results.finish()
    }

    /// Delivers the results whose turn it is, and waits for room if the decoder is not shared.
    ///
    /// - Returns: false if there is no room.
    private func bringOut() -> Bool {
        while let element = outlet.ready.first {
            if share == nil {
                results.push(element)
            } else if results.offer(element) == nil {
                return false
            }
            outlet.ready.removeFirst()
        }
        return true
    }

    /// Takes the next positions.
    ///
    /// - Returns: false after the last position.
    private func beginWindow() -> Bool {
        var window: [SeriesPosition] = []
        let (first, limit) = (place, windowLimit)
        while place - first < limit, !results.isLeft, let position = positions.next() {
            do throws(ScrubError) {
                window.append(try wish(place, position))
            } catch {
                outlet.take(Element(index: place, requested: position, result: .failure(error)))
            }
            place += 1
        }
        wishes = Dictionary(grouping: window, by: \.frame)
        if request.order == .asDecoded { orderByGroups() } else { order(window.map(\.frame)) }
        return place > first
    }

    private func wish(_ place: Int, _ position: FramePosition) throws(ScrubError) -> SeriesPosition {
        do throws(ScrubError) {
            let frame = try asset.presentedFrame(at: position).number
            let time = asset.requestedTime(of: position, frame: frame)
            let chosen = chooser.frame(for: frame, at: time, request.tolerance) { _ in false }
            return SeriesPosition(place: place, position: position, requestedFrame: frame, frame: chosen, time: time)
        } catch {
            throw error.inFile(asset.path)
        }
    }

    /// Orders the window for decoding each group once, several groups at a time.
    private func orderByGroups() {
        let groups = Dictionary(grouping: wishes.keys, by: restart(of:)).sorted { $0.key < $1.key }.map(\.value)
        guard share == nil else {
            singles = ArraySlice(groups.flatMap { $0.sorted() })
            return
        }
        // Large enough that threads rarely wait for the last group of a batch.
        let count = 16 * threadCount
        batches =
            stride(from: 0, to: groups.count, by: count).map { start in
                Array(groups[start..<min(start + count, groups.count)].joined())
            }[...]
    }

    /// Returns the restart at which decoding of a frame begins. It does not read remote parts of the file for this.
    private func restart(of frame: Int) -> Int {
        guard asset.file.isRemote else { return engine.planner.plan(forFrame: frame).restart }
        return asset.index.restartCount(through: Int(asset.index.frames[frame]))
    }

    /// Orders a window in the requested order.
    private func order(_ numbers: [Int]) {
        guard share == nil else {
            singles = numbers[...]
            return
        }
        let groups = Set(numbers.map { engine.planner.plan(forFrame: $0).restart })
        let isDense = numbers.count >= 4 * groups.count
        let isOneWay =
            zip(numbers, numbers.dropFirst()).allSatisfy(<=) || zip(numbers, numbers.dropFirst()).allSatisfy(>=)
        var missing = Set(numbers)
        if !isDense { missing = Set(decodeBatch(numbers)) }
        singles = (isOneWay ? numbers : numbers.sorted()).filter { missing.remove($0) != nil }[...]
    }

    /// Decodes groups in parallel.
    ///
    /// - Returns: the frames that failed, in ascending order. They are retried one by one to get each frame's reason.
    private func decodeBatch(_ numbers: [Int]) -> [Int] {
        let product = product
        var missing = Set(numbers)
        try? engine.frames(
            numbers,
            map: { (_, answer) throws(ScrubError) in product.make(answer) }
        ) { (number, made) throws(ScrubError) in
            missing.remove(number)
            deliver(.success(made), of: number)
        }
        return missing.sorted()
    }

    /// Decodes the next frame or several frames, one after another. If mapping is slow, several frames are collected
    /// and mapped in parallel.
    private func decodeSingles() {
        let part = singles.prefix(product.isCostly && share == nil ? threadCount : 1)
        singles = singles.dropFirst(part.count)
        var answers: [Result<FrameEngine.Answer, ScrubError>] = []
        for number in part {
            guard let answer = decode(number) else { return }
            answers.append(answer)
        }
        for (number, made) in zip(part, make(answers)) { deliver(made, of: number) }
    }

    /// Maps answers in parallel.
    private func make(
        _ answers: [Result<FrameEngine.Answer, ScrubError>]
    ) -> [Result<Product.Made, ScrubError>] {
        let product = product
        return SideBySide.map(answers.count, threads: answers.count) { place in
            answers[place].map { product.make($0) }
        }
    }

    /// Decodes one frame; `nil` if its answer is no longer needed.
    private func decode(_ number: Int) -> Result<FrameEngine.Answer, ScrubError>? {
        defer { share?.seat.noteProgress() }
        do throws(ScrubError) {
            return .success(try engine.frame(number))
        } catch  where error.isCancellation {
            return nil
        } catch {
            return .failure(error.inFile(asset.path))
        }
    }

    /// Delivers a frame's answer to every position that needs it.
    private func deliver(_ made: Result<Product.Made, ScrubError>, of number: Int) {
        for wish in wishes[number] ?? [] {
            let result = made.flatMap { made in
                Result { () throws(ScrubError) in try product.value(wish, made, of: asset) }
            }
            outlet.take(Element(index: wish.place, requested: wish.position, result: result))
        }
        if share == nil { _ = bringOut() }
    }
}

/// Puts results in order.
private struct ResultReorderBuffer<Value: Sendable> {
    typealias Element = FrameSeries<Value>.Element

    /// The results whose turn it is.
    var ready: ArraySlice<Element> = []
    private let isOrdered: Bool
    private var waiting: [Int: Element] = [:]
    /// The index of the next result to deliver.
    private var next = 0

    init(isOrdered: Bool) { self.isOrdered = isOrdered }

    mutating func take(_ result: Element) {
        guard isOrdered else {
            ready.append(result)
            return
        }
        waiting[result.index] = result
        while let result = waiting.removeValue(forKey: next) {
            ready.append(result)
            next += 1
        }
    }
}
