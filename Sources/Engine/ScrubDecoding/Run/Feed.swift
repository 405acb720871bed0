/// A packet, or the part of one, that a decoder is given.
package struct Feed: Hashable, Sendable {
    /// The coded picture, by its number in the index.
    package let picture: Int
    /// Which units of the packet, one bit each from the lowest; all bits for a packet that nothing is cut from.
    package let units: UInt64
    /// The number of coded pictures in it.
    package let unitCount: Int
    /// The bytes that are left out of the packet, ascending.
    package let omitted: [Range<Int>]

    package init(picture: Int, units: UInt64 = .max, unitCount: Int = 1, omitted: [Range<Int>] = []) {
        self.picture = picture
        self.units = units
        self.unitCount = unitCount
        self.omitted = omitted
    }

    /// Whether a decoder that was given this has seen all that `other` is.
    package func contains(_ other: Feed) -> Bool {
        picture == other.picture && (units & other.units == other.units || omitted.isEmpty)
    }
}
