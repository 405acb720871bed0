/// An app's own metadata about an item, of any hashable type.
///
/// Values of different types are unequal; values of the same type are compared with `==`.
///
/// Thread safety: a value type.
public struct ItemMetadata: Sendable, Hashable {
    private let value: any Sendable
    private let isEqual: @Sendable (any Sendable) -> Bool
    private let hash: @Sendable (inout Hasher) -> Void

    /// Wraps an app's value.
    public init<Value: Hashable & Sendable>(_ value: Value) {
        self.value = value
        isEqual = { $0 as? Value == value }
        hash = { value.hash(into: &$0) }
    }

    /// Returns the value if it is of the given type.
    public func value<Value>(as type: Value.Type = Value.self) -> Value? { value as? Value }

    /// Returns whether both wrap equal values of the same type.
    public static func == (a: ItemMetadata, b: ItemMetadata) -> Bool { a.isEqual(b.value) }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hash(&hasher) }
}
