internal import ScrubBitstream
internal import ScrubBase

/// The references of the coded pictures of a stretch of a stream: one row per unit, in decode order.
///
/// A unit is a coded picture; in AV1 a packet may hold several, and commands that show an earlier one. Units are
/// numbered from 0 at the stretch's first packet. About 20 bytes for each unit.
package struct DependencyTable: Sendable, Equatable {
    /// The kind of one unit.
    package struct Traits: OptionSet, Sendable, BitwiseCopyable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Others may depend on it.
        package static let reference = Traits(rawValue: 1 << 0)
        /// Every reference before it is needed: nothing finer is provable for its codec.
        package static let needsAllReferences = Traits(rawValue: 1 << 1)
        /// It changes more than its own picture, and is fed wherever decoding passes it.
        package static let sticky = Traits(rawValue: 1 << 2)
        package static let shown = Traits(rawValue: 1 << 3)
        /// HEVC: later order counts are derived from its own.
        package static let orderAnchor = Traits(rawValue: 1 << 4)
        /// AV1: it puts a key frame into its slots.
        package static let key = Traits(rawValue: 1 << 5)
    }

    /// The stretch's first coded picture.
    package let firstPicture: Int
    /// For each packet the number of its first unit, and after the last one the number of units.
    package private(set) var unitStarts: [UInt32] = [0]
    package private(set) var traits: [Traits] = []
    /// The range of each unit's bytes in its packet, for packets of several; empty while every packet has one.
    package private(set) var byteRanges: [Range<UInt32>] = []
    /// For each unit where its references begin in ``references``, and after the last one their number.
    package private(set) var referenceStarts: [UInt32] = [0]
    package private(set) var references: [UInt32] = []
    /// HEVC order counts; empty for other codecs.
    package private(set) var orderCounts: [Int32] = []
    /// Bits of the order counts that slices carry.
    package private(set) var orderBits = 0
    /// AV1: a bit for each reference slot that a unit takes; empty for other codecs.
    package private(set) var slots: [UInt8] = []
    /// Units that were decoded without a complaint because a caller had to know; not saved.
    package internal(set) var soundUnits: Set<Int> = []
    /// AV1: whether frames may be shown again by ``AV1Repetition``.
    package private(set) var canRepeat = false

    /// For each unit how many before it others may depend on, and after the last one their number; for formats in
    /// which that is all there is to know.
    private var referencesBefore: [UInt32] = [0]
    /// Whether all units need all references before them, so that counting them is all that a cost takes.
    private var isUniform = true

    package init(firstPicture: Int) { self.firstPicture = firstPicture }

    /// Returns the number of units that a target takes from a restart on, and the number between that are left out, if
    /// counting can tell it. It is one step, however long the way is.
    ///
    /// - Precondition: both are described.
    package func cost(of target: Int, through last: Int, from restart: Int) -> (fed: Int, skipped: Int)? {
        guard isUniform else { return nil }
        let (start, own, end) = (units(of: restart), units(of: target), units(of: last).upperBound)
        // The restart and the target are fed whatever they are.
        let before = max(start.upperBound, own.lowerBound)
        let between = Int(referencesBefore[before]) - Int(referencesBefore[start.upperBound])
        let fed = start.count + between + (target == restart ? end - start.upperBound : end - own.lowerBound)
        return (fed, end - start.lowerBound - fed)
    }

    /// The number of packets that are described.
    package var pictureCount: Int { unitStarts.count - 1 }
    /// The packet after the last one described.
    package var endPicture: Int { firstPicture + pictureCount }

    /// Returns the units of a packet.
    ///
    /// - Precondition: the packet is described.
    package func units(of picture: Int) -> Range<Int> {
        Int(unitStarts[picture - firstPicture])..<Int(unitStarts[picture - firstPicture + 1])
    }

    /// Whether a packet is described.
    package func describes(_ picture: Int) -> Bool { picture >= firstPicture && picture < endPicture }

    /// Returns the units that a unit is predicted from, ascending.
    package func references(of unit: Int) -> some Sequence<Int> {
        references[Int(referenceStarts[unit])..<Int(referenceStarts[unit + 1])].lazy.map { Int($0) }
    }

    /// Returns the packet that a unit is in.
    ///
    /// - Precondition: the unit is described.
    package func packet(ofUnit unit: Int) -> Int {
        firstPicture + unitStarts.partitioningIndex { Int($0) > unit } - 1
    }

    /// Whether units of a packet, told by their bits, give out a picture.
    package func shows(_ picture: Int, units mask: UInt64) -> Bool {
        units(of: picture).enumerated().contains { mask >> UInt64($0) & 1 == 1 && traits[$1].contains(.shown) }
    }

    /// Whether a unit of a packet has a trait.
    package func has(_ trait: Traits, in picture: Int) -> Bool {
        units(of: picture).contains { traits[$0].contains(trait) }
    }

    /// Whether the reference slots that each unit takes are known.
    package var hasSlots: Bool { !slots.isEmpty }

    /// AV1: whether a unit takes a reference slot.
    package func takes(_ unit: Int, slot: Int) -> Bool { slots[unit] >> UInt8(slot) & 1 == 1 }

    /// AV1: whether a unit takes no reference slot.
    package func takesNone(_ unit: Int) -> Bool { slots[unit] == 0 }

    /// The most units in a packet: a feed tells them by the bits of a word.
    package static let mostUnits = 63

    /// Describes the next packet.
    ///
    /// - Returns: false when it cannot be described; the table ends before it then.
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
            // Packets of one unit so far need no ranges: nothing is ever cut from them.
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

    /// Takes columns as they were saved.
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
