/// The action of a playlist at the end of an item.
public enum RepeatMode: Sendable, Hashable, CaseIterable {
    /// It goes on with the next item; after the last one it has ended.
    case off
    /// It shows the same item again. A person who skips goes on as with ``off``.
    case one
    /// It goes on with the first item after the last one.
    case all
}

/// Why a playlist is to leave its item for a neighbour.
public enum PlaylistAdvance: Sendable, Hashable {
    /// The item has been shown to its end.
    case automatic
    /// A person asked for a neighbour. No repetition holds that up.
    case skip
}

/// The action of a playlist when its item cannot be shown.
public enum FailurePolicy: Sendable, Hashable {
    /// It goes on with the next item that has not failed. Without one, the list has ended.
    case advance
    /// It stays with the failed item.
    case stay
}

/// Why a playlist's current item changed.
public enum PlaylistTransitionReason: Sendable, Hashable, CaseIterable {
    /// The item before it was shown to its end, or an interruption came or went.
    case automatic
    /// The same item is shown again, because of the repeat mode or its own repeat count.
    case `repeat`
    /// This very item was asked for.
    case seek
    /// A person asked for a neighbour.
    case skip
    /// The item before it was removed.
    case removed
    /// The list's items were replaced, or its first ones came.
    case playlistChanged
    /// The item before it could not be shown.
    case failed
}

/// A change of a playlist's current item.
///
/// Thread safety: a value.
public struct PlaylistTransition<ID: Hashable & Sendable, Place: Sendable>: Sendable {
    /// The item that was current; `nil` when there was none.
    public let from: ID?
    /// The item that is current now, the same one when it is repeated; `nil` when the list has ended.
    public let to: ID?
    /// Why.
    public let reason: PlaylistTransitionReason
    /// The place at which ``to`` goes on, if an interruption is over; `nil`: it begins.
    public let place: Place?

    /// Makes the value. A playlist does; a program that stands in for one may too.
    public init(from: ID?, to: ID?, reason: PlaylistTransitionReason, place: Place?) {
        (self.from, self.to, self.reason, self.place) = (from, to, reason, place)
    }
}

extension PlaylistTransition: Equatable where Place: Equatable {}
extension PlaylistTransition: Hashable where Place: Hashable {}

/// The outcome of an edit of a playlist.
///
/// Thread safety: a value.
public struct PlaylistEdit<ID: Hashable & Sendable, Place: Sendable>: Sendable {
    /// Whether the list was edited. An edit that is refused changes nothing at all.
    public let isApplied: Bool
    /// The change of the current item that it brought; `nil` when that goes on undisturbed.
    public let transition: PlaylistTransition<ID, Place>?

    /// Makes the value. A playlist does; a program that stands in for one may too.
    public init(isApplied: Bool, transition: PlaylistTransition<ID, Place>?) {
        (self.isApplied, self.transition) = (isApplied, transition)
    }
}

extension PlaylistEdit: Equatable where Place: Equatable {}
extension PlaylistEdit: Hashable where Place: Hashable {}
