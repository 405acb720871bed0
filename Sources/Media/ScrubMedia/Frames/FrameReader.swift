internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// Exact frames of one video for code that may block: tools, scripts, threads of one's own. Asynchronous code has
/// ``FrameGenerator``.
///
/// Use one reader per thread; a reader may move between threads.
///
/// Memory: at most the cache's bytes and the decoders' own pictures, and the pictures that the caller keeps. A decoder
/// has up to 17 pictures of its own for H.264 and HEVC, and one more for each thread.
public struct FrameReader: ~Copyable {
    let asset: VideoAsset
    var engine: FrameEngine

    /// Makes a reader; nothing is decoded yet.
    ///
    /// - Precondition: no number of the options is smaller than ``FrameReader/Options`` says.
    public init(_ asset: VideoAsset, options: FrameReader.Options = .init()) {
        options.require()
        self.asset = asset
        engine = FrameEngine(asset.seekPlanner(), options: options.engine)
    }

    /// Makes a reader of pictures that will only be looked at. A key picture counts as one by the container's word
    /// unless the decoder denies it. Damage is taken as it comes, and no result depends on earlier proofs. No picture
    /// with such a mark is called exact. For ``eachFrame(numbered:deliver:)``.
    package init(looking asset: VideoAsset, options: FrameReader.Options = .init()) {
        self.asset = asset
        var decoding = options.engine
        decoding.hasSecondOpinions = false
        engine = FrameEngine(asset.seekPlanner(unproven: .approximate), options: decoding)
    }

    /// The present memory of the reader's pictures, and its peak.
    public var memory: PictureMemory { PictureMemory(engine.allocator, engine.cache) }

    /// Returns the exact frame at a position.
    ///
    /// - Throws: `usage` for a frame number that does not exist, `inputOutput` when reading fails. Damage in the
    ///   file is not thrown: it is the answer's verdict.
    @available(*, noasync, message: "it blocks; in asynchronous code use a FrameGenerator")
    public mutating func frame(at position: FramePosition) throws(ScrubError) -> FrameAnswer {
        let number = try asset.frame(at: position).frame.number
        return FrameAnswer(
            number, try engine.frame(number), asset, requestedTime: asset.requestedTime(of: position, frame: number))
    }

    /// Returns the exact frame with a number.
    ///
    /// - Throws: `inputOutput` if reading fails, `unavailable` if there is no memory for a picture.
    /// - Precondition: the frame exists.
    @available(*, noasync, message: "it blocks; in asynchronous code use a FrameGenerator")
    public mutating func frame(numbered number: Int) throws(ScrubError) -> FrameAnswer {
        asset.frames.require(number)
        return FrameAnswer(number, try engine.frame(number), asset)
    }

    /// Decodes several frames, each group of pictures once. It hands out each answer as soon as it is there, which is
    /// in decode order and not in the order asked.
    ///
    /// - Parameters:
    ///   - numbers: frames that exist, in any order; repeats are answered once.
    ///   - deliver: takes an answer, on the caller's thread; only the parts that it keeps stay in memory. Its errors
    ///     end the decoding.
    /// - Throws: the errors of `deliver`; ``ScrubError`` as ``frame(numbered:)``.
    /// - Precondition: all frames exist.
    @available(*, noasync, message: "it blocks; in asynchronous code use a FrameGenerator")
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
                    throw ScrubError(.inputOutput, "the answer was not taken")
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    /// As ``frames(numbered:deliver:)`` for callers whose errors are this library's.
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

    /// Returns several frames at once: repeats are decoded once, each group of pictures in one pass, groups side by
    /// side.
    ///
    /// - Returns: a result for each position, in the order asked: a position that names no frame fails alone.
    /// - Throws: `inputOutput` when reading fails.
    @available(*, noasync, message: "it blocks; in asynchronous code use a FrameGenerator")
    public mutating func frames(
        at positions: [FramePosition]
    ) throws(ScrubError) -> [Result<FrameAnswer, ScrubError>] {
        var places: [Result<Int, ScrubError>] = []
        for position in positions {
            do throws(ScrubError) {
                places.append(.success(try asset.frame(at: position).frame.number))
            } catch {
                places.append(.failure(error))
            }
        }
        var answers: [Int: FrameAnswer] = [:]
        try eachFrame(numbered: places.compactMap { try? $0.get() }) { answers[$0.frame.number] = $0 }
        return places.map { place in
            place.flatMap { number in
                guard let answer = answers[number] else { preconditionFailure("every frame that exists is answered") }
                return .success(answer)
            }
        }
    }

    /// Returns the number of coded pictures that an exact answer for a frame needs, without decoding it. May read the
    /// headers of pictures.
    ///
    /// - Precondition: the frame exists.
    public mutating func decodeCost(ofFrame number: Int) -> Int { cost(ofFrame: number).fed }

    /// Returns coded pictures to decode and to leave out for a frame.
    mutating func cost(ofFrame number: Int) -> (fed: Int, skipped: Int, restart: Int) {
        asset.frames.require(number)
        return engine.planner.cost(ofFrame: number)
    }

    /// Returns the plan for decoding a frame, with its reason. May read the headers of keyframes.
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
    /// The coded picture, counted from 0 in decode order, with which decoding begins.
    package let restartPicture: Int
    /// The frame that it shows as; `nil` when it is never shown.
    package let restartFrame: Int?
    /// Coded pictures given to the decoder.
    package let feed: Int
    /// Coded pictures between the restart and the frame that are left out.
    package let skip: Int
    /// Why decoding begins there, for people.
    package let reason: String
}
