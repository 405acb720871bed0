/// The smallest piece of a stream that can be given to or withheld from a decoder, with its dependencies on earlier
/// pieces.
///
/// In AV1, one coded frame or one show_existing_frame command; otherwise, an entire packet.
package struct CodedUnit: Sendable, Equatable {
    /// The bytes of the packet that belong only to this unit. For AV1, these are its OBU_FRAME, or its OBU_FRAME_HEADER
    /// with the tile groups and redundant headers after it; for other formats, all the given bytes. Temporal
    /// delimiters, sequence headers, metadata and padding do not belong to any unit.
    package var bytes: Range<Int>
    /// The numbers of the units from which it is predicted, in ascending order without repeats. The parser counts all
    /// units since its creation. Empty if ``needsAllReferences`` is set.
    package var references: [Int] = []
    /// Whether every earlier unit with ``isReference`` is needed, because nothing more precise is provable.
    package var needsAllReferences = false
    /// False only if provably no other unit depends on this one.
    package var isReference = true
    /// Whether the unit must be decoded whenever decoding passes it, because it changes the decoder's state beyond its
    /// own picture (changed parameter sets, end of sequence).
    package var isSticky = false
    /// Whether decoding the unit outputs a picture.
    package var isShown = true
    /// HEVC PicOrderCntVal (H.265 8.3.1).
    package var orderCount: Int?
    /// Whether this HEVC picture is prevTid0Pic for later ones (8.3.1). A decoder that is given only some pictures
    /// derives the high part of an order count from the last anchor that it was given. The count is correct if that
    /// anchor is less than half of 2 to the power of ``orderBits`` away.
    package var isOrderAnchor = false
    /// Log2 of MaxPicOrderCntLsb (7.4.3.2.1); 0 for other codecs.
    package var orderBits = 0
    /// AV1: a bit for each of the eight reference slots, set if the unit refreshes it (`refresh_frame_flags`).
    package var slots: UInt8 = 0
    /// AV1: whether the unit stores a key frame there.
    package var isKey = false

    package init(bytes: Range<Int>) { self.bytes = bytes }

    /// Returns a unit about which nothing is known.
    static func unknown(_ bytes: Range<Int>) -> CodedUnit {
        var unit = CodedUnit(bytes: bytes)
        unit.needsAllReferences = true
        return unit
    }
}

/// The coded units of one packet.
package struct PacketDependencies: Sendable, Equatable {
    /// The units in decoding order. AV1 packets may contain several units or none.
    package var units: [CodedUnit] = []
    /// False if a header was not understood, a reference is unknown, or anything unusual was found. In that case, the
    /// units' facts must not be relied on, and everything must be decoded.
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
