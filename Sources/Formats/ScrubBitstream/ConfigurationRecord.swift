/// The NAL units kept in a decoder configuration record (ISO/IEC 14496-15).
///
/// Damaged records give the units up to the damage: the caller finds out when a set is missing.
enum ConfigurationRecord {
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
