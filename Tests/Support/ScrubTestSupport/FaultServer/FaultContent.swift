import Foundation

/// The bytes of a resource: an array, a file, or the results of a function.
package struct FaultContent: Sendable {
    package let byteCount: Int64
    /// The bytes of a range, which lies inside.
    package let read: @Sendable (Range<Int64>) -> [UInt8]

    package init(byteCount: Int64, read: @escaping @Sendable (Range<Int64>) -> [UInt8]) {
        (self.byteCount, self.read) = (byteCount, read)
    }

    package init(_ bytes: [UInt8]) {
        self.init(byteCount: Int64(bytes.count)) { Array(bytes[Int($0.lowerBound)..<Int($0.upperBound)]) }
    }

    /// A file, which is read as it is asked for.
    package init(file path: String) throws {
        let file = try OpenFile(path)
        self.init(byteCount: file.byteCount, read: file.read)
    }

    /// Bytes that differ at every place and from seed to seed, of any number: nothing is kept in memory.
    package static func made(_ byteCount: Int64, seed: UInt64) -> FaultContent {
        FaultContent(byteCount: byteCount) { range in range.map { madeByte($0, seed: seed) } }
    }

    /// The byte of ``made(_:seed:)`` at a place.
    package static func madeByte(_ place: Int64, seed: UInt64) -> UInt8 {
        var mixed = UInt64(bitPattern: place) &+ seed &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return UInt8(truncatingIfNeeded: mixed >> 32)
    }
}

/// An open file.
private final class OpenFile: Sendable {
    private let descriptor: Int32
    let byteCount: Int64

    init(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CocoaError(.fileNoSuchFile) }
        byteCount = Int64(lseek(descriptor, 0, SEEK_END))
    }

    deinit { close(descriptor) }

    @Sendable func read(_ range: Range<Int64>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while count < buffer.count, let base = buffer.baseAddress {
                let some = pread(descriptor, base + count, buffer.count - count, Int(range.lowerBound) + count)
                guard some > 0 else { break }
                count += some
            }
        }
    }
}
