internal import ScrubFileIO
internal import ScrubDecoding
internal import ScrubIndex

/// A series being decoded on a thread of its own; ends with its last reference.
final class FrameSeriesRun<Product: SeriesProduct>: Sendable {
    private let results = AsyncHandover<Product.Element>(capacity: 2)
    private let cancellation = Cancellation()
    /// Rung for a decoder, and for room in `results`.
    private let thread: TurnThread
    /// Counts the pictures that callers hold.
    private let loans: PictureLoans?

    init(_ request: SeriesRequest, _ product: Product) throws(ScrubError) {
        try product.check()
        // It stays: a consumer that waits could not be told that there is none.
        let thread = TurnThread(longestRest: nil)
        self.thread = thread
        let share = try request.resources.map { (resources) throws(ScrubError) in
            try GeneratorShare(
                resources, request.asset, request.options, waitingPictureCount: FrameSeries.waitingLimit
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

    /// Says that no caller takes more results.
    private func leave() {
        results.leave()
        cancellation.cancel()
        thread.close()
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
        thread.ring()
        if result == nil { try Task.checkCancellation() }
        return result?.handedOut(by: loans)
    }
}

/// The work of a series' thread: window after window of positions. A turn is a frame, or a batch of them.
///
/// In any order, a window is many positions, and its groups are decoded side by side. In the order asked it is few.
/// Frames that lie apart are decoded as batches; for frames that follow each other closely an engine goes on where it
/// stands.
///
/// With shared resources frames come one by one from one decoder. It is given back when others wait: after a frame, and
/// while no caller takes the results.
private final class SeriesLoop<Product: SeriesProduct>: TurnWork {
    private let request: SeriesRequest
    private let product: Product
    private let results: AsyncHandover<Product.Element>
    private let engine: FrameEngine
    private let threadCount: Int
    private let share: GeneratorShare?
    private let cancellation: Cancellation
    private var chooser: ToleranceChooser
    /// Made and asked on the thread.
    private lazy var positions = request.positions()
    /// The place of the next position.
    private var place = 0
    /// The positions of the present window, by their frames.
    private var wishes: [Int: [SeriesWish]] = [:]
    /// Frames of the window that are decoded as batches, and those that are decoded one after the other.
    private var (batches, singles): (ArraySlice<[Int]>, ArraySlice<Int>) = ([], [])
    private var outlet: Outlet<Product.Element>
    private var asset: VideoAsset { request.asset }

    init(
        _ request: SeriesRequest, _ product: Product, _ results: AsyncHandover<Product.Element>,
        _ share: GeneratorShare?, _ cancellation: Cancellation
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
        outlet = Outlet(isOrdered: request.order == .asRequested)
    }

    /// The most positions of a window.
    private var windowLimit: Int {
        if request.order == .asDecoded { return FrameSeries.lookAheadLimit }
        if share != nil { return 1 }
        let room = request.options.cacheByteLimit / max(1, asset.index.pictureByteCount)
        return min(FrameSeries.windowLimit, max(1, room))
    }

    func turn() -> NextTurn { cancellation.perform { goOn() } }

    private func goOn() -> NextTurn {
        guard !results.isLeft else { return .never }
        share?.yield(engine)
        guard bringOut() else {
            // It is rung for when there is room.
            share?.seat.rest()
            return .rest(atMost: nil)
        }
        if !singles.isEmpty {
            // It is rung for when there is a decoder.
            if let share, !share.seat.take() { return .rest(atMost: nil) }
            decodeSingles()
        } else if let batch = batches.popFirst() {
            singles = ArraySlice(decodeBatch(batch))
        } else if !beginWindow() {
            return .never
        }
        return .now
    }

    /// Closes the decoders, and gives back its shared resources.
    func end() {
        if let share {
            engine.closeDecoders()
            share.leave()
        }
        results.finish()
    }

    /// Brings the results that are in turn, and waits for room if its decoder is its own.
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
    /// - Returns: false after the last one.
    private func beginWindow() -> Bool {
        var window: [SeriesWish] = []
        let (first, limit) = (place, windowLimit)
        while place - first < limit, !results.isLeft, let position = positions.next() {
            do throws(ScrubError) {
                window.append(try wish(place, position))
            } catch {
                outlet.take(product.failure(place, position, error))
            }
            place += 1
        }
        wishes = Dictionary(grouping: window, by: \.frame)
        if request.order == .asDecoded { orderByGroups() } else { order(window.map(\.frame)) }
        return place > first
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
    private func orderByGroups() {
        let groups = Dictionary(grouping: wishes.keys, by: restart(of:)).sorted { $0.key < $1.key }.map(\.value)
        guard share == nil else {
            singles = ArraySlice(groups.flatMap { $0.sorted() })
            return
        }
        // So many that threads rarely wait for the last group of a batch.
        let count = 16 * threadCount
        batches =
            stride(from: 0, to: groups.count, by: count).map { start in
                Array(groups[start..<min(start + count, groups.count)].joined())
            }[...]
    }

    /// Returns the restart at which decoding of a frame begins. Distant parts of the file are not read for that.
    private func restart(of frame: Int) -> Int {
        guard asset.file.isRemote else { return engine.planner.plan(forFrame: frame).restart }
        return asset.index.restartCount(through: Int(asset.index.frames[frame]))
    }

    /// A window of the order asked.
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

    /// Decodes groups side by side.
    ///
    /// - Returns: the frames that failed, ascending: tried one by one, each has its own reason.
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

    /// Decodes the next frame, or a few, one after the other. If making takes long, some wait for it, and it is done
    /// side by side.
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

    /// Makes something of answers, side by side.
    private func make(
        _ answers: [Result<FrameEngine.Answer, ScrubError>]
    ) -> [Result<Product.Made, ScrubError>] {
        let product = product
        return SideBySide.map(answers.count, threads: answers.count) { place in
            answers[place].map { product.make($0) }
        }
    }

    /// One frame; `nil` when its answer is no longer wanted.
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

    /// Gives a frame's answer to every position that wants it.
    private func deliver(_ made: Result<Product.Made, ScrubError>, of number: Int) {
        for wish in wishes[number] ?? [] { outlet.take(product.element(wish, made, of: asset)) }
        if share == nil { _ = bringOut() }
    }
}

/// Brings results into order.
private struct Outlet<Element: SeriesElement> {
    /// Those that are in turn.
    var ready: ArraySlice<Element> = []
    private let isOrdered: Bool
    private var waiting: [Int: Element] = [:]
    /// The first place that was not in turn yet.
    private var next = 0

    init(isOrdered: Bool) { self.isOrdered = isOrdered }

    mutating func take(_ result: Element) {
        guard isOrdered else {
            ready.append(result)
            return
        }
        waiting[result.place] = result
        while let result = waiting.removeValue(forKey: next) {
            ready.append(result)
            next += 1
        }
    }
}
