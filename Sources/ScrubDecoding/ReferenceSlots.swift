internal import ScrubIndex

/// What an AV1 decoder's eight reference slots hold after what it was fed (7.20). Pure.
struct ReferenceSlots {
    /// For each slot the unit in it, counted by the table.
    private(set) var units = [Int?](repeating: nil, count: 8)
    private let table: DependencyTable

    /// - Parameter fed: everything since the restart, all of it described by the table.
    init(fed: [Feed], table: DependencyTable) {
        self.table = table
        for feed in fed where feed.picture >= table.firstPicture && feed.picture < table.endPicture {
            for (bit, unit) in table.units(of: feed.picture).enumerated()
            where feed.omitted.isEmpty || feed.units >> UInt64(bit) & 1 == 1 {
                for slot in 0..<8 where table.slots[unit] >> UInt8(slot) & 1 == 1 { units[slot] = unit }
            }
        }
    }

    /// A slot whose frame can be shown once more without a change: any but a key frame's, which would take every
    /// slot when it is shown (7.21).
    var repeatable: Int? {
        units.firstIndex { unit in unit.map { !table.traits[$0].contains(.key) } ?? false }
    }
}
