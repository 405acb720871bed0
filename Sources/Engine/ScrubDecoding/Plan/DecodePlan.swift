package import ScrubBitstream
internal import ScrubFileIO
internal import ScrubBase
package import ScrubIndex

/// The packets to give a decoder for one picture: the start, the end, and the reason. Pure: it reads nothing.
package struct DecodePlan: Hashable, Sendable {
    /// The reason why decoding begins where it does.
    package enum Start: Hashable, Sendable {
        /// A picture at which decoding can restart cleanly.
        case restart(RandomAccess)
        /// The first coded picture, because the target cannot be reached from a later restart.
        case streamStart
        /// The first picture of a stretch of a film that is only partly known, because the target cannot be reached
        /// from a later restart. The pictures before it are needed.
        case stretchStart
    }

    /// The coded picture to show.
    package let target: Int
    /// The coded picture at which decoding begins.
    package let restart: Int
    package let start: Start
    /// The last coded picture to feed: the target, or its second field.
    package let last: Int

    /// The number of coded pictures to feed.
    package var feed: Int { last - restart + 1 }

    /// The reason why decoding begins where it does, for people.
    package var reason: String {
        switch start {
        case .streamStart: "the start of the stream, because no later restart can be used"
        case .stretchStart: "the first picture that was read, because no later restart can be used"
        case .restart(.instantaneous):
            target == restart ? "the frame can be decoded on its own" : "the last restart before it"
        case .restart(.gradual): "a gradual refresh that is complete before it"
        case .restart:
            target == restart ? "the frame can be decoded on its own" : "the last open restart that is shown before it"
        }
    }

    /// Whether nothing before the restart is needed, not even to prove the restart. A gradual one is only proven by
    /// comparing pictures that were decoded from further back.
    package var needsNothingEarlier: Bool {
        switch start {
        case .restart(.gradual), .streamStart, .stretchStart: false
        case .restart: true
        }
    }

    /// Whether every decoder message during the run counts against the target.
    ///
    /// From an instantaneous restart or from the beginning, no references are missing, so every complaint means damage.
    /// From an open restart, decoders may complain about earlier references that no shown picture uses.
    package var isSelfContained: Bool {
        switch start {
        case .streamStart, .restart(.instantaneous): true
        case .restart, .stretchStart: false
        }
    }
}

/// Positions of rejected restart candidates. A video may claim a restart at each picture, and going back over all of
/// them for each frame would take quadratic time.
package struct RejectedRestarts: Sendable {
    /// For each rejected position, the next lower one that is possibly not rejected.
    private var below: [Int: Int] = [:]

    package init() {}

    mutating func insert(_ place: Int) { below[place] = place - 1 }

    /// Returns the next non-rejected position below another.
    mutating func next(below place: Int) -> Int? {
        var found = place - 1
        while let lower = below[found] { found = lower }
        // The next search takes one step.
        var passed = place - 1
        while let lower = below[passed], lower != found {
            below[passed] = found
            passed = lower
        }
        return found >= 0 ? found : nil
    }
}

/// A planner that determines where decoding may begin for a picture.
///
/// The rule: the last clean restart in decode order that is not shown after the target. A leading picture is shown
/// before the restart that precedes it, so its decoding begins at the previous restart. A gradual restart counts only
/// once its refresh is complete. If no restart qualifies, decoding begins with the stream.
package struct DecodePlanner: Sendable {
    private let index: FrameIndex

    package init(_ index: FrameIndex) { self.index = index }

    /// Returns the plan for a coded picture.
    ///
    /// - Parameters:
    ///   - before: an upper bound; only restarts before this picture are considered, for a second attempt from further
    ///     back.
    ///   - selfContainedOnly: whether only self-contained restarts are considered.
    ///   - isReference: returns whether a picture is a reference. Called only if the tables do not specify it.
    ///   - rejected: candidates that were rejected, which are skipped. New ones are added.
    ///   - access: returns the actual kind of a candidate; it may read and cache.
    package func plan(
        forPicture target: Int, before: Int = .max, selfContainedOnly: Bool = false, rejected: inout RejectedRestarts,
        isReference: (Int) -> Bool = { _ in true }, access: (Int) -> (access: RandomAccess, recoveryCount: Int)
    ) -> DecodePlan {
        let last = index.hasSecondField(target) ? target + 1 : target
        let first = index.firstKnownPicture(before: target)
        var place = index.restartCount(through: target)
        while let next = rejected.next(below: place) {
            place = next
            let restart = Int(index.restarts[place])
            guard restart >= first else { break }
            guard restart < before, index.ranks[restart] >= 0, index.ranks[restart] <= index.ranks[target] else {
                continue
            }
            let (kind, count) = access(restart)
            switch kind {
            case .none, .inexact:
                rejected.insert(place)
                continue
            case .gradual where count >= index.pictures.count - restart:
                // No picture of the stream follows.
                rejected.insert(place)
                continue
            case .open where selfContainedOnly, .gradual where selfContainedOnly: continue
            case .gradual where !hasRecovered(target, from: restart, count: count, isReference): continue
            case .instantaneous, .open, .gradual:
                return DecodePlan(target: target, restart: restart, start: .restart(kind), last: last)
            }
        }
        return DecodePlan(
            target: target, restart: first, start: first > 0 ? .stretchStart : .streamStart, last: last)
    }

    /// Returns whether enough reference pictures are between a gradual restart and the target, with none of them shown
    /// after it. `recovery_frame_cnt` counts frame_num increments (ITU-T H.264 D.2.8), one per reference frame.
    private func hasRecovered(
        _ target: Int, from restart: Int, count: Int, _ isReference: (Int) -> Bool
    ) -> Bool {
        // There are not even that many pictures in between. If every picture of a stream makes a claim, each one must
        // not cost a scan.
        guard count <= target - restart else { return false }
        var left = count
        for picture in restart..<target where left > 0 {
            let flags = index.pictures.flags[picture + 1]
            guard flags.isDisjoint(with: [.disposable, .secondField]) else { continue }
            // Movie tables rarely specify which pictures are references, and counting others would be premature.
            if !flags.contains(.verified), !isReference(picture + 1) { continue }
            left -= 1
            if left == 0 { return index.ranks[picture + 1] <= index.ranks[target] }
        }
        return left == 0
    }
}
