/// Tracks the reference picture sets of an HEVC stream (H.265 8.3.2).
struct HEVCDependencyParser: Sendable {
    private var parser: HEVCPictureParser
    /// The pictures of the decoded picture buffer that may still be referenced: unit numbers by PicOrderCntVal.
    private var buffer: [Int: Int] = [:]
    private var unitCount = 0

    init(extradata: Span<UInt8>) {
        parser = HEVCPictureParser(extradata: extradata)
    }

    /// Reads one packet, or returns `nil` if its first slice segment's header extends beyond the head.
    ///
    /// The reference picture set is the same in all slices of a picture (7.4.7.1), so the first segment is enough.
    mutating func parse(_ packet: Span<UInt8>, isWhole: Bool) -> PacketDependencies? {
        var end = packet.count
        if !isWhole {
            let slice = FirstSlice.endOfFirstSlice(in: packet, framing: parser.framing) { bytes in
                HEVCUnitHeader(bytes).map { $0.isSlice && $0.layer == 0 } ?? false
            }
            guard let slice else { return nil }
            end = slice
        }
        let access = parser.accessUnit(packet.extracting(0..<end), isWhole: isWhole)
        let picture = access.picture
        if !isWhole, !picture.isUnderstood { return nil }
        unitCount += 1
        guard picture.isUnderstood, picture.pictureCount == 1, let slice = access.firstSlice,
            let header = access.first, let order = picture.orderCount, let sequence = parser.activeSequence
        else {
            // The pictures that a lost one kept and dropped are unknown from now on.
            buffer = [:]
            var unknown = PacketDependencies.unknown(0..<packet.count)
            unknown.units[0].isSticky = access.isSticky
            return unknown
        }
        var dependencies = PacketDependencies()
        var unit = CodedUnit(bytes: 0..<packet.count)
        unit.isReference = picture.isReference
        unit.isSticky = access.isSticky
        unit.isShown = picture.isShown
        unit.orderCount = order
        unit.isOrderAnchor = header.isOrderAnchor
        unit.orderBits = sequence.orderBits
        // Decoders skip the RASL pictures of an IRAP picture at which they start (8.1.3), so these change nothing.
        if access.isDropped {
            unit.needsAllReferences = true
            dependencies.isProven = false
        } else {
            let set = ReferenceSet(slice, order: order, orderBits: sequence.orderBits)
            // An IRAP picture with NoRaslOutputFlag empties the buffer, whatever its header says.
            if picture.startsSequence { buffer = [:] }
            let isKnown = take(set, isStart: picture.startsSequence, into: &unit)
            dependencies.isProven = isKnown && !access.hasOtherLayers && !access.repeatsOrder
            buffer[order] = unitCount - 1
        }
        dependencies.units = [unit]
        return dependencies
    }

    /// Determines the unit's references and drops everything outside the set. Returns whether all references are known.
    private mutating func take(_ set: ReferenceSet, isStart: Bool, into unit: inout CodedUnit) -> Bool {
        guard !isStart else { return true }
        let used = set.used.compactMap { buffer[$0] }
        let isKnown = used.count == set.used.count && set.isExact
        if isKnown {
            unit.references = Set(used).sorted()
        } else {
            unit.needsAllReferences = true
            unit.isReference = true
        }
        // Without its high part, a long-term reference could be any of the pictures, so all are kept.
        if set.isExact { buffer = buffer.filter { set.used.contains($0.key) || set.kept.contains($0.key) } }
        return isKnown
    }
}

/// The order counts in a picture's reference picture set (8.3.2).
private struct ReferenceSet {
    /// PocStCurrBefore, PocStCurrAfter and PocLtCurr: the picture itself may refer to them.
    var used: [Int] = []
    /// PocStFoll and PocLtFoll: only later pictures may refer to them.
    var kept: [Int] = []
    /// Whether every entry specifies its full order count.
    var isExact = true

    init(_ slice: HEVCSliceHeader, order: Int, orderBits: Int) {
        for entry in slice.shortTerm.before + slice.shortTerm.after {
            add(order &+ entry.delta, isUsed: entry.isUsed)
        }
        for entry in slice.longTerm {
            guard let distance = entry.highPartDistance else {
                isExact = false
                continue
            }
            // pocLt (equation 8-5).
            let high = (order >> orderBits &- distance) &<< orderBits
            add(high &+ entry.orderLowBits, isUsed: entry.isUsed)
        }
    }

    private mutating func add(_ order: Int, isUsed: Bool) {
        if isUsed { used.append(order) } else { kept.append(order) }
    }
}

extension HEVCAccessUnit {
    /// Whether the packet affects later pictures beyond its own.
    fileprivate var isSticky: Bool { changesParameterSets || endsSequence }
}
