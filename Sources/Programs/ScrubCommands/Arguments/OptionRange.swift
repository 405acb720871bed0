#if CommandLine
internal import ArgumentParser

/// The numbers that options take. Whatever is typed beyond that is wrong usage, and goes no further than the command
/// line: products of these numbers stay far inside 64 bits.
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
        throw refusal(name, "\(value)", "from \(range.lowerBound) to \(range.upperBound)")
    }

    /// Refuses a number of seconds outside a range; NaN is in no range.
    static func check(_ name: String, seconds: Double?, _ range: ClosedRange<Double>) throws {
        guard let seconds, !range.contains(seconds) else { return }
        throw refusal(name, text(seconds), "seconds from \(text(range.lowerBound)) to \(text(range.upperBound))")
    }

    /// Refuses a name for many files that is standard output's, which takes one.
    static func checkFolder(_ path: String?, _ name: String = "--output") throws {
        guard path == "-" else { return }
        throw ValidationError("\(name) -: several files are written, and standard output takes one; name a folder")
    }

    private static func refusal(_ name: String, _ value: String, _ range: String) -> ValidationError {
        ValidationError("\(name) \(value) is out of range: give \(range)")
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}
#endif
