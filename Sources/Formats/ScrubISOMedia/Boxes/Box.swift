import ScrubBase

/// A box inside a buffer that was read in full (ISO/IEC 14496-12, 4.2).
struct Box: Sendable {
    /// The type of the box.
    let type: FourCC
    /// The range of the box in the buffer, including its header.
    let range: Range<Int>
    /// The range of the bytes after the header.
    let body: Range<Int>

    /// Returns the consecutive boxes in `range` of `bytes`.
    ///
    /// Nothing here throws. Like players, this code accepts as much as it can of a container with a damaged end. A
    /// child that claims more bytes than its parent has is truncated, and a size smaller than the header ends the list.
    /// Four zero bytes at the end are the terminator that QuickTime writes after user data.
    static func children(
        of bytes: [UInt8], in range: Range<Int>, path: @autoclosure () -> String, warnings: inout [String]
    ) -> [Box] {
        var boxes: [Box] = []
        let span = bytes.span
        var position = range.lowerBound
        while range.upperBound - position >= 8 {
            let type = FourCC(rawValue: bigEndian32(span, at: position + 4))
            var header = 8
            var size = UInt64(bigEndian32(span, at: position))
            if size == 1 {
                guard range.upperBound - position >= 16 else { break }
                header = 16
                size = bigEndian64(span, at: position + 8)
            } else if size == 0 {
                // "To the end": the standard allows this only at the top level, but writers use it elsewhere too. If
                // the type is also zero, it is padding, not a box.
                if type.rawValue == 0 { break }
                size = UInt64(range.upperBound - position)
            }
            guard size >= UInt64(header) else {
                warnings.append("\(path()): the box at byte \(position) has the invalid size \(size)")
                break
            }
            let room = UInt64(range.upperBound - position)
            if size > room {
                warnings.append("\(path())/\(type): claims \(size) bytes, but its container has room for \(room)")
                size = room
            }
            let end = position + Int(size)
            boxes.append(Box(type: type, range: position..<end, body: position + header..<end))
            position = end
        }
        return boxes
    }
}

extension Box {
    /// Whether the box is PIFF's sample encryption, `senc` before the standard had it: a `uuid` box of type
    /// A2394F52-5A9B-4F14-A244-6C427C648DF4 (Protected Interoperable File Format 1.1, 5.3.2.1). Smooth Streaming has
    /// other such boxes in each fragment.
    func isSampleEncryption(in bytes: Span<UInt8>) -> Bool {
        guard type == .uuid, body.count >= 16 else { return false }
        return bigEndian64(bytes, at: body.lowerBound) == 0xA239_4F52_5A9B_4F14
            && bigEndian64(bytes, at: body.lowerBound + 8) == 0xA244_6C42_7C64_8DF4
    }

    /// Returns the version and flags at the start of a full box, and the position of its fields (ISO/IEC 14496-12,
    /// 4.2).
    func fullHeader(in bytes: [UInt8]) throws(ScrubError) -> (
        version: UInt8, flags: UInt32, fields: Range<Int>
    ) {
        guard body.count >= 4 else {
            throw ScrubError(.badData, "is too short for its version", place: .box("\(type)"))
        }
        let word = bigEndian32(bytes.span, at: body.lowerBound)
        return (UInt8(word >> 24), word & 0xFF_FFFF, body.lowerBound + 4..<body.upperBound)
    }

    /// Returns a table of fixed-width rows after a version and a 32-bit row count, verified to be inside the box.
    ///
    /// - Parameter tolerant: whether to reduce a count for which the box has no room, instead of throwing.
    func rows(
        in bytes: [UInt8], width: Int, tolerant: Bool, path: String, warnings: inout [String]
    ) throws(ScrubError) -> Rows {
        guard body.count >= 8 else {
            throw ScrubError(.badData, "is too short for its entry count", place: .box("\(path)/\(type)"))
        }
        let claimed = Int(bigEndian32(bytes.span, at: body.lowerBound + 4))
        let room = (body.count - 8) / width
        if claimed > room {
            let cause = "claims \(claimed) entries but has room for \(room)"
            // A table that is slightly too short has lost its end. If it is larger than the entire movie box, the
            // number is wrong, and nothing derived from it can be trusted.
            guard tolerant, claimed <= bytes.count / width else {
                throw ScrubError(.badData, cause, place: .box("\(path)/\(type)"))
            }
            warnings.append("\(path)/\(type): \(cause)")
        }
        return Rows(start: body.lowerBound + 8, count: min(claimed, room))
    }
}

/// The offset of a table's first row in its buffer, and the number of rows.
struct Rows: Sendable {
    var start: Int
    var count: Int
    static let none = Rows(start: 0, count: 0)
}
