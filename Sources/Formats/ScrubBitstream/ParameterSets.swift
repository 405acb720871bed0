/// Parameter sets of one kind, by id. It records whether any were ever added or redefined.
///
/// Streams repeat their parameter sets at every restart, nearly always unchanged. A set whose bytes are known is
/// neither parsed again nor counted as a change.
struct ParameterSets<Value: Sendable>: Sendable {
    private struct Stored {
        let bytes: [UInt8]
        let value: Value
        let version: Int
    }
    private var stored: [Int: Stored] = [:]
    private var versions = 0

    /// The set last seen with this id.
    subscript(id: Int) -> Value? { stored[id]?.value }

    /// Any set, for facts that all of a stream's sets share.
    var first: Value? { stored.min { $0.key < $1.key }?.value.value }

    /// Returns the id of the active set that has exactly these bytes.
    func id(of bytes: Span<UInt8>) -> Int? {
        stored.first { _, set in
            guard set.bytes.count == bytes.count else { return false }
            for index in bytes.indices where set.bytes[index] != bytes[index] { return false }
            return true
        }?.key
    }

    /// Whether a set with exactly these bytes is active.
    func contains(_ bytes: Span<UInt8>) -> Bool { id(of: bytes) != nil }

    /// The number of the change that activated the set with the given id; 0 if there is none. Two sets with the same
    /// number are equal.
    func version(_ id: Int) -> Int { stored[id]?.version ?? 0 }

    /// Activates a set in place of the previous one with the id.
    mutating func store(_ value: Value, id: Int, bytes: Span<UInt8>) {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in bytes.indices { copy.append(bytes[index]) }
        versions += 1
        stored[id] = Stored(bytes: copy, value: value, version: versions)
    }

    /// Removes active sets.
    mutating func remove(where isGone: (Value) -> Bool) {
        for (id, set) in stored where isGone(set.value) { stored[id] = nil }
    }
}
