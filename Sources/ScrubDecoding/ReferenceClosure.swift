internal import FileIO
package import ScrubIndex

/// What pictures need to be decoded, and nothing else: the targets, what they are predicted from, what that is
/// predicted from, and so on. Pure.
package enum ReferenceClosure {
    /// The packets, or their parts, to feed for some targets.
    ///
    /// - Parameters:
    ///   - targets: coded pictures, each with its second field if it has one.
    ///   - restart: where decoding begins; it is always fed.
    ///   - table: describes all packets from the restart to the last target.
    /// - Returns: ascending; nothing when the order counts of the rest could not be derived by a decoder.
    package static func feeds(for targets: [Int], from restart: Int, in table: DependencyTable) -> [Feed]? {
        guard let last = targets.max(), restart <= last else { return nil }
        let start = table.units(of: restart).lowerBound
        var needed = [Bool](repeating: false, count: table.units(of: last).upperBound - start)
        for unit in table.units(of: restart) { needed[unit - start] = true }
        for target in targets {
            for unit in units(of: target, in: table) { needed[unit - start] = true }
        }
        // Each round makes one more anchor needed, so this ends; a stream that needs many is not worth the trouble.
        for _ in 0..<64 {
            guard complete(&needed, from: start, in: table) else { return nil }
            guard let anchor = missingAnchor(needed, from: start, in: table) else {
                return packets(needed, restart: restart, last: last, from: start, in: table)
            }
            needed[anchor - start] = true
        }
        return nil
    }

    /// The units that make a target's picture: those of its packet that show, or all where none is said to.
    static func units(of target: Int, in table: DependencyTable) -> [Int] {
        let units = table.units(of: target)
        let shown = units.filter { table.traits[$0].contains(.shown) }
        return shown.isEmpty ? Array(units) : shown
    }

    /// Adds what the needed units are predicted from, backwards in one pass: references are always earlier.
    ///
    /// - Returns: false when a reference lies before the restart.
    private static func complete(_ needed: inout [Bool], from start: Int, in table: DependencyTable) -> Bool {
        var needsAll = false
        for place in needed.indices.reversed() {
            let traits = table.traits[start + place]
            if traits.contains(.sticky) || (needsAll && traits.contains(.reference)) { needed[place] = true }
            guard needed[place] else { continue }
            if traits.contains(.needsAllReferences) { needsAll = true }
            for reference in table.references(of: start + place) {
                guard reference >= start else { return false }
                needed[reference - start] = true
            }
        }
        return true
    }

    /// An anchor without which a decoder would derive another order count for some needed unit.
    ///
    /// HEVC slices carry the low bits of their order count; the rest comes from the last anchor that was fed
    /// (ITU-T H.265 8.3.1): within half the range of the low bits of it, above or below.
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

    /// The needed units by packets.
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
