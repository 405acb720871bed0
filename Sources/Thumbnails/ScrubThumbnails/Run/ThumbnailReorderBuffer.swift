internal import ScrubPictures

/// A queue that puts pictures, which arrive in decode order, into the order of a plan's thumbnails. It determines what
/// each thumbnail finally shows: its own frame, or that of the nearest thumbnail if its own cannot be decoded. If two
/// are equally near, the earlier one's frame is shown.
///
/// Memory: small pictures whose turn has not come, at most ``heldByteCount``, or 16 of them if these take more. A
/// group's own decode order adds about 16.
struct ThumbnailReorderBuffer {
    /// The maximum number of bytes of small pictures that wait for their turn in a plan whose thumbnails are not in the
    /// video's order.
    static let heldByteCount = 64 << 20

    private let plan: ThumbnailPlan
    private let finished: ResumableOutput
    private let makers: [any ThumbnailMaker]
    /// The sizes for which blurred placeholders are requested.
    private let lookSizes: Set<Int>
    /// The number of thumbnails reported by an earlier run.
    private let known: Int
    /// The last of these whose own frame was decoded, because it may have to replace others.
    private let anchor: Int?
    /// Pictures that arrived and are still to be used.
    private var held: [Int: ThumbnailAnswer] = [:]
    /// The last thumbnail, of the current ones, that uses a frame.
    private var lastUse: [Int: Int] = [:]
    /// The next thumbnail to process.
    private var next = 0
    /// The first thumbnail that another frame has to replace.
    private var waiting: Int
    /// The last thumbnail whose own frame was decoded.
    private var last: (slot: Int, answer: ThumbnailAnswer)?

    init(
        _ plan: ThumbnailPlan, _ finished: ResumableOutput, _ makers: [any ThumbnailMaker], lookSizes: Set<Int>
    ) {
        (self.plan, self.finished, self.makers, self.lookSizes) = (plan, finished, makers, lookSizes)
        known = finished.shown.count
        waiting = known
        anchor =
            known < plan.slots.count
            ? finished.shown.indices.last { finished.shown[$0].frame == plan.slots[$0].frameNumber } : nil
    }

    /// The frames to decode.
    var frames: Set<Int> { Set(plan.slots.indices.compactMap(wanted)) }

    /// Returns the frame to decode for a thumbnail; `nil` if everything made from it already exists.
    private func wanted(_ slot: Int) -> Int? {
        guard slot < known else { return plan.slots[slot].frameNumber }
        return slot == anchor || makers.contains { $0.needs(slot) } ? finished.shown[slot].frame : nil
    }

    /// Returns the parts of thumbnails that are decoded one after another: a single part, unless too many would wait
    /// for their turn.
    ///
    /// - Parameter pictureByteCount: the size in bytes of a frame's small pictures.
    func parts(pictureByteCount: Int) -> [Range<Int>] {
        ThumbnailReorderBuffer.parts(of: plan.slots.indices.map(wanted), pictureByteCount: pictureByteCount)
    }

    /// Returns the parts for the frames that thumbnails show.
    ///
    /// - Parameters:
    ///   - frames: the frame to decode for each thumbnail, if any.
    ///   - isOrdered: whether frames arrive in the video's order, so that few of them wait.
    static func parts(of frames: [Int?], pictureByteCount: Int, isOrdered: Bool = true) -> [Range<Int>] {
        let limit = max(16, heldByteCount / max(1, pictureByteCount))
        if isOrdered, mostHeld(frames) <= limit { return [frames.indices] }
        return stride(from: 0, to: frames.count, by: limit).map { $0..<min($0 + limit, frames.count) }
    }

    /// Returns the maximum number of waiting pictures if all arrive in the video's order.
    private static func mostHeld(_ frames: [Int?]) -> Int {
        let lastUse = ThumbnailReorderBuffer.lastUse(frames.enumerated().map { ($0, $1) })
        var (there, most, place): (Set<Int>, Int, Int) = ([], 0, 0)
        for frame in lastUse.keys.sorted() {
            there.insert(frame)
            most = max(most, there.count)
            while place < frames.count {
                if let frame = frames[place] {
                    guard there.contains(frame) else { break }
                    if lastUse[frame] == place { there.remove(frame) }
                }
                place += 1
            }
        }
        return most
    }

    /// Returns the last thumbnail that uses each frame.
    static func lastUse(_ frames: [(slot: Int, frame: Int?)]) -> [Int: Int] {
        var found: [Int: Int] = [:]
        for (slot, frame) in frames { if let frame { found[frame] = slot } }
        return found
    }

    /// Begins a part of the thumbnails.
    ///
    /// - Returns: the frames to decode for it, in the video's order.
    mutating func begin(_ slots: Range<Int>) -> [Int] {
        held = [:]
        lastUse = ThumbnailReorderBuffer.lastUse(slots.map { ($0, wanted($0)) })
        return lastUse.keys.sorted()
    }

    /// Handles a frame's pictures, and passes on those whose turn it is.
    mutating func take(_ answer: ThumbnailAnswer) throws(ScrubError) {
        held[answer.frame] = answer
        while next < plan.slots.count {
            if let frame = wanted(next) {
                guard let answer = held[frame] else { return }
                try use(answer, for: next)
                if lastUse[frame] == next { held[frame] = nil }
            }
            next += 1
        }
    }

    private mutating func use(_ answer: ThumbnailAnswer, for slot: Int) throws(ScrubError) {
        if slot < known {
            guard !answer.images.isEmpty else {
                // Known facts about the video are no longer valid, so none of them is trusted.
                finished.remove()
                throw ScrubError(
                    .badData,
                    "frame \(answer.frame) was decoded before the run was interrupted, but cannot be decoded now",
                    advice: "\(term: .callAgain): it starts over")
            }
            if slot == anchor { last = (slot, answer) }
            try give(answer, to: slot)
        } else if !answer.images.isEmpty {
            for other in waiting..<slot {
                let isNearer = last.map { slot - other < other - $0.slot } ?? true
                try give(isNearer ? answer : last?.answer ?? answer, to: other)
            }
            last = (slot, answer)
            try give(answer, to: slot)
            waiting = slot + 1
        }
    }

    /// Ends the queue after all frames have arrived.
    ///
    /// - Returns: false if none could be decoded.
    mutating func end() throws(ScrubError) -> Bool {
        guard waiting < plan.slots.count else { return true }
        guard let last else { return false }
        for other in waiting..<plan.slots.count { try give(last.answer, to: other) }
        return true
    }

    private func give(_ answer: ThumbnailAnswer, to slot: Int) throws(ScrubError) {
        if slot >= known {
            let (frame, before) = (answer.frame, finished.shown.last)
            let isOwn = frame == plan.slots[slot].requestedFrameNumber
            var shown = ResumableOutput.Shown(
                frame: frame, verdict: (isOwn ? answer.verdict : .approximate("")).name, hash: answer.hash,
                isFromPreview: answer.isFromPreview)
            // A repeated picture's placeholders are known.
            if let before, before.frame == frame {
                shown.looks = before.looks
            } else {
                for size in lookSizes {
                    let image = answer.images[size]
                    shown.looks[size] = .init(blurHash: image.blurHash, thumbHash: image.thumbHash)
                }
            }
            try finished.append(shown)
        }
        for maker in makers where maker.needs(slot) { try maker.take(slot, answer.images) }
    }
}
