internal import ScrubFileIO
internal import ScrubBase

extension DependencyTable {
    /// Appends the table's columns.
    func write(to out: inout BinaryWriter) {
        for number in [firstPicture, orderBits, canRepeat ? 1 : 0] { out.write(UInt64(number)) }
        out.write(column: unitStarts)
        out.write(column: traits.map(\.rawValue))
        out.write(column: byteRanges.map(\.lowerBound))
        out.write(column: byteRanges.map(\.upperBound))
        out.write(column: referenceStarts)
        out.write(column: references)
        out.write(column: orderCounts)
        out.write(column: slots)
    }

    /// Reads a saved table.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if its numbers contradict each other, so that no cached data can crash the
    ///   process later.
    init(from bytes: inout BinaryReader) throws(ScrubError) {
        let (first, bits) = (try bytes.read(UInt64.self), try bytes.read(UInt64.self))
        guard let first = Int(exactly: first), first <= Int(UInt32.max), bits <= 16 else {
            throw IndexFile.contradiction
        }
        self.init(firstPicture: first)
        let repeats = try bytes.read(UInt64.self) == 1
        let starts = try bytes.readColumn(of: UInt32.self)
        let traits = try bytes.readColumn(of: UInt8.self).map { Traits(rawValue: $0) }
        let (lower, upper) = (try bytes.readColumn(of: UInt32.self), try bytes.readColumn(of: UInt32.self))
        let referenceStarts = try bytes.readColumn(of: UInt32.self)
        let references = try bytes.readColumn(of: UInt32.self)
        let orders = try bytes.readColumn(of: Int32.self)
        let slots = try bytes.readColumn(of: UInt8.self)
        let count = traits.count
        let isWhole = { (column: Int) in column == 0 || column == count }
        guard DependencyTable.isAscending(starts, to: count),
            DependencyTable.isAscending(referenceStarts, to: references.count),
            referenceStarts.count == count + 1, lower.count == upper.count, isWhole(lower.count), isWhole(orders.count),
            isWhole(slots.count), zip(lower, upper).allSatisfy({ $0 <= $1 }),
            // For packets of several units, the range of each is known, in ascending order.
            starts.count == count + 1 || lower.count == count,
            zip(starts, starts.dropFirst()).allSatisfy({ (first, end) in
                lower.isEmpty
                    || zip(first..<end, (first..<end).dropFirst()).allSatisfy { upper[Int($0)] <= lower[Int($1)] }
            }),
            zip(starts, starts.dropFirst()).allSatisfy({ $1 - $0 <= UInt32(DependencyTable.mostUnits) })
        else { throw IndexFile.contradiction }
        for unit in 0..<count {
            for i in Int(referenceStarts[unit])..<Int(referenceStarts[unit + 1]) where Int(references[i]) >= unit {
                throw IndexFile.contradiction
            }
        }
        restore(
            starts: starts, traits: traits, byteRanges: zip(lower, upper).map { $0..<$1 },
            referenceStarts: referenceStarts, references: references, orders: orders, orderBits: Int(bits),
            slots: slots, canRepeat: repeats)
    }

    /// Returns whether a column of starts begins with 0, never decreases, and ends with `end`.
    private static func isAscending(_ starts: [UInt32], to end: Int) -> Bool {
        guard starts.first == 0, Int(starts[starts.count - 1]) == end else { return false }
        return zip(starts, starts.dropFirst()).allSatisfy { $0 <= $1 }
    }
}
