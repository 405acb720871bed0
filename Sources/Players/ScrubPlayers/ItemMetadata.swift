/// An app's own facts about an item, in a type of its own.
///
/// Values of different types are different; of one type they are compared by `==`.
///
/// Thread safety: a value.
public struct ItemMetadata: Sendable, Hashable {
    private let value: any Sendable
    private let isEqual: @Sendable (any Sendable) -> Bool
    private let hash: @Sendable (inout Hasher) -> Void

    /// Takes an app's value.
    public init<Value: Hashable & Sendable>(_ value: Value) {
        self.value = value
        isEqual = { $0 as? Value == value }
        hash = { value.hash(into: &$0) }
    }

    /// Returns the value, if it is of that type.
    public func value<Value>(as type: Value.Type = Value.self) -> Value? { value as? Value }

    /// Whether both have a value of one type, and equal ones.
    public static func == (a: ItemMetadata, b: ItemMetadata) -> Bool { a.isEqual(b.value) }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hash(&hasher) }
}
