internal import ScrubPictures

/// Brings pictures, which come as they are decoded, into the order of a plan's thumbnails. It says what each shows in
/// the end: its own frame, or that of the nearest thumbnail when its own cannot be decoded. Of two that are as near,
/// the earlier one's is shown.
///
/// Memory: small pictures that are not yet in turn, at most ``heldByteCount``, or 16 of them where these take more. A
/// group's own order of decoding comes on top, with some 16.
struct ThumbnailLine {
    /// The most bytes of small pictures that wait for their turn in a plan whose thumbnails are out of the film's
    /// order.
    static let heldByteCount = 64 << 20

    private let plan: ThumbnailPlan
    private let finished: FinishedPictures
    private let makers: [any ThumbnailMaker]
    /// Sizes whose blurred stand-ins are wanted.
    private let lookSizes: Set<Int>
    /// The number of thumbnails that an earlier run has told of.
    private let known: Int
    /// The last of these whose own frame was decoded: it may have to stand for others.
    private let anchor: Int?
    /// Pictures that came and are still to be used.
    private var held: [Int: ThumbnailAnswer] = [:]
    /// The last thumbnail, of those in hand, for which a frame is used.
    private var lastUse: [Int: Int] = [:]
    /// The next thumbnail whose picture is looked for.
    private var next = 0
    /// The first thumbnail for which another frame has to stand.
    private var waiting: Int
    /// The last thumbnail whose own frame was decoded.
    private var last: (slot: Int, answer: ThumbnailAnswer)?

    init(
        _ plan: ThumbnailPlan, _ finished: FinishedPictures, _ makers: [any ThumbnailMaker], lookSizes: Set<Int>
    ) {
        (self.plan, self.finished, self.makers, self.lookSizes) = (plan, finished, makers, lookSizes)
        known = finished.shown.count
        waiting = known
        anchor =
            known < plan.slots.count
            ? finished.shown.indices.last { finished.shown[$0].frame == plan.slots[$0].frame } : nil
    }

    /// The frames that have to be decoded.
    var frames: Set<Int> { Set(plan.slots.indices.compactMap(wanted)) }

    /// The frame that has to be decoded for a thumbnail; `nil` when all that is made of it is there.
    private func wanted(_ slot: Int) -> Int? {
        guard slot < known else { return plan.slots[slot].frame }
        return slot == anchor || makers.contains { $0.needs(slot) } ? finished.shown[slot].frame : nil
    }

    /// Thumbnails that are decoded one part after the other: all at once, unless too many would wait for their turn.
    ///
    /// - Parameter pictureByteCount: of a frame's small pictures.
    func parts(pictureByteCount: Int) -> [Range<Int>] {
        let limit = max(16, ThumbnailLine.heldByteCount / max(1, pictureByteCount))
        let all = plan.slots.indices
        guard mostHeld > limit else { return [all] }
        return stride(from: 0, to: all.count, by: limit).map { $0..<min($0 + limit, all.count) }
    }

    /// The most pictures that wait when all come in the film's order.
    private var mostHeld: Int {
        let frames = plan.slots.indices.map(wanted)
        let lastUse = ThumbnailLine.lastUse(frames.enumerated().map { ($0, $1) })
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

    private static func lastUse(_ frames: [(slot: Int, frame: Int?)]) -> [Int: Int] {
        var found: [Int: Int] = [:]
        for (slot, frame) in frames { if let frame { found[frame] = slot } }
        return found
    }

    /// Begins a part of the thumbnails.
    ///
    /// - Returns: the frames that are to be decoded for it, in the film's order.
    mutating func begin(_ slots: Range<Int>) -> [Int] {
        held = [:]
        lastUse = ThumbnailLine.lastUse(slots.map { ($0, wanted($0)) })
        return lastUse.keys.sorted()
    }

    /// Takes a frame's pictures, and passes on those that are in turn.
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
                // What is known of the film no longer holds: nothing of it is trusted.
                finished.remove()
                throw ScrubError(
                    .badData, "frame \(answer.frame) was decoded before the run was broken off, and cannot be now",
                    advice: "\(term: .callAgain): it begins from the start")
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

    /// Ends it: all frames came.
    ///
    /// - Returns: false when none could be decoded.
    mutating func end() throws(ScrubError) -> Bool {
        guard waiting < plan.slots.count else { return true }
        guard let last else { return false }
        for other in waiting..<plan.slots.count { try give(last.answer, to: other) }
        return true
    }

    private func give(_ answer: ThumbnailAnswer, to slot: Int) throws(ScrubError) {
        if slot >= known {
            let (frame, before) = (answer.frame, finished.shown.last)
            let isOwn = frame == plan.slots[slot].requestedFrame
            var shown = FinishedPictures.Shown(
                frame: frame, verdict: (isOwn ? answer.verdict : .approximate("")).name, hash: answer.hash,
                isFromPreview: answer.isFromPreview)
            // Those of a picture that is repeated are known.
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
