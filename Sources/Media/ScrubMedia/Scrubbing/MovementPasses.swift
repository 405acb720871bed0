internal import ScrubDecoding
internal import ScrubLibAV
internal import ScrubPictures

/// Passes over the groups that a finger moves in, so that a movement finds the previews of its frames soon.
///
/// A finger that goes back over a film without previews asks for frames before those that were just decoded, and each
/// window of whole pictures costs a part of the group again. A pass decodes the group once, on all processors, and
/// makes a preview of every picture. It is for the group under the finger first, then for the next one where the finger
/// goes. Whole pictures are for its rest. A finger that goes forward needs no pass: its decoder brings all frames.
///
/// Use from one thread at a time. Memory: a decoder with its own pictures, out of the engine's; a reduced picture.
struct MovementPasses {
    private let engine: FrameEngine
    private let track: PreviewTrack
    private let coder: PreviewCoder
    private var course = FingerCourse()
    /// The pass under way, with the frames of its group.
    private var present: (pass: FramePass, group: Range<Int>)?
    /// Whether a frame of it came out without a preview.
    private var isIncomplete = false
    /// Groups that were looked for last.
    private var known: [Range<Int>] = []
    /// First frames of groups of which no pass can be made.
    private var refused: Set<Int> = []
    /// Whether nothing is missing where the finger is now.
    private var isSettled = false

    /// The most frames of a group on each side of the finger. A longer group is made in parts.
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
        // A finger that has turned, or rests, asks for its frames itself.
        if !isWanted { leave() }
    }

    /// Whether the pass under way brings a frame that the moving finger asks for.
    ///
    /// - Parameter isStill: whether the finger stays on the frame: then only if it does not come sooner alone.
    func serves(_ frame: Int, isStill: Bool = false) -> Bool {
        guard isWanted, let pass = present?.pass, pass.missing.contains(frame) else { return false }
        return !(isStill && engine.isSooner(alone: frame, than: pass))
    }

    /// Whether frames that the moving finger comes to next may be missing.
    var isWanted: Bool { course.isMovement && course.way <= 0 && !isSettled }

    /// Does about one packet of the present pass, or of the next one ahead of the finger.
    ///
    /// - Parameter deliver: takes the pictures that come out, with their frame numbers and the coded pictures for them.
    /// - Returns: whether there is more to do before the finger moves on.
    mutating func step(_ deliver: (Int, SharedFrame, Int) -> Void) -> Bool {
        guard isWanted else { return false }
        // One that has brought what the finger may come to, or whose group it has left behind.
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
            // What did not come out has no exact picture, or found no memory: it would not the next time either.
            if isIncomplete || !pass.missing.isEmpty { refused.insert(group.lowerBound) }
        } catch {
            // A read may be tried again by a request, which has the reason.
            refused.insert(group.lowerBound)
        }
        present = nil
        return true
    }

    /// Leaves the present pass; its decoder stays where it stands.
    mutating func leave() {
        if let present { engine.leave(present.pass) }
        present = nil
    }

    /// Tries again what found no memory.
    mutating func noteMemoryNews() { refused = [] }

    /// Returns false if no preview could be made.
    private func keep(_ image: SharedFrame, of frame: Int) -> Bool {
        guard track.store.hasUse(for: frame) else { return true }
        guard let preview = try? coder.encode(image) else { return false }
        _ = track.store.insert(preview, of: frame)
        return true
    }

    /// Begins the pass of the group under the finger or, where that misses nothing ahead, of the next one.
    private mutating func beginAhead() {
        let group = group(around: course.frame)
        begin(group)
        guard present == nil, course.way < 0, group.lowerBound > 0 else { return }
        begin(self.group(around: group.lowerBound - 1))
    }

    private mutating func group(around frame: Int) -> Range<Int> {
        if let found = known.first(where: { $0.contains(frame) }) { return found }
        let group = engine.group(around: frame, limit: MovementPasses.longestGroup)
        if known.count == MovementPasses.knownLimit { known.removeFirst() }
        known.append(group)
        return group
    }

    private mutating func begin(_ group: Range<Int>) {
        guard !refused.contains(group.lowerBound) else { return }
        let all = group.filter(track.store.hasUse)
        let ahead = all.filter(course.isAhead)
        guard !ahead.isEmpty else { return }
        // Of the next group all: two passes over it would cost more than they bring forward.
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
