internal import ScrubFileIO
package import ScrubIndex

/// The closure of the pictures required for decoding: the targets, their references, the references of those, and so
/// on. Pure.
///
/// For a packet of several units, everything up to the last needed one is fed. An error in an AV1 temporal unit spoils
/// the rest of it, so a linear decode does not output a picture after the error. A decoder that is not given the start
/// of the unit does not detect the error and outputs one. Units after the needed ones do not affect them.
package enum ReferenceClosure {
    /// Returns the packets or their parts to feed for targets.
    ///
    /// - Parameters:
    ///   - targets: coded pictures, each with its second field if it has one.
    ///   - restart: the picture at which decoding begins, which is always fed.
    ///   - table: describes all packets from the restart to the last target.
    ///   - witnesses: the witnesses up to the last target, if they are already known.
    /// - Returns: the packets in ascending order; `nil` if a decoder could not derive the order counts of the remaining
    ///   packets.
    package static func feeds(
        for targets: [Int], from restart: Int, in table: DependencyTable, witnesses: [Int]? = nil
    ) -> [Feed]? {
        guard let last = targets.max(), restart <= last else { return nil }
        let start = table.units(of: restart).lowerBound
        var needed = [Bool](repeating: false, count: table.units(of: last).upperBound - start)
        for unit in table.units(of: restart) { needed[unit - start] = true }
        for target in targets {
            for unit in units(of: target, in: table) { needed[unit - start] = true }
        }
        for witness in witnesses ?? self.witnesses(from: restart, through: last, in: table) {
            needed[witness - start] = true
        }
        // Each iteration adds a needed anchor, so this terminates; a stream that needs many anchors is not worth the
        // effort.
        for _ in 0..<64 {
            guard complete(&needed, packets: restart...last, from: start, in: table) else { return nil }
            guard let anchor = missingAnchor(needed, from: start, in: table) else {
                return packets(needed, restart: restart, last: last, from: start, in: table)
            }
            needed[anchor - start] = true
        }
        return nil
    }

    /// Returns the units of a target's picture: those of its packet that are shown, or all if none is marked as shown.
    static func units(of target: Int, in table: DependencyTable) -> [Int] {
        let units = table.units(of: target)
        let shown = units.filter { table.traits[$0].contains(.shown) }
        return shown.isEmpty ? Array(units) : shown
    }

    /// Returns the units without which skipped damage could still affect the targets.
    ///
    /// An AV1 frame that cannot be decoded leaves its reference slot unchanged. If the slot still holds a key frame
    /// then, the group's or a later one, a command may show it again, which sets all slots to that key frame (7.21).
    /// Every later picture is then different. Therefore, for each slot that is shown in between, the first frame that
    /// replaces a key frame in it is fed. Once it has been decoded cleanly, the slot no longer holds a key frame. A
    /// frame that is known to have been decoded cleanly before is not fed for this purpose again.
    static func witnesses(from restart: Int, through last: Int, in table: DependencyTable) -> [Int] {
        guard table.hasSlots else { return [] }
        // For each slot: the first frame since the last key frame in it.
        var first = [Int?](repeating: nil, count: 8)
        var found: Set<Int> = []
        for unit in table.units(of: restart)
            .upperBound..<max(table.units(of: restart).upperBound, table.units(of: last).upperBound)
        {
            // Frames that refresh no slot and have one reference look like such a command and count as one.
            let references = Array(table.references(of: unit))
            if table.traits[unit].contains(.shown), references.count == 1, table.takesNone(unit) {
                for slot in 0..<8 where table.takes(references[0], slot: slot) {
                    if let unit = first[slot] { found.insert(unit) }
                }
            }
            let isKey = table.traits[unit].contains(.key)
            for slot in 0..<8 where table.takes(unit, slot: slot) && (isKey || first[slot] == nil) {
                first[slot] = isKey ? nil : unit
            }
        }
        return found.sorted().filter { !table.soundUnits.contains($0) }
    }

    /// Adds the references of the needed units and the units before them in their packets, backward in one pass,
    /// because references are always earlier.
    ///
    /// - Returns: false if a reference is before the restart.
    private static func complete(
        _ needed: inout [Bool], packets: ClosedRange<Int>, from start: Int, in table: DependencyTable
    ) -> Bool {
        var needsAll = false
        for packet in packets.reversed() {
            let units = table.units(of: packet)
            let last = units.last { unit in
                let traits = table.traits[unit]
                return needed[unit - start] || traits.contains(.sticky) || (needsAll && traits.contains(.reference))
            }
            guard let last else { continue }
            for unit in units.lowerBound...last {
                needed[unit - start] = true
                if table.traits[unit].contains(.needsAllReferences) { needsAll = true }
                for reference in table.references(of: unit) {
                    guard reference >= start else { return false }
                    needed[reference - start] = true
                }
            }
        }
        return true
    }

    /// Returns an anchor without which a decoder would derive a wrong order count for a needed unit.
    ///
    /// HEVC slices contain the low bits of their order count. The rest is derived from the last fed anchor (ITU-T H.265
    /// 8.3.1): within half the range of the low bits above or below it.
    private static func missingAnchor(_ needed: [Bool], from start: Int, in table: DependencyTable) -> Int? {
        guard !table.orderCounts.isEmpty else { return nil }
        let half = 1 << max(0, table.orderBits - 1)
        var fed: Int?
        var passed: Int?
        for place in needed.indices {
            let unit = start + place
            let isAnchor = table.traits[unit].contains(.orderAnchor)
            guard needed[place] else {
                if isAnchor { passed = unit }
                continue
            }
            let order = Int(table.orderCounts[unit])
            if let fed, !(-half + 1...half).contains(order - fed), let passed { return passed }
            if isAnchor { (fed, passed) = (order, nil) }
        }
        return nil
    }

    /// Returns the needed units by packet.
    static func packets(
        _ needed: [Bool], restart: Int, last: Int, from start: Int, in table: DependencyTable
    ) -> [Feed] {
        var feeds: [Feed] = []
        for picture in restart...last {
            let units = table.units(of: picture)
            var (mask, count, omitted) = (UInt64(0), 0, [Range<Int>]())
            for (bit, unit) in units.enumerated() {
                if needed[unit - start] {
                    mask |= 1 << UInt64(bit)
                    count += 1
                } else if units.count > 1 {
                    let range = table.byteRanges[unit]
                    omitted.append(Int(range.lowerBound)..<Int(range.upperBound))
                }
            }
            guard count > 0 else { continue }
            feeds.append(
                count == units.count
                    ? Feed(picture: picture, unitCount: count)
                    : Feed(picture: picture, units: mask, unitCount: count, omitted: omitted))
        }
        return feeds
    }
}
