/// A generator of random numbers for generated gestures (SplitMix64).
///
/// A script is the same for a seed on every machine and with every compiler, which the standard library does not
/// guarantee for its random ranges.
struct ScriptRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Returns a number in -limit...limit, with a nearly uniform distribution because limits are small.
    mutating func next(upTo limit: Int) -> Int {
        guard limit > 0 else { return 0 }
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        let span = 2 * UInt64(limit) + 1
        return Int(mixed % span) - limit
    }
}
