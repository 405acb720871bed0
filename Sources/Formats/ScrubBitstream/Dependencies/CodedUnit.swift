/// The smallest piece of a stream that a decoder can be given or spared, with its needs of the ones before.
///
/// AV1: one coded frame, or one show_existing_frame command. Elsewhere: all of a packet.
package struct CodedUnit: Sendable, Equatable {
    /// The bytes of the packet that belong to this unit alone. For AV1 they are its OBU_FRAME, or its OBU_FRAME_HEADER
    /// with the tile groups and redundant headers behind it; for other formats all the bytes given. Temporal
    /// delimiters, sequence headers, metadata and padding belong to no unit.
    package var bytes: Range<Int>
    /// The numbers of the units it is predicted from, ascending and without repeats. The parser counts all units
    /// from its creation on. Empty when ``needsAllReferences`` is set.
    package var references: [Int] = []
    /// Whether every earlier unit with ``isReference`` is needed, because nothing finer is provable.
    package var needsAllReferences = false
    /// False only when provably no other unit depends on it.
    package var isReference = true
    /// A Boolean value that indicates whether the unit must be fed whenever decoding passes it. Such a unit changes the
    /// decoder's state beyond its own picture (changed parameter sets, end of sequence).
    package var isSticky = false
    /// Whether the unit gives a picture out when it is fed.
    package var isShown = true
    /// HEVC PicOrderCntVal (H.265 8.3.1).
    package var orderCount: Int?
    /// Whether this HEVC picture is prevTid0Pic for later ones (8.3.1). A decoder that is given only some pictures
    /// derives the high part of an order count from the last anchor it was given. The count stays right if that one is
    /// less than half of 2 to the power of ``orderBits`` away.
    package var isOrderAnchor = false
    /// Log2 of MaxPicOrderCntLsb (7.4.3.2.1); 0 when not HEVC.
    package var orderBits = 0
    /// AV1: a bit for each of the eight reference slots that the unit takes (`refresh_frame_flags`).
    package var slots: UInt8 = 0
    /// AV1: whether the unit puts a key frame there.
    package var isKey = false

    package init(bytes: Range<Int>) { self.bytes = bytes }

    /// Returns the unit of which nothing is known.
    static func unknown(_ bytes: Range<Int>) -> CodedUnit {
        var unit = CodedUnit(bytes: bytes)
        unit.needsAllReferences = true
        return unit
    }
}

/// The coded units of one packet.
package struct PacketDependencies: Sendable, Equatable {
    /// In decoding order; AV1 packets may hold several units, or none.
    package var units: [CodedUnit] = []
    /// False if a header was not understood, a reference is not known or anything unusual was seen. Then the units'
    /// facts may not be relied on, and everything must be fed.
    package var isProven = true

    package init() {}

    /// Returns one unit that is not understood.
    static func unknown(_ bytes: Range<Int>) -> PacketDependencies {
        var dependencies = PacketDependencies()
        dependencies.units = [.unknown(bytes)]
        dependencies.isProven = false
        return dependencies
    }
}
