/// A generator that gives the same numbers on every machine (SplitMix64, Steele et al. 2014).
public struct Draw: Sendable {
    private var state: UInt64

    /// Numbers that follow from a name and a number alone.
    public init(name: String, number: UInt64) {
        // FNV-1a of the name, so that the same number means something else for each seed file.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        state = hash ^ (number &* 0x9E37_79B9_7F4A_7C15)
        _ = next()
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a number of `0..<count`; 0 for a count of 0.
    mutating func below(_ count: Int) -> Int { count > 0 ? Int(next() % UInt64(count)) : 0 }

    /// True once in `count` times.
    mutating func isOne(in count: Int) -> Bool { below(count) == 0 }

    /// One of several, `nil` of none.
    mutating func one<T>(of list: [T]) -> T? { list.isEmpty ? nil : list[below(list.count)] }

    /// A byte.
    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

    /// A count of bytes, small ones more often than large ones, at least 1 and at most `limit`.
    mutating func length(upTo limit: Int) -> Int {
        guard limit > 1 else { return max(limit, 0) }
        return min(limit, 1 + below(1 << (1 + below(16))))
    }

    /// A number at the edge of some width, or near `old`.
    mutating func edge(near old: UInt64) -> UInt64 {
        let edges: [UInt64] = [
            0, 1, 2, 7, 8, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE,
            0xFFFF_FFFF, 0x1_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max,
        ]
        switch below(8) {
        case 0: return old &+ 1
        case 1: return old &- 1
        case 2: return old << UInt64(1 + below(16))
        case 3: return old >> UInt64(1 + below(16))
        case 4: return old ^ (1 << UInt64(below(32)))
        default: return edges[below(edges.count)]
        }
    }
}
