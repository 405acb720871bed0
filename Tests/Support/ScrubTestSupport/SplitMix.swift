internal import Foundation

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

    /// Bytes that tell their own place, so that a shifted one is seen.
    package mutating func bytes(count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let number = next()
            for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

extension SplitMix {
    /// An integer whose size in bits is random too, so that small and huge values both come up.
    package mutating func ofAnySize() -> Int64 {
        Int64(bitPattern: next()) >> Int64.random(in: 0..<64, using: &self)
    }
}

extension SplitMix {
    /// The seed of a random walk: the same one in each run of the suite, another one for each test.
    ///
    /// A number in the environment's `SCRUB_SEED` is the seed of all walks; with `SCRUB_SEED=random` each call draws
    /// its own, which CI's part `seeds` does.
    ///
    /// - Parameters:
    ///   - name: a variable that is asked before `SCRUB_SEED`.
    ///   - run: tells the walks of one test apart.
    package static func seed(
        _ name: String = "SCRUB_SEED", run: Int = 0, file: String = #fileID, function: String = #function
    ) -> UInt64 {
        let environment = ProcessInfo.processInfo.environment
        guard let word = environment[name] ?? environment["SCRUB_SEED"] else {
            // FNV-1a: Swift's own hashes differ from process to process.
            return "\(file) \(function) \(run)".utf8.reduce(0xCBF2_9CE4_8422_2325) {
                ($0 ^ UInt64($1)) &* 0x0100_0000_01B3
            }
        }
        if word == "random" { return .random(in: 0...(.max)) }
        guard let seed = UInt64(word) else { preconditionFailure("\(name)='\(word)' is neither a number nor random") }
        return seed
    }
}
