/// The part of a sample's first bytes that can be read as if the sample were whole.
enum FirstSlice {
    /// Returns the end of the first unit that `isSlice` tells to be a slice, or `nil` when it lies beyond the head.
    ///
    /// All units in front of that slice are complete. The slice itself may be cut off, and the slices behind it are
    /// left out. The fields that are wanted from a head are equal in all slices of a picture.
    static func endOfFirstSlice(
        in head: Span<UInt8>, framing: NALFraming, isSlice: (Span<UInt8>) -> Bool
    ) -> Int? {
        // Lengths from 256 to 511 look like a start code, and only the whole packet tells which it is.
        if framing != .annexB, StartCode.isAtStart(of: head) { return nil }
        var units = NALUnits(head, framing: framing)
        while let range = units.next() {
            if isSlice(head.extracting(range)) { return range.upperBound }
        }
        return nil
    }
}
