internal import ScrubBase

/// Writes one message between a program and its worker: little-endian integers, and bytes preceded by their count.
package struct MessageWriter {
    /// The bytes that have been written.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func put(_ number: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    package mutating func put(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    package mutating func put(_ part: some Collection<UInt8>) {
        put(UInt32(clamping: part.count))
        bytes.append(contentsOf: part)
    }

    package mutating func put(_ part: UnsafeRawBufferPointer) {
        put(UInt32(clamping: part.count))
        unsafe bytes.append(contentsOf: part)
    }

    package mutating func put(_ text: String) { put(text.utf8) }

    /// Writes a flag, and the value if there is one.
    package mutating func put<Value>(_ value: Value?, _ body: (inout MessageWriter, Value) -> Void) {
        put(value != nil)
        if let value { body(&self, value) }
    }

    /// Writes a count, and the values.
    package mutating func put<Value>(all values: [Value], _ body: (inout MessageWriter, Value) -> Void) {
        put(UInt32(clamping: values.count))
        for value in values { body(&self, value) }
    }
}

/// Reads a message without trusting it: the other side may be under an attacker's control.
package struct MessageReader {
    private let bytes: [UInt8]
    private var place = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether the whole message has been read.
    package var isAtEnd: Bool { place == bytes.count }

    package mutating func number<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self
    ) throws(WorkerFailure) -> Number {
        let size = Number.bitWidth / 8
        guard bytes.count - place >= size else { throw .malformed("a message is too short") }
        defer { place += size }
        return unsafe bytes.withUnsafeBytes {
            unsafe Number(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: Number.self))
        }
    }

    package mutating func flag() throws(WorkerFailure) -> Bool { try number(UInt8.self) != 0 }

    package mutating func part() throws(WorkerFailure) -> [UInt8] {
        let count = Int(try number(UInt32.self))
        guard bytes.count - place >= count else { throw .malformed("a message is shorter than its declared length") }
        defer { place += count }
        return Array(bytes[place..<place + count])
    }

    /// Returns the same bytes without copying them.
    package mutating func slice() throws(WorkerFailure) -> ArraySlice<UInt8> {
        let count = Int(try number(UInt32.self))
        guard bytes.count - place >= count else { throw .malformed("a message is shorter than its declared length") }
        defer { place += count }
        return bytes[place..<place + count]
    }

    /// Reads a text; bytes that are not valid UTF-8 become replacement characters.
    package mutating func text() throws(WorkerFailure) -> String { String(decoding: try part(), as: UTF8.self) }

    package mutating func optional<Value>(
        _ body: (inout MessageReader) throws(WorkerFailure) -> Value
    ) throws(WorkerFailure) -> Value? {
        try flag() ? try body(&self) : nil
    }

    /// Reads a count and the values.
    ///
    /// - Parameter most: the maximum number of values; a larger count is rejected.
    package mutating func all<Value>(
        most: Int, _ body: (inout MessageReader) throws(WorkerFailure) -> Value
    ) throws(WorkerFailure) -> [Value] {
        let count = Int(try number(UInt32.self))
        guard count <= most else { throw .malformed("a message has \(count) elements, but the limit is \(most)") }
        var values: [Value] = []
        for _ in 0..<count { values.append(try body(&self)) }
        return values
    }
}

/// The reason why a worker can no longer be used. The worker is then ended in any case.
package enum WorkerFailure: Error, Hashable, Sendable {
    /// The worker's process ended, possibly by a signal.
    case ended(signal: Int32?)
    /// The worker did not answer in time.
    case late
    /// The worker sent an impossible value.
    case malformed(String)
    /// The worker cannot be started or cannot confine itself.
    case unavailable(String)
}
