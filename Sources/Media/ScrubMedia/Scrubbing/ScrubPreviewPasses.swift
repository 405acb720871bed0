internal import ScrubDecoding
internal import ScrubLibAV
internal import ScrubPictures

/// Passes over the groups in which a finger moves, so that a movement soon finds the previews of its frames.
///
/// A finger that moves backward over a video without previews requests frames before those just decoded, and each
/// window of full pictures requires decoding a part of the group again. A pass decodes the group once, on all
/// processors, and makes a preview of every picture. The group under the finger is first, then the next one in the
/// finger's direction. Full pictures are made when it rests. A finger that moves forward needs no pass: its decoder
/// outputs all frames.
///
/// Use from one thread at a time. Memory: a decoder with its own pictures, from the engine's memory; a reduced picture.
struct ScrubPreviewPasses {
    private let engine: FrameEngine
    private let track: PreviewTrack
    private let coder: PreviewCoder
    private var course = DragMotion()
    /// The pass in progress, with the frames of its group.
    private var present: (pass: FramePass, group: Range<Int>)?
    /// Whether a frame of the pass was output without a preview.
    private var isIncomplete = false
    /// The groups that were looked up most recently.
    private var known: [Range<Int>] = []
    /// The first frames of groups for which no pass is possible.
    private var refused: Set<Int> = []
    /// Whether no previews are missing at the finger's current position.
    private var isSettled = false

    /// The maximum number of frames of a group on each side of the finger. A longer group is processed in parts.
    private static let longestGroup = 512
    private static let knownLimit = 4

    init(_ engine: FrameEngine, _ track: PreviewTrack) {
        (self.engine, self.track) = (engine, track)
        coder = track.coder()
    }

    /// Records the requested frame.
    mutating func note(_ frame: Int) {
        course.note(frame)
        isSettled = false
        // A finger that has turned, or rests, requests its own frames.
        if !isWanted { leave() }
    }

    /// Returns whether the pass in progress delivers a frame that the moving finger requests.
    ///
    /// - Parameter isStill: whether the finger stays on the frame. In that case, only if decoding it alone is not
    ///   faster.
    func serves(_ frame: Int, isStill: Bool = false) -> Bool {
        guard isWanted, let pass = present?.pass, pass.missing.contains(frame) else { return false }
        return !(isStill && engine.isSooner(alone: frame, than: pass))
    }

    /// Whether frames that the moving finger reaches next may be missing.
    var isWanted: Bool { course.isMovement && course.way <= 0 && !isSettled }

    /// Decodes about one packet of the current pass, or of the next one ahead of the finger.
    ///
    /// - Parameter deliver: receives the output pictures, with their frame numbers and the coded pictures used for
    ///   them.
    /// - Returns: whether there is more to do before the finger moves on.
    mutating func step(_ deliver: (Int, SharedFrame, Int) -> Void) -> Bool {
        guard isWanted else { return false }
        // The pass has delivered what the finger may reach, or the finger has left its group.
        if let pass = present?.pass, !pass.missing.contains(where: course.isAhead) { leave() }
        if present == nil { beginAhead() }
        guard let (pass, group) = present else {
            isSettled = true
            return false
        }
        do throws(ScrubError) {
            for (frame, answer) in try engine.step(pass) {
                guard answer.verdict == .exact, let image = answer.frame else {
                    isIncomplete = true
                    continue
                }
                if !keep(image, of: frame) { isIncomplete = true }
                deliver(frame, image, max(1, answer.decoded))
            }
            guard pass.isOver else { return true }
            // Frames that were not output have no exact picture, or found no memory. The next attempt would give the
            // same result.
            if isIncomplete || !pass.missing.isEmpty { refused.insert(group.lowerBound) }
        } catch {
            // A request may retry a failed read, and gets the reason.
            refused.insert(group.lowerBound)
        }
        present = nil
        return true
    }

    /// Abandons the current pass. Its decoder keeps its position.
    mutating func leave() {
        if let present { engine.leave(present.pass) }
        present = nil
    }

    /// Retries groups that found no memory.
    mutating func noteMemoryNews() { refused = [] }

    /// Stores a preview. Returns false if none could be made.
    private func keep(_ image: SharedFrame, of frame: Int) -> Bool {
        guard track.store.hasUse(for: frame) else { return true }
        guard let preview = try? coder.encode(image) else { return false }
        _ = track.store.insert(preview, of: frame)
        return true
    }

    /// Begins the pass of the group under the finger or, if no frames are missing ahead there, of the next one.
    private mutating func beginAhead() {
        let group = group(around: course.frame)
        begin(group)
        guard present == nil, course.way < 0, group.lowerBound > 0 else { return }
        begin(self.group(around: group.lowerBound - 1))
    }

    private mutating func group(around frame: Int) -> Range<Int> {
        if let found = known.first(where: { $0.contains(frame) }) { return found }
        let group = engine.group(around: frame, limit: ScrubPreviewPasses.longestGroup)
        if known.count == ScrubPreviewPasses.knownLimit { known.removeFirst() }
        known.append(group)
        return group
    }

    private mutating func begin(_ group: Range<Int>) {
        guard !refused.contains(group.lowerBound) else { return }
        let all = group.filter(track.store.hasUse)
        let ahead = all.filter(course.isAhead)
        guard !ahead.isEmpty else { return }
        // The whole next group: two passes over it would cost more than they gain.
        let near = group.contains(course.frame) ? all.filter(course.isNear) : []
        do throws(ScrubError) {
            if let pass = try engine.startPass(of: near.isEmpty ? all : near, orOf: ahead) {
                (present, isIncomplete) = ((pass, group), false)
            } else {
                refused.insert(group.lowerBound)
            }
        } catch {
            refused.insert(group.lowerBound)
        }
    }
}
