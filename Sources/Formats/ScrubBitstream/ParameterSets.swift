/// Parameter sets of one kind by their id, which remembers whether one was ever added or redefined.
///
/// Streams repeat their parameter sets at every restart, nearly always unchanged. A set whose bytes are known is
/// neither parsed again nor counted as a change.
struct ParameterSets<Value: Sendable>: Sendable {
    private struct Stored {
        let bytes: [UInt8]
        let value: Value
    }
    private var stored: [Int: Stored] = [:]

    /// The set last seen with this id.
    subscript(id: Int) -> Value? { stored[id]?.value }

    /// Any set, for facts that all of a stream's sets share.
    var first: Value? { stored.min { $0.key < $1.key }?.value.value }

    /// Whether the set with exactly these bytes is in force.
    func contains(_ bytes: Span<UInt8>) -> Bool {
        stored.values.contains { set in
            guard set.bytes.count == bytes.count else { return false }
            for index in bytes.indices where set.bytes[index] != bytes[index] { return false }
            return true
        }
    }

    /// Puts a set in force in place of the one that had the id.
    mutating func store(_ value: Value, id: Int, bytes: Span<UInt8>) {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in bytes.indices { copy.append(bytes[index]) }
        stored[id] = Stored(bytes: copy, value: value)
    }
}
