/// A block of a track: its payload's location and the information in its headers (RFC 9559, 10).
package struct Block: Sendable, Equatable {
    /// The offset of the payload in the file.
    package var offset: Int64
    /// The size of the payload in bytes, at least one.
    package var size: UInt32
    /// The presentation time in units of the segment's TimestampScale, never negative.
    package var timestamp: Int64
    /// SimpleBlock's keyframe flag (10.2), or whether a BlockGroup has no reference (5.1.3.5.5).
    package var isKey: Bool
    /// The invisible flag (10.1): the block is decoded but not shown.
    package var isInvisible: Bool
    /// BlockDuration (5.1.3.5.3) in the same units as the time; `nil` if the block has none.
    package var duration: UInt64?
    /// The range of the block's transparency (BlockAdditional with a BlockAddID of 1, 5.1.3.5.2); `nil` if it has none
    /// or transparency was not requested.
    package var alpha: Range<Int64>?
}

/// The fields before the payload in a Block or SimpleBlock (10.1, 10.2).
struct BlockHeader {
    let track: UInt64
    /// The time relative to the cluster's timestamp.
    let relativeTime: Int16
    private let flags: UInt8
    let length: Int

    /// The maximum size of the track's number, the time and the flags.
    static let maximumLength = 8 + 2 + 1

    /// Reads a header; `nil` if there is none in the bytes.
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

    /// The keyframe flag, in a SimpleBlock only.
    var isKey: Bool { flags & 0x80 != 0 }
    var isInvisible: Bool { flags & 0x08 != 0 }
    /// Whether several frames share the block (10.3).
    var isLaced: Bool { flags & 0x06 != 0 }
}
