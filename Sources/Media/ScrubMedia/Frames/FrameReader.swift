internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// A reader of exact frames of one video, for code that may block, such as tools, scripts and dedicated threads. In
/// asynchronous code, use ``FrameGenerator``.
///
/// Only one thread at a time may use a reader, but a reader may move between threads.
///
/// Memory: at most the cache limit, plus the pictures in the decoders and those that the caller holds. For H.264 and
/// HEVC, a decoder holds up to 17 pictures, plus one per thread.
public struct FrameReader: ~Copyable {
    let asset: VideoAsset
    var engine: FrameEngine

    /// Creates a reader. It does not decode anything yet.
    ///
    /// - Precondition: no option is below the minimum in ``FrameReader/Options``.
    public init(_ asset: VideoAsset, options: FrameReader.Options = .init()) {
        options.require()
        self.asset = asset
        engine = FrameEngine(asset.seekPlanner(), options: options.engine)
    }

    /// Creates a reader for pictures that are only examined. A picture that the container marks as key is accepted as
    /// such unless the decoder contradicts it. Damage is accepted, and no result depends on earlier proofs. Such
    /// pictures are never called exact. For ``eachFrame(numbered:deliver:)``.
    package init(looking asset: VideoAsset, options: FrameReader.Options = .init()) {
        self.asset = asset
        var decoding = options.engine
        decoding.hasSecondOpinions = false
        engine = FrameEngine(asset.seekPlanner(unproven: .approximate), options: decoding)
    }

    /// The current and peak memory used by the reader's pictures.
    public var memory: PictureMemory { PictureMemory(engine.allocator, engine.cache) }

    /// Returns the exact frame at a position.
    ///
    /// - Throws: `usage` if the frame number does not exist or the position is outside the video, and the errors of
    ///   ``frame(numbered:)``. Damage in the file does not throw an error; the answer's verdict reports it.
    @available(*, noasync, message: "this blocks; in async code, use a FrameGenerator")
    public mutating func frame(at position: FramePosition) throws(ScrubError) -> FrameAnswer {
        let number = try asset.presentedFrame(at: position).number
        return FrameAnswer(
            number, try engine.frame(number), asset, requestedTime: asset.requestedTime(of: position, frame: number))
    }

    /// Returns the exact frame with the given number.
    ///
    /// - Throws: `inputOutput` if reading fails, `unavailable` if there is not enough memory for a picture.
    /// - Precondition: the frame exists.
    @available(*, noasync, message: "this blocks; in async code, use a FrameGenerator")
    public mutating func frame(numbered number: Int) throws(ScrubError) -> FrameAnswer {
        asset.frames.require(number)
        return FrameAnswer(number, try engine.frame(number), asset)
    }

    /// Decodes several frames and delivers each answer as soon as it is available, in decode order rather than the
    /// requested order. Each group of pictures is decoded only once.
    ///
    /// - Parameters:
    ///   - numbers: the frames, in any order. Repeated frames are answered once.
    ///   - deliver: receives each answer on the caller's thread. Answers that it does not keep are freed. If it throws
    ///     an error, decoding stops.
    /// - Throws: the errors of `deliver` and of ``frame(numbered:)``.
    /// - Precondition: all frames exist.
    @available(*, noasync, message: "this blocks; in async code, use a FrameGenerator")
    public mutating func frames(
        numbered numbers: some Sequence<Int>, deliver: (FrameAnswer) throws -> Void
    ) throws {
        var failure: (any Error)?
        do throws(ScrubError) {
            try eachFrame(numbered: numbers) { (answer) throws(ScrubError) in
                do {
                    try deliver(answer)
                } catch {
                    failure = error
                    throw ScrubError(.inputOutput, "the answer was not delivered")
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    /// Decodes several frames like ``frames(numbered:deliver:)``, for callers that throw only this library's errors.
    package mutating func eachFrame(
        numbered numbers: some Sequence<Int>, deliver: (FrameAnswer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        let wanted = Array(numbers)
        for number in wanted { asset.frames.require(number) }
        let asset = asset
        try engine.frames(wanted) { (number, answer) throws(ScrubError) in
            try deliver(FrameAnswer(number, answer, asset))
        }
    }

    /// Returns the frames at several positions. Repeated positions are decoded once, each group of pictures is decoded
    /// in one pass, and groups are decoded in parallel.
    ///
    /// - Returns: a result for each position, in the requested order. A position that does not name a frame results in
    ///   an error and does not affect the other results.
    /// - Throws: `inputOutput` if reading fails.
    @available(*, noasync, message: "this blocks; in async code, use a FrameGenerator")
    public mutating func frames(
        at positions: [FramePosition]
    ) throws(ScrubError) -> [Result<FrameAnswer, ScrubError>] {
        var places: [Result<Int, ScrubError>] = []
        for position in positions {
            do throws(ScrubError) {
                places.append(.success(try asset.presentedFrame(at: position).number))
            } catch {
                places.append(.failure(error))
            }
        }
        var answers: [Int: FrameAnswer] = [:]
        try eachFrame(numbered: places.compactMap { try? $0.get() }) { answers[$0.frame.number] = $0 }
        return places.map { place in
            place.flatMap { number in
                guard let answer = answers[number] else { preconditionFailure("every frame must have an answer") }
                return .success(answer)
            }
        }
    }

    /// Returns the number of coded pictures that must be decoded for an exact picture of a frame. This does not decode
    /// anything, but it may read picture headers.
    ///
    /// - Precondition: the frame exists.
    public mutating func decodeCost(ofFrame number: Int) -> Int { cost(ofFrame: number).fed }

    /// Returns the numbers of coded pictures to decode and to skip for a frame.
    mutating func cost(ofFrame number: Int) -> (fed: Int, skipped: Int, restart: Int) {
        asset.frames.require(number)
        return engine.planner.cost(ofFrame: number)
    }

    /// Returns the plan for decoding a frame, with its reason. It may read the headers of keyframes.
    ///
    /// - Precondition: the frame exists.
    package mutating func decodePlan(ofFrame number: Int) -> PlanSummary {
        asset.frames.require(number)
        let feeds = engine.planner.feedPlan(forFrame: number)
        let restart = feeds.plan.restart
        return PlanSummary(
            restartPicture: restart, restartFrame: asset.index.frame(ofPicture: restart), feed: feeds.fed,
            skip: feeds.skipped, reason: feeds.reason)
    }
}

/// The plan for decoding one frame.
package struct PlanSummary: Sendable, Hashable {
    /// The coded picture at which decoding begins, counted from 0 in decode order.
    package let restartPicture: Int
    /// The frame that shows that picture; `nil` if it is never shown.
    package let restartFrame: Int?
    /// The number of coded pictures given to the decoder.
    package let feed: Int
    /// The number of coded pictures between the restart and the frame that are skipped.
    package let skip: Int
    /// The reason for that restart, for people.
    package let reason: String
}
