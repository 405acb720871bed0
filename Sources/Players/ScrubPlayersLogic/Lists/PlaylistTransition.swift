/// What a playlist does at the end of an item.
public enum RepeatMode: Sendable, Hashable, CaseIterable {
    /// The list continues with the next item, and ends after the last one.
    case off
    /// The list shows the same item again. A user's skip works as with ``off``.
    case one
    /// The list continues with the first item after the last one.
    case all
}

/// The reason why a playlist goes from its current item to an adjacent one.
public enum PlaylistAdvanceReason: Sendable, Hashable {
    /// The item was shown to its end.
    case automatic
    /// A user requested the adjacent item. Repeats do not prevent it.
    case skip
}

/// What a playlist does if its current item cannot be shown.
public enum FailurePolicy: Sendable, Hashable {
    /// The list continues with the next item that has not failed. If there is none, the list has ended.
    case advance
    /// The list stays on the failed item.
    case stay
}

/// The reason why a playlist's current item changed.
public enum PlaylistTransitionReason: Sendable, Hashable, CaseIterable {
    /// The previous item was shown to its end, or an interruption began or ended.
    case automatic
    /// The same item is shown again, because of the repeat mode or the item's repeat count.
    case `repeat`
    /// This particular item was requested.
    case seek
    /// A user requested the adjacent item.
    case skip
    /// The previous item was removed.
    case removed
    /// The list's items were replaced, or its first ones were added.
    case playlistChanged
    /// The previous item could not be shown.
    case failed
}

/// A change of a playlist's current item.
///
/// Thread safety: a value type.
public struct PlaylistTransition<ID: Hashable & Sendable, Place: Sendable>: Sendable {
    /// The previous item; `nil` if there was none.
    public let from: ID?
    /// The new current item, which is the same item if it repeats; `nil` if the list has ended.
    public let to: ID?
    /// The reason for the change.
    public let reason: PlaylistTransitionReason
    /// The position at which ``to`` resumes after an interruption; `nil` if it starts at its beginning.
    public let place: Place?

    /// Creates a value. Only code that replaces a playlist needs this initializer.
    public init(from: ID?, to: ID?, reason: PlaylistTransitionReason, place: Place?) {
        (self.from, self.to, self.reason, self.place) = (from, to, reason, place)
    }
}

extension PlaylistTransition: Equatable where Place: Equatable {}
extension PlaylistTransition: Hashable where Place: Hashable {}

/// The outcome of an edit of a playlist.
///
/// Thread safety: a value type.
public struct PlaylistEdit<ID: Hashable & Sendable, Place: Sendable>: Sendable {
    /// Whether the list was edited. A rejected edit changes nothing.
    public let isApplied: Bool
    /// The resulting change of the current item; `nil` if the current item continues undisturbed.
    public let transition: PlaylistTransition<ID, Place>?

    /// Creates a value. Only code that replaces a playlist needs this initializer.
    public init(isApplied: Bool, transition: PlaylistTransition<ID, Place>?) {
        (self.isApplied, self.transition) = (isApplied, transition)
    }
}

extension PlaylistEdit: Equatable where Place: Equatable {}
extension PlaylistEdit: Hashable where Place: Hashable {}
