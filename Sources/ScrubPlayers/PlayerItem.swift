/// An item of a player's playlist.
public struct PlayerItem: Sendable {
    /// An item's own identity, apart from the medium's: one film may be in a list twice.
    public struct ID: Hashable, Sendable {
        package let value: Int
        package init(_ value: Int) { self.value = value }
    }
}
