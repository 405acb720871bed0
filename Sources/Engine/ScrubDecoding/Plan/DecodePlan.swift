package import ScrubBitstream
internal import ScrubFileIO
internal import ScrubBase
package import ScrubIndex

/// The packets to give a decoder for one picture: the beginning, the end, and the reason. Pure: nothing is read.
package struct DecodePlan: Hashable, Sendable {
    /// Why decoding begins where it does.
    package enum Start: Hashable, Sendable {
        /// A picture from which decoding can restart cleanly.
        case restart(RandomAccess)
        /// The first coded picture: no later restart leads to the target.
        case streamStart
    }

    /// The coded picture to show.
    package let target: Int
    /// The coded picture to begin with.
    package let restart: Int
    package let start: Start
    /// The last coded picture that is fed: the target, or its second field.
    package let last: Int

    /// The number of coded pictures that are fed.
    package var feed: Int { last - restart + 1 }

    /// Why decoding begins where it does, for people.
    package var reason: String {
        switch start {
        case .streamStart: "no later restart leads to it, so the stream's beginning"
        case .restart(.instantaneous): target == restart ? "it can be decoded alone" : "the last restart before it"
        case .restart(.gradual): "a gradual refresh that is complete before it"
        case .restart: target == restart ? "it can be decoded alone" : "the last open restart that shows before it"
        }
    }

    /// Whether everything that the decoder says while it runs counts against the target.
    ///
    /// From an instantaneous restart, or from the beginning, nothing is missing, so every complaint is damage. From
    /// an open restart decoders may complain of references before it that no shown picture uses.
    package var isSelfContained: Bool {
        switch start {
        case .streamStart, .restart(.instantaneous): true
        case .restart: false
        }
    }
}

/// Places of restart candidates that were found to be none. A film may claim one in each picture; walking back over all
/// of them for each frame would take the square of its length.
package struct RejectedRestarts: Sendable {
    /// For a rejected place the next one below it that may be none of them.
    private var below: [Int: Int] = [:]

    package init() {}

    mutating func insert(_ place: Int) { below[place] = place - 1 }

    /// Returns the next place below another that is not rejected.
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

/// Looks up where decoding may begin for a picture.
///
/// The rule: the last clean restart in decode order that does not show after the target. A leading picture shows before
/// the restart in front of it, so it begins at the one before that. A gradual restart counts only once its refresh is
/// complete. If nothing qualifies, decoding begins with the stream.
package struct DecodePlanner: Sendable {
    private let index: FrameIndex

    package init(_ index: FrameIndex) { self.index = index }

    /// Makes the plan for a coded picture.
    ///
    /// - Parameters:
    ///   - before: only restarts before this picture are looked at; for a second attempt from further back.
    ///   - selfContainedOnly: only restarts that leave nothing open.
    ///   - isReference: whether a picture is a reference, asked only where the tables don't tell.
    ///   - rejected: candidates that were found to be none, which are passed over; grows.
    ///   - access: the real kind of a candidate; may read and remember.
    package func plan(
        forPicture target: Int, before: Int = .max, selfContainedOnly: Bool = false, rejected: inout RejectedRestarts,
        isReference: (Int) -> Bool = { _ in true }, access: (Int) -> (access: RandomAccess, recoveryCount: Int)
    ) -> DecodePlan {
        let last = index.hasSecondField(target) ? target + 1 : target
        var place = index.restartCount(through: target)
        while let next = rejected.next(below: place) {
            place = next
            let restart = Int(index.restarts[place])
            guard restart < before, index.ranks[restart] >= 0, index.ranks[restart] <= index.ranks[target] else {
                continue
            }
            let (kind, count) = access(restart)
            switch kind {
            case .none, .inexact:
                rejected.insert(place)
                continue
            case .gradual where count >= index.pictures.count - restart:
                // No picture of the stream comes after that.
                rejected.insert(place)
                continue
            case .open where selfContainedOnly, .gradual where selfContainedOnly: continue
            case .gradual where !hasRecovered(target, from: restart, count: count, isReference): continue
            case .instantaneous, .open, .gradual:
                return DecodePlan(target: target, restart: restart, start: .restart(kind), last: last)
            }
        }
        return DecodePlan(target: target, restart: 0, start: .streamStart, last: last)
    }

    /// Whether enough reference pictures lie between a gradual restart and the target, and none of them shows after it.
    /// `recovery_frame_cnt` counts frame_num increments (ITU-T H.264 D.2.8), one per reference frame.
    private func hasRecovered(
        _ target: Int, from restart: Int, count: Int, _ isReference: (Int) -> Bool
    ) -> Bool {
        // So many pictures are not even between: a stream's words in each picture must not cost a walk for each.
        guard count <= target - restart else { return false }
        var left = count
        for picture in restart..<target where left > 0 {
            let flags = index.pictures.flags[picture + 1]
            guard flags.isDisjoint(with: [.disposable, .secondField]) else { continue }
            // Movie tables rarely say which pictures are references; counting others would believe too early.
            if !flags.contains(.verified), !isReference(picture + 1) { continue }
            left -= 1
            if left == 0 { return index.ranks[picture + 1] <= index.ranks[target] }
        }
        return left == 0
    }
}
