internal import ScrubBitstream
internal import ScrubBase

/// The references of the coded pictures of part of a stream: one row per unit, in decode order.
///
/// A unit is a coded picture. In AV1, a packet may hold several, and commands that show an earlier one. Units are
/// numbered from 0 at the first packet. Memory: about 20 bytes per unit.
package struct DependencyTable: Sendable, Equatable {
    /// The kind of one unit.
    package struct Traits: OptionSet, Sendable, BitwiseCopyable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Other units may depend on it.
        package static let reference = Traits(rawValue: 1 << 0)
        /// It needs every reference before it: nothing finer can be proven for its codec.
        package static let needsAllReferences = Traits(rawValue: 1 << 1)
        /// It changes decoder state beyond its own picture, and is fed wherever decoding passes it.
        package static let sticky = Traits(rawValue: 1 << 2)
        package static let shown = Traits(rawValue: 1 << 3)
        /// HEVC: later order counts are derived from its own.
        package static let orderAnchor = Traits(rawValue: 1 << 4)
        /// AV1: it puts a key frame into its slots.
        package static let key = Traits(rawValue: 1 << 5)
    }

    /// The first coded picture of the table.
    package private(set) var firstPicture: Int
    /// The number of the first unit of each packet, followed by the number of units.
    package private(set) var unitStarts: [UInt32] = [0]
    package private(set) var traits: [Traits] = []
    /// The byte range of each unit in its packet, for packets of several units; empty while every packet has one.
    package private(set) var byteRanges: [Range<UInt32>] = []
    /// The start of each unit's references in ``references``, followed by the total number of references.
    package private(set) var referenceStarts: [UInt32] = [0]
    package private(set) var references: [UInt32] = []
    /// HEVC order counts; empty for other codecs.
    package private(set) var orderCounts: [Int32] = []
    /// The number of bits of the order counts in slice headers.
    package private(set) var orderBits = 0
    /// AV1: a bit for each reference slot that a unit updates; empty for other codecs.
    package private(set) var slots: [UInt8] = []
    /// The units that were decoded without errors when a caller had to check them; not saved.
    package internal(set) var soundUnits: Set<Int> = []
    /// AV1: whether frames may be shown again by ``AV1Repetition``.
    package private(set) var canRepeat = false

    /// For each unit, the number of earlier units on which others may depend, followed by the total. Used for formats
    /// for which nothing finer is known.
    private var referencesBefore: [UInt32] = [0]
    /// Whether all units need all references before them, so that a cost can be computed by counting them.
    private var isUniform = true

    package init(firstPicture: Int) { self.firstPicture = firstPicture }

    /// Returns the same table for pictures that follow a number of others.
    func moved(by pictures: Int) -> DependencyTable {
        var table = self
        table.firstPicture += pictures
        return table
    }

    /// Returns the number of units to decode for a target from a restart, and the number of units between them that are
    /// skipped, if counting is enough. Takes constant time.
    ///
    /// - Precondition: both are described.
    package func cost(of target: Int, through last: Int, from restart: Int) -> (fed: Int, skipped: Int)? {
        guard isUniform else { return nil }
        let (start, own, end) = (units(of: restart), units(of: target), units(of: last).upperBound)
        // The restart and the target are always fed.
        let before = max(start.upperBound, own.lowerBound)
        let between = Int(referencesBefore[before]) - Int(referencesBefore[start.upperBound])
        let fed = start.count + between + (target == restart ? end - start.upperBound : end - own.lowerBound)
        return (fed, end - start.lowerBound - fed)
    }

    /// The number of described packets.
    package var pictureCount: Int { unitStarts.count - 1 }
    /// The packet after the last one described.
    package var endPicture: Int { firstPicture + pictureCount }

    /// Returns the units of a packet.
    ///
    /// - Precondition: the packet is described.
    package func units(of picture: Int) -> Range<Int> {
        Int(unitStarts[picture - firstPicture])..<Int(unitStarts[picture - firstPicture + 1])
    }

    /// Returns whether a packet is described.
    package func describes(_ picture: Int) -> Bool { picture >= firstPicture && picture < endPicture }

    /// Returns the units from which a unit is predicted, in ascending order.
    package func references(of unit: Int) -> some Sequence<Int> {
        references[Int(referenceStarts[unit])..<Int(referenceStarts[unit + 1])].lazy.map { Int($0) }
    }

    /// Returns the packet that contains a unit.
    ///
    /// - Precondition: the unit is described.
    package func packet(ofUnit unit: Int) -> Int {
        firstPicture + unitStarts.partitioningIndex { Int($0) > unit } - 1
    }

    /// Returns whether some units of a packet, given as a bit mask, output a picture.
    package func shows(_ picture: Int, units mask: UInt64) -> Bool {
        units(of: picture).enumerated().contains { mask >> UInt64($0) & 1 == 1 && traits[$1].contains(.shown) }
    }

    /// Returns whether a unit of a packet has a trait.
    package func has(_ trait: Traits, in picture: Int) -> Bool {
        units(of: picture).contains { traits[$0].contains(trait) }
    }

    /// Whether the reference slots that each unit updates are known.
    package var hasSlots: Bool { !slots.isEmpty }

    /// AV1: Returns whether a unit updates a reference slot.
    package func takes(_ unit: Int, slot: Int) -> Bool { slots[unit] >> UInt8(slot) & 1 == 1 }

    /// AV1: Returns whether a unit updates no reference slot.
    package func takesNone(_ unit: Int) -> Bool { slots[unit] == 0 }

    /// The maximum number of units in a packet: a feed represents them by the bits of a word.
    package static let mostUnits = 63

    /// Adds the next packet.
    ///
    /// - Returns: false if it cannot be described; the table then ends before it.
    mutating func append(_ packet: PacketDependencies, codec: VideoCodec, canRepeat: Bool) -> Bool {
        let first = traits.count
        guard packet.isProven, !packet.units.isEmpty, packet.units.count <= DependencyTable.mostUnits,
            first + packet.units.count <= Int(Int32.max)
        else { return false }
        for (i, unit) in packet.units.enumerated() {
            // Either every unit has an order count or none has.
            let isOrdered = unit.orderCount != nil
            guard traits.isEmpty || isOrdered == !orderCounts.isEmpty,
                unit.references.allSatisfy({ (0..<first + i).contains($0) })
            else {
                truncate(toUnits: first)
                return false
            }
            append(unit, isAlone: packet.units.count == 1)
            if codec == .av1 { slots.append(unit.slots) }
        }
        unitStarts.append(UInt32(traits.count))
        self.canRepeat = canRepeat
        return true
    }

    private mutating func append(_ unit: CodedUnit, isAlone: Bool) {
        var flags: Traits = []
        if unit.isReference { flags.insert(.reference) }
        if unit.needsAllReferences { flags.insert(.needsAllReferences) }
        if unit.isSticky { flags.insert(.sticky) }
        if unit.isShown { flags.insert(.shown) }
        if unit.isOrderAnchor { flags.insert(.orderAnchor) }
        if unit.isKey { flags.insert(.key) }
        if !isAlone || !byteRanges.isEmpty {
            // Packets that have had one unit so far need no ranges: they are never cut.
            while byteRanges.count < traits.count { byteRanges.append(0..<0) }
            byteRanges.append(
                isAlone ? 0..<0 : UInt32(clamping: unit.bytes.lowerBound)..<UInt32(clamping: unit.bytes.upperBound))
        }
        traits.append(flags)
        count(flags)
        references += unit.references.map { UInt32($0) }
        referenceStarts.append(UInt32(references.count))
        if let count = unit.orderCount {
            orderCounts.append(Int32(clamping: count))
            orderBits = unit.orderBits
        }
    }

    private mutating func count(_ flags: Traits) {
        let isFed = !flags.isDisjoint(with: [.reference, .sticky])
        referencesBefore.append((referencesBefore.last ?? 0) + (isFed ? 1 : 0))
        if !flags.contains(.needsAllReferences) { isUniform = false }
    }

    private mutating func truncate(toUnits count: Int) {
        traits.removeSubrange(count...)
        if byteRanges.count > count { byteRanges.removeSubrange(count...) }
        referenceStarts.removeSubrange((count + 1)...)
        references.removeSubrange(Int(referenceStarts[count])...)
        if orderCounts.count > count { orderCounts.removeSubrange(count...) }
        if slots.count > count { slots.removeSubrange(count...) }
        referencesBefore.removeSubrange((count + 1)...)
    }

    /// Restores saved columns.
    mutating func restore(
        starts: [UInt32], traits: [Traits], byteRanges: [Range<UInt32>], referenceStarts: [UInt32],
        references: [UInt32], orders: [Int32], orderBits: Int, slots: [UInt8], canRepeat: Bool
    ) {
        unitStarts = starts
        self.traits = traits
        self.byteRanges = byteRanges
        self.referenceStarts = referenceStarts
        self.references = references
        orderCounts = orders
        self.orderBits = orderBits
        self.slots = slots
        self.canRepeat = canRepeat
        for flags in traits { count(flags) }
    }
}
