internal import ScrubFileIO
internal import ScrubDecoding
internal import ScrubIndex

/// A series being decoded on a thread of its own; ends with its last reference.
final class FrameSeriesRun: Sendable {
    let results = AsyncHandover<FrameResult>(capacity: 2)
    /// Ends the reads once they have begun.
    private let reading = Locked<ReadInterruption?>(nil)

    init(_ series: FrameSeries) throws(ScrubError) {
        let (results, reading) = (results, reading)
        try DedicatedThread {
            let work = SeriesWork(series, results)
            reading.withLock { $0 = work.interruption }
            work.run()
            results.finish()
        }.detach()
    }

    deinit {
        results.leave()
        reading.withLock { $0 }?.raise()
    }
}

/// What the thread of a series does: window after window of positions.
///
/// Windows whose frames lie apart are decoded as batches, groups side by side. In those whose frames follow each other
/// closely an engine goes on where it is.
private final class SeriesWork {
    /// A position whose frame is known.
    private struct Wanted {
        let place: Int
        let position: Position
        /// The one on screen at ``time``.
        let requestedFrame: Int
        let frame: Int
        let time: Rational
    }

    private let series: FrameSeries
    private let results: AsyncHandover<FrameResult>
    private let engine: FrameEngine
    private var chooser: ToleranceChooser
    private var asset: VideoAsset { series.asset }
    var interruption: ReadInterruption? { engine.interruption }

    init(_ series: FrameSeries, _ results: AsyncHandover<FrameResult>) {
        (self.series, self.results) = (series, results)
        var settings = series.options.engine
        settings.expectsMovement = true
        engine = FrameEngine(series.asset.seekPlanner(), options: settings)
        chooser = ToleranceChooser(series.asset, engine.planner)
    }

    func run() {
        let positions = series.positions()
        let room = series.options.cacheByteLimit / max(1, asset.index.pictureByteCount)
        let limit = min(FrameSeries.windowLimit, max(1, room))
        var place = 0
        while !results.isLeft {
            let first = place
            var window: [Wanted] = []
            var failures: [FrameResult] = []
            while window.count + failures.count < limit, let position = positions.next() {
                do throws(ScrubError) {
                    window.append(try wanted(place, position))
                } catch {
                    failures.append(FrameResult(place: place, requested: position, result: .failure(error)))
                }
                place += 1
            }
            guard !window.isEmpty || !failures.isEmpty else { return }
            decode(window, failures, from: first)
        }
    }

    private func wanted(_ place: Int, _ position: Position) throws(ScrubError) -> Wanted {
        do throws(ScrubError) {
            let frame = try asset.frame(at: position).frame.number
            let time = asset.requestedTime(of: position, frame: frame)
            let chosen = chooser.frame(for: frame, at: time, series.tolerance) { _ in false }
            return Wanted(place: place, position: position, requestedFrame: frame, frame: chosen, time: time)
        } catch {
            throw error.inFile(asset.path)
        }
    }

    private func decode(_ window: [Wanted], _ failures: [FrameResult], from place: Int) {
        var outlet = Outlet(results, isOrdered: series.order == .asRequested, from: place)
        for failure in failures { outlet.take(failure) }
        let numbers = window.map(\.frame)
        let groups = Set(numbers.map { engine.planner.plan(forFrame: $0).restart })
        let isDense = numbers.count >= 4 * groups.count
        let isOneWay =
            zip(numbers, numbers.dropFirst()).allSatisfy(<=) || zip(numbers, numbers.dropFirst()).allSatisfy(>=)
        var missing = Set(numbers)
        if !isDense {
            let results = results
            // What a batch could not do is tried one by one, so that each frame has its own reason.
            try? engine.frames(Array(missing), isCancelled: { results.isLeft }) { (number, answer) throws(ScrubError) in
                missing.remove(number)
                deliver(.success(answer), of: number, window, &outlet)
            }
        }
        for number in isOneWay ? numbers : numbers.sorted() where missing.remove(number) != nil {
            guard let result = decode(number) else { return }
            deliver(result, of: number, window, &outlet)
        }
    }

    /// One frame; `nil` when the consumer has left.
    private func decode(_ number: Int) -> Result<FrameEngine.Answer, ScrubError>? {
        do throws(ScrubError) {
            return try engine.frame(number, isCancelled: { results.isLeft }).map { .success($0) }
        } catch {
            return .failure(error.inFile(asset.path))
        }
    }

    /// Gives a frame's answer to every position that wants it.
    private func deliver(
        _ result: Result<FrameEngine.Answer, ScrubError>, of number: Int, _ window: [Wanted], _ outlet: inout Outlet
    ) {
        for wanted in window where wanted.frame == number {
            let answer = result.map {
                FrameAnswer(
                    number, $0, asset, requestedFrame: wanted.requestedFrame, requestedTime: wanted.time)
            }
            outlet.take(FrameResult(place: wanted.place, requested: wanted.position, result: answer))
        }
    }
}

/// Brings the results of a window into order.
private struct Outlet {
    private let results: AsyncHandover<FrameResult>
    private let isOrdered: Bool
    private var waiting: [Int: FrameResult] = [:]
    /// The first place that was not handed out.
    private var next: Int

    init(_ results: AsyncHandover<FrameResult>, isOrdered: Bool, from place: Int) {
        (self.results, self.isOrdered, next) = (results, isOrdered, place)
    }

    mutating func take(_ result: FrameResult) {
        guard isOrdered else {
            results.push(result)
            return
        }
        waiting[result.place] = result
        while let result = waiting.removeValue(forKey: next) {
            results.push(result)
            next += 1
        }
    }
}
