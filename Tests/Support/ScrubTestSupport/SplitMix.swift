/// A small generator, so that a failing case can be made again from its number.
package struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    package init(_ seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Whether something that happens once in `count` times happens.
    package mutating func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

extension SplitMix {
    /// An integer whose size in bits is random too, so that small and huge values both come up.
    package mutating func ofAnySize() -> Int64 {
        Int64(bitPattern: next()) >> Int64.random(in: 0..<64, using: &self)
    }
}
