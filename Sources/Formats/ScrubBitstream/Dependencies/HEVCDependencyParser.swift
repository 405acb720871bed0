/// Follows the reference picture sets of an HEVC stream (H.265 8.3.2).
struct HEVCDependencyParser: Sendable {
    private var parser: HEVCPictureParser
    /// The pictures of the decoded picture buffer that may still be referred to: unit numbers by PicOrderCntVal.
    private var buffer: [Int: Int] = [:]
    private var unitCount = 0

    init(extradata: Span<UInt8>) {
        parser = HEVCPictureParser(extradata: extradata)
    }

    /// Reads one packet, or gives `nil` when its first slice segment's header lies beyond a head.
    ///
    /// The reference picture set is equal in all slices of a picture (7.4.7.1): the first segment says it all.
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
        // Decoders leave out the RASL pictures of an IRAP picture they start at (8.1.3), so these change nothing.
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

    /// Names the unit's references and lets everything outside the set go. Gives whether all of them are known.
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
        // Without its high part a long-term reference could be any of the pictures: all stay.
        if set.isExact { buffer = buffer.filter { set.used.contains($0.key) || set.kept.contains($0.key) } }
        return isKnown
    }
}

/// The order counts that a picture's reference picture set names (8.3.2).
private struct ReferenceSet {
    /// PocStCurrBefore, PocStCurrAfter and PocLtCurr: the picture itself may refer to them.
    var used: [Int] = []
    /// PocStFoll and PocLtFoll: only later pictures may.
    var kept: [Int] = []
    /// Whether every entry names its whole order count.
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
