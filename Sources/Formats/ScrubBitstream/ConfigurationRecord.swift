/// The NAL units kept in a decoder configuration record (ISO/IEC 14496-15).
///
/// Damaged records give the units up to the damage: the caller finds out when a set is missing.
package enum ConfigurationRecord {
    /// Returns the places of the parameter sets in an avcC record (5.3.3.1.2).
    static func avcUnits(_ record: Span<UInt8>) -> [Range<Int>] {
        var units: [Range<Int>] = []
        guard record.count > 6 else { return units }
        var position = 5
        // The low five bits count the sequence sets, the following byte the picture sets.
        for mask in [UInt8(0x1F), 0xFF] {
            guard position < record.count else { break }
            let count = Int(record[position] & mask)
            position += 1
            appendUnits(count: count, in: record, at: &position, to: &units)
        }
        return units
    }

    /// Returns the places of the parameter sets in an hvcC record (8.3.3.1.2).
    static func hevcUnits(_ record: Span<UInt8>) -> [Range<Int>] {
        var units: [Range<Int>] = []
        guard record.count > 22 else { return units }
        var position = 23
        for _ in 0..<Int(record[22]) {
            // array_completeness and NAL_unit_type, then numNalus.
            guard position + 3 <= record.count else { break }
            let count = Int(record[position + 1]) << 8 | Int(record[position + 2])
            position += 3
            appendUnits(count: count, in: record, at: &position, to: &units)
        }
        return units
    }

    /// Whether a configuration within a stream is a record with all the sets that it counts, or begins with a start
    /// code. libavcodec takes part of what others hold: some sets, or the size of the lengths (h264_parse.c,
    /// hevc_parse.c).
    package static func isWhole(_ record: Span<UInt8>, codec: VideoCodec) -> Bool {
        if StartCode.isAtStart(of: record) { return true }
        switch codec {
        case .h264:
            guard record.count > 6, record[0] == 1 else { return false }
            let units = avcUnits(record)
            let sequences = Int(record[5] & 0x1f)
            guard sequences > 0, units.count > sequences, units.allSatisfy({ !$0.isEmpty }) else { return false }
            let end = units[sequences - 1].upperBound
            return units.count == sequences + Int(record[end])
                && units.indices.allSatisfy { record[units[$0].lowerBound] & 0x1f == ($0 < sequences ? 7 : 8) }
        case .hevc:
            guard record.count > 22, record[0] <= 1 else { return false }
            let units = hevcUnits(record)
            return units.contains { !$0.isEmpty && record[$0.lowerBound] >> 1 & 0x3f == 33 }
        default: return true
        }
    }

    private static func appendUnits(
        count: Int, in record: Span<UInt8>, at position: inout Int, to units: inout [Range<Int>]
    ) {
        for _ in 0..<count {
            guard position + 2 <= record.count else { return }
            let length = Int(record[position]) << 8 | Int(record[position + 1])
            let start = position + 2
            guard start + length <= record.count else {
                position = record.count
                return
            }
            if length > 0 { units.append(start..<start + length) }
            position = start + length
        }
    }
}
