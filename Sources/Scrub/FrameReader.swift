internal import LibAV
internal import ScrubDecoding
internal import ScrubIndex

/// Decodes exact frames of one video.
///
/// Blocks while it decodes. Use one reader per thread; a reader may move between threads.
///
/// Memory: one decoder with its reference pictures (at most 17 frames for H.264 and HEVC), and the pictures that the
/// caller keeps.
public struct FrameReader: ~Copyable {
    private let asset: VideoAsset
    private var decoder: FrameDecoder

    /// Makes a reader; nothing is decoded yet.
    public init(_ asset: VideoAsset) {
        self.asset = asset
        decoder = FrameDecoder(file: asset.file, index: asset.index)
    }

    /// The exact frame at a position.
    ///
    /// - Throws: `usage` for a frame number that does not exist, `inputOutput` when reading fails. Damage in the
    ///   file is not thrown: it is the answer's verdict.
    public mutating func frame(at position: Position) throws(ScrubError) -> FrameAnswer {
        let number = try asset.frame(at: position).frame.number
        var answer: FrameAnswer?
        try frames(numbered: [number]) { (found) throws(ScrubError) in answer = found }
        guard let answer else { preconditionFailure("every frame that exists is answered") }
        return answer
    }

    /// Decodes several frames, each group of pictures once, and hands out each answer as soon as it is there,
    /// which is in decode order and not in the order asked.
    ///
    /// - Parameters:
    ///   - numbers: frames that exist, in any order; repeats are answered once.
    ///   - deliver: takes an answer; what it keeps is all that stays in memory.
    /// - Precondition: all frames exist.
    public mutating func frames(
        numbered numbers: some Sequence<Int>, deliver: (FrameAnswer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        let wanted = Array(numbers)
        for number in wanted { precondition(asset.frames.indices.contains(number), "frame \(number)") }
        let asset = asset
        try decoder.decode(frames: wanted) { (number, answer) throws(ScrubError) in
            try deliver(
                FrameAnswer(
                    frame: asset.frames[number], verdict: answer.verdict,
                    picture: answer.frame.map { Picture($0, asset: asset) }, decodedPictures: answer.decoded,
                    restart: answer.plan.restart))
        }
    }

    /// How many coded pictures an exact answer for a frame needs, without decoding it. May read the headers of
    /// keyframes.
    ///
    /// - Precondition: the frame exists.
    public mutating func decodeCost(ofFrame number: Int) -> Int { decodePlan(ofFrame: number).feed }

    /// What would be decoded for a frame, and why. May read the headers of keyframes.
    ///
    /// - Precondition: the frame exists.
    public mutating func decodePlan(ofFrame number: Int) -> PlanSummary {
        precondition(asset.frames.indices.contains(number), "frame \(number)")
        let plan = decoder.plan(forFrame: number)
        return PlanSummary(
            restartPicture: plan.restart, restartFrame: asset.index.frame(ofPicture: plan.restart), feed: plan.feed,
            skip: 0, reason: plan.reason)
    }
}

/// What is decoded for one frame.
public struct PlanSummary: Sendable, Hashable {
    /// The coded picture, counted from 0 in decode order, with which decoding begins.
    public let restartPicture: Int
    /// The frame that it shows as; nothing when it is never shown.
    public let restartFrame: Int?
    /// Coded pictures given to the decoder.
    public let feed: Int
    /// Coded pictures between the restart and the frame that are left out.
    public let skip: Int
    /// Why decoding begins there, for people.
    public let reason: String
}

/// A decoded frame and how far it is the one asked for.
public struct FrameAnswer: Sendable {
    /// Which frame it is.
    public let frame: PresentedFrame
    /// How sure that is.
    public let verdict: Verdict
    /// The picture; nothing when it is undecodable.
    public let picture: Picture?
    /// Coded pictures given to the decoder for this answer.
    public let decodedPictures: Int
    /// The coded picture, counted from 0 in decode order, with which decoding began.
    public let restart: Int
}
