#if CommandLine
internal import ArgumentParser

/// The numbers that options accept. Anything beyond them is a usage error of the command line, so products of these
/// numbers stay far within 64 bits.
enum OptionRange {
    /// Threads; more than this have no benefit.
    static let threads = 1...256
    /// Memory in MiB: a TiB.
    static let mebibytes = 1...1_048_576
    /// Columns or rows of a sheet, as in every index format that has them.
    static let grid = 1...65_535
    /// Pixels per side.
    static let side = 16...16_384

    /// Rejects a number outside a range.
    static func check(_ name: String, _ value: Int?, _ range: ClosedRange<Int>) throws {
        guard let value, !range.contains(value) else { return }
        throw refusal(name, "\(value)", "\(range.lowerBound) to \(range.upperBound)")
    }

    /// Rejects a number of seconds outside a range; NaN is outside every range.
    static func check(_ name: String, seconds: Double?, _ range: ClosedRange<Double>) throws {
        guard let seconds, !range.contains(seconds) else { return }
        throw refusal(name, text(seconds), "\(text(range.lowerBound)) to \(text(range.upperBound)) seconds")
    }

    /// Rejects standard output, which takes a single file, as the output of several.
    static func checkFolder(_ path: String?, _ name: String = "--output") throws {
        guard path == "-" else { return }
        throw ValidationError(
            "\(name) -: several files are written, but only one can be written to standard output; specify a folder")
    }

    private static func refusal(_ name: String, _ value: String, _ range: String) -> ValidationError {
        ValidationError("\(name) \(value) is out of range: use \(range)")
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}
#endif
