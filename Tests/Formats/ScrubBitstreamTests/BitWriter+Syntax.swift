@testable import ScrubBitstream

extension BitWriter {
    mutating func flag(_ value: Bool) { bits(value ? 1 : 0, 1) }

    /// rbsp_trailing_bits(): a 1 and zeros up to the byte's end.
    mutating func trailing() {
        bits(1, 1)
        while !isAligned { bits(0, 1) }
    }
}
