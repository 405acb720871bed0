/// One block of a track: its payload's place, and the facts in its headers (RFC 9559, 10).
package struct Block: Sendable, Equatable {
    /// The payload's first byte in the file.
    package var offset: Int64
    /// Bytes of the payload, at least one.
    package var size: UInt32
    /// The presentation time in units of the segment's TimestampScale, never negative.
    package var timestamp: Int64
    /// SimpleBlock's keyframe flag (10.2), or that a BlockGroup names no reference (5.1.3.5.5).
    package var isKey: Bool
    /// The invisible flag (10.1): decoded, but not to be shown.
    package var isInvisible: Bool
    /// BlockDuration (5.1.3.5.3) in the same units as the time; `nil` when the block has none.
    package var duration: UInt64?
    /// The range of the block's transparency (BlockAdditional with a BlockAddID of 1, 5.1.3.5.2); `nil` if it has none,
    /// or was not asked for it.
    package var alpha: Range<Int64>?
}

/// The fields before the payload in a Block or SimpleBlock (10.1, 10.2).
struct BlockHeader {
    let track: UInt64
    /// Units from the cluster's timestamp.
    let relativeTime: Int16
    private let flags: UInt8
    let length: Int

    /// The track's number, the time and the flags.
    static let maximumLength = 8 + 2 + 1

    /// Reads a header; `nil` when the bytes hold none.
    @inline(__always)
    init?(_ bytes: Span<UInt8>) {
        guard let number = VariableInteger(bytes, at: 0, limit: 8), bytes.count >= number.length + 3 else {
            return nil
        }
        track = number.value
        let high = UInt16(bytes[number.length]) << 8
        relativeTime = Int16(bitPattern: high | UInt16(bytes[number.length + 1]))
        flags = bytes[number.length + 2]
        length = number.length + 3
    }

    /// SimpleBlock only.
    var isKey: Bool { flags & 0x80 != 0 }
    var isInvisible: Bool { flags & 0x08 != 0 }
    /// Whether several frames share the block (10.3).
    var isLaced: Bool { flags & 0x06 != 0 }
}
