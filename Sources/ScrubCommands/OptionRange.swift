internal import ArgumentParser

/// What numbers options take. Whatever is typed beyond that is wrong usage, and goes no further than the command line: products
/// of these numbers stay far inside 64 bits.
enum OptionRange {
    /// Threads; more than that make nothing faster.
    static let threads = 1...256
    /// MiB of memory: a TiB.
    static let mebibytes = 1...1_048_576
    /// Columns or rows of a sheet, as in every index format that has them.
    static let grid = 1...65_535
    /// Pixels of a side.
    static let side = 16...16_384

    /// Refuses a number outside a range.
    static func check(_ name: String, _ value: Int?, _ range: ClosedRange<Int>) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError("\(name) \(value): from \(range.lowerBound) to \(range.upperBound)")
    }
}
