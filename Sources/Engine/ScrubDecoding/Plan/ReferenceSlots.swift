internal import ScrubIndex

/// The contents of an AV1 decoder's eight reference slots after the fed units (7.20), and the units to feed for a
/// picture from there on. Pure.
///
/// A frame depends only on the frames in the slots to which it refers: their pictures, contexts and motion (7.20). A
/// decoder may therefore continue at any position, even an earlier one, as long as every slot has the same content as
/// in the whole stream.
struct ReferenceSlots {
    /// A frame, by its packet and its index among the packet's units.
    struct Content: Hashable {
        let picture: Int
        let bit: Int
    }

    /// The frame in each slot; `nil` if it is unknown.
    private(set) var contents = [Content?](repeating: nil, count: 8)
    /// The farthest packet that was fed.
    private var furthest = -1
    /// The units of each packet that were fed. A unit that caused no error does not have to be fed again for error
    /// detection.
    private var heard: [Int: UInt64] = [:]

    /// Records the units given to a decoder.
    ///
    /// - Parameter table: describes the packet; if it does not, all slots become unknown.
    mutating func take(_ feed: Feed, in table: DependencyTable?) {
        furthest = max(furthest, feed.picture)
        heard[feed.picture, default: 0] |= feed.units
        guard let table, table.describes(feed.picture) else {
            contents = [Content?](repeating: nil, count: 8)
            return
        }
        for (bit, unit) in table.units(of: feed.picture).enumerated() where feed.units >> UInt64(bit) & 1 == 1 {
            for slot in contents.indices where table.takes(unit, slot: slot) {
                contents[slot] = Content(picture: feed.picture, bit: bit)
            }
        }
    }

    /// Returns approximately the first packet that can be reached from here. Encoders keep the frames on which others
    /// are based in a few slots and change the rest constantly, so half of the slots are decisive.
    func reach(from restart: Int) -> Int {
        contents.map { $0?.picture ?? .max }.filter { $0 > restart }.sorted().dropFirst(3).first ?? restart
    }

    /// Returns a slot whose frame can be shown again without side effects: any slot except one with a key frame, which
    /// would set every slot when shown (7.21).
    func repeatable(in table: DependencyTable) -> Int? {
        units(in: table).firstIndex { unit in unit.map { !table.traits[$0].contains(.key) } ?? false }
    }

    /// Returns the minimum to feed for targets, with the current slots.
    ///
    /// - Parameters:
    ///   - targets: coded pictures.
    ///   - restart: the picture at which the decoder began; everything fed to it belongs to this restart's group.
    ///   - table: describes all packets from the restart to the last target.
    /// - Returns: the packets in ascending order; `nil` if the restart must be fed again, which is a new start.
    func feeds(for targets: [Int], from restart: Int, in table: DependencyTable) -> [Feed]? {
        guard let last = targets.max(), last >= restart, table.describes(last), table.describes(max(last, furthest))
        else { return nil }
        let begin = table.units(of: restart)
        let end = table.units(of: last).upperBound
        // A unit that changes the decoder as a whole is irreversible.
        let passed = begin.upperBound..<table.units(of: max(last, furthest)).upperBound
        guard passed.allSatisfy({ table.traits[$0].isDisjoint(with: [.sticky, .needsAllReferences]) }) else {
            return nil
        }
        let wanted = ReferenceSlots.history(begin.lowerBound..<end, table)
        let before = units(in: table)
        var needed = [Bool](repeating: false, count: end - begin.lowerBound)
        for target in targets {
            for unit in ReferenceClosure.units(of: target, in: table) { need(unit, &needed, begin.lowerBound, table) }
        }
        for witness in ReferenceClosure.witnesses(from: restart, through: last, in: table)
        where !isHeard(witness, table) {
            need(witness, &needed, begin.lowerBound, table)
        }
        while true {
            var (misses, additions) = (0, 0)
            var held = before
            for place in needed.indices where needed[place] {
                let unit = begin.lowerBound + place
                for reference in table.references(of: unit) {
                    let there = wanted[8 * place..<8 * place + 8]
                    guard there.contains(reference) else { return nil }
                    let isThere = (0..<8).allSatisfy { there[8 * place + $0] != reference || held[$0] == reference }
                    guard !isThere else { continue }
                    misses += 1
                    // A key frame sets every slot, so none of the decoder's contents would remain.
                    guard reference >= begin.upperBound else { return nil }
                    if !needed[reference - begin.lowerBound] { additions += 1 }
                    need(reference, &needed, begin.lowerBound, table)
                }
                for slot in held.indices where table.takes(unit, slot: slot) { held[slot] = unit }
            }
            if misses == 0 { break }
            if additions == 0 { return nil }
        }
        guard !needed[..<begin.count].contains(true) else { return nil }
        return ReferenceClosure.packets(needed, restart: restart, last: last, from: begin.lowerBound, in: table)
    }

    private func isHeard(_ unit: Int, _ table: DependencyTable) -> Bool {
        let picture = table.packet(ofUnit: unit)
        return (heard[picture] ?? 0) >> UInt64(unit - table.units(of: picture).lowerBound) & 1 == 1
    }

    /// Marks a unit as needed, and the preceding units in its packet that were never fed, because an error in them
    /// would spoil it.
    private func need(_ unit: Int, _ needed: inout [Bool], _ start: Int, _ table: DependencyTable) {
        let picture = table.packet(ofUnit: unit)
        let units = table.units(of: picture)
        let fed = heard[picture] ?? 0
        for (bit, other) in (units.lowerBound..<unit).enumerated() where fed >> UInt64(bit) & 1 == 0 {
            needed[other - start] = true
        }
        needed[unit - start] = true
    }

    /// Returns the slots' frames as numbered in the table.
    private func units(in table: DependencyTable) -> [Int?] {
        contents.map { content in
            guard let content, table.describes(content.picture) else { return nil }
            return table.units(of: content.picture).lowerBound + content.bit
        }
    }

    /// Returns for each unit the contents of the eight slots before it if everything was decoded; -1 means empty.
    private static func history(_ units: Range<Int>, _ table: DependencyTable) -> [Int] {
        var slots = [Int](repeating: -1, count: 8)
        var history: [Int] = []
        history.reserveCapacity(8 * units.count)
        for unit in units {
            history += slots
            for slot in slots.indices where table.takes(unit, slot: slot) { slots[slot] = unit }
        }
        return history
    }
}
