internal import ScrubBase

/// The order of the answers for many frames.
package enum BatchOrder: Sendable {
    /// As soon as they are available.
    case any
    /// As soon as they are available; the first groups are spread over the whole video.
    case coarseFirst
    /// Group by group in video order; within a group, as decoding reaches the frames. Each thread holds at most `ahead`
    /// answers that are not yet due, 1 or more.
    case film(ahead: Int)
}

extension BatchOrder {
    /// The number of answers that may wait for their turn; `nil` for an order without turns.
    var ahead: Int? {
        if case .film(let ahead) = self { ahead } else { nil }
    }

    /// Returns groups or their restarts, given in the video's order, in the order in which they are started.
    func arranging<Group>(_ groups: [Group]) -> [Group] {
        guard case .coarseFirst = self else { return groups }
        return BitReversal.order(groups.count).map { groups[$0] }
    }
}
