/// The part of a sample's first bytes that can be read as if the sample were whole.
enum FirstSlice {
    /// Returns the end of the first unit that is a slice according to `isSlice`, or `nil` if it is beyond the head.
    ///
    /// All units before that slice are complete. The slice itself may be truncated, and the slices after it are
    /// omitted. The fields that are read from a head are the same in all slices of a picture.
    static func endOfFirstSlice(
        in head: Span<UInt8>, framing: NALFraming, isSlice: (Span<UInt8>) -> Bool
    ) -> Int? {
        // Lengths from 256 to 511 look like a start code, and only the whole packet shows which it is.
        if framing != .annexB, StartCode.isAtStart(of: head) { return nil }
        var units = NALUnits(head, framing: framing)
        while let range = units.next() {
            if isSlice(head.extracting(range)) { return range.upperBound }
        }
        return nil
    }
}
