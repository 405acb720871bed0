/// The NAL units in a decoder configuration record (ISO/IEC 14496-15).
///
/// For a damaged record, the units before the damage are returned; the caller notices if a set is missing.
package enum ConfigurationRecord {
    /// Returns the ranges of the parameter sets in an avcC record (5.3.3.1.2).
    static func avcUnits(_ record: Span<UInt8>) -> [Range<Int>] { walkAVC(record).units }

    /// Returns the ranges of the parameter sets in an hvcC record (8.3.3.1.2).
    static func hevcUnits(_ record: Span<UInt8>) -> [Range<Int>] { walkHEVC(record).units }

    private static func walkAVC(_ record: Span<UInt8>) -> Walk {
        guard record.count > 6 else { return Walk(isWhole: false) }
        var walk = Walk(position: 5)
        // The low five bits count the sequence sets, the following byte the picture sets.
        for mask in [UInt8(0x1F), 0xFF] { walk.take(countBytes: 1, mask: Int(mask), of: record) }
        return walk
    }

    private static func walkHEVC(_ record: Span<UInt8>) -> Walk {
        guard record.count > 22 else { return Walk(isWhole: false) }
        var walk = Walk(position: 23)
        for _ in 0..<Int(record[22]) {
            // array_completeness and NAL_unit_type, then numNalus.
            walk.position += 1
            walk.take(countBytes: 2, mask: 0xFFFF, of: record)
        }
        return walk
    }

    /// Whether a configuration within a stream is a record with all the sets that it counts, or begins with a start
    /// code. From any other configuration, libavcodec uses only some parts, such as some sets or the size of the
    /// lengths (h264_parse.c, hevc_parse.c).
    package static func isWhole(_ record: Span<UInt8>, codec: VideoCodec) -> Bool {
        if StartCode.isAtStart(of: record) { return true }
        switch codec {
        case .h264:
            let walk = walkAVC(record)
            guard walk.isWhole, record[0] == 1 else { return false }
            let sequences = Int(record[5] & 0x1f)
            return sequences > 0 && walk.units.count > sequences
                && walk.units.indices.allSatisfy {
                    record[walk.units[$0].lowerBound] & 0x1f == ($0 < sequences ? 7 : 8)
                }
        case .hevc:
            let walk = walkHEVC(record)
            return walk.isWhole && record[0] <= 1
                && walk.units.contains { record[$0.lowerBound] >> 1 & 0x3f == 33 }
        default: return true
        }
    }

    /// An iteration over a record.
    private struct Walk {
        /// The units' ranges, none of which is empty.
        var units: [Range<Int>] = []
        var position = 0
        /// Whether all counted units are present and not empty.
        var isWhole = true

        /// Reads a list of units: their number, then each with its length in two bytes.
        mutating func take(countBytes: Int, mask: Int, of record: Span<UInt8>) {
            guard let count = record.bigEndian(at: position, bytes: countBytes) else { return end(record) }
            position += countBytes
            for _ in 0..<count & mask {
                guard let length = record.bigEndian(at: position, bytes: 2), length <= record.count - position - 2
                else { return end(record) }
                let start = position + 2
                if length > 0 { units.append(start..<start + length) } else { isWhole = false }
                position = start + length
            }
        }

        /// Ends the iteration at damage.
        private mutating func end(_ record: Span<UInt8>) { (position, isWhole) = (record.count, false) }
    }
}
