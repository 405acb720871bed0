/// A packet, or a part of one, to give to a decoder.
package struct Feed: Hashable, Sendable {
    /// The coded picture's number in the index.
    package let picture: Int
    /// The units of the packet, one bit each from the lowest; all bits for a complete packet.
    package let units: UInt64
    /// The number of coded pictures in it.
    package let unitCount: Int
    /// The bytes of the packet to omit, in ascending order.
    package let omitted: [Range<Int>]

    package init(picture: Int, units: UInt64 = .max, unitCount: Int = 1, omitted: [Range<Int>] = []) {
        self.picture = picture
        self.units = units
        self.unitCount = unitCount
        self.omitted = omitted
    }

    /// Returns whether a decoder that was given this has seen everything in `other`.
    package func contains(_ other: Feed) -> Bool {
        picture == other.picture && (units & other.units == other.units || omitted.isEmpty)
    }
}
