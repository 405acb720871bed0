internal import ScrubBase

/// In which order the answers to many frames come.
package enum BatchOrder: Sendable {
    /// As soon as they are there.
    case any
    /// As soon as they are there; the first groups lie all over the film.
    case coarseFirst
    /// Group by group in the film's order; inside a group as decoding reaches them. Each thread keeps at most so many
    /// answers that are not yet in turn, 1 or more.
    case film(ahead: Int)
}

extension BatchOrder {
    /// The number of answers that may wait for their turn; `nil` for an order without turns.
    var ahead: Int? {
        if case .film(let ahead) = self { ahead } else { nil }
    }

    /// Groups, or their restarts, which are in the film's order, in the order in which they are begun.
    func arranging<Group>(_ groups: [Group]) -> [Group] {
        guard case .coarseFirst = self else { return groups }
        return BitReversal.order(groups.count).map { groups[$0] }
    }
}
