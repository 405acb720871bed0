internal import ScrubBase
internal import ScrubIndex

/// The frame rate of a medium, for formats that require a single rate.
///
/// Containers round times to their own units, in Matroska usually milliseconds. A rate is constant if every frame's
/// time is within one unit of its multiple of a period.
package struct NominalFrameRate: Hashable, Sendable {
    /// The constant or the mean frame rate, in frames per second.
    package var rate: Rational
    /// Whether the frames are evenly spaced.
    package var isConstant: Bool
    /// Whether no other common rate fits the times.
    package var isCertain: Bool

    package init(rate: Rational, isConstant: Bool, isCertain: Bool) {
        (self.rate, self.isConstant, self.isCertain) = (rate, isConstant, isCertain)
    }

    /// Computes the rate from frame times.
    ///
    /// - Parameters:
    ///   - offsets: the time of each frame after the first one, in units of the time base.
    ///   - lastDuration: the duration of the last frame.
    /// - Complexity: O(n) for frames that are evenly spaced; for others, up to the first frame that is not.
    package init(offsets: some RandomAccessCollection<Int64>, lastDuration: Int64, timeBase: Rational) {
        let number = offsets.count
        let mean: Ratio
        switch number {
        case 0, 1: mean = Ratio(max(1, Int128(lastDuration)), 1)
        default:
            let (n, d) = (Int128(offsets.last ?? 0), Int128(number - 1))
            mean = n % d == 0 ? Ratio(n / d, 1) : Ratio(n, d)
        }
        let isEven = mean.d == 1 && number > 1 && NominalFrameRate.isEven(offsets, mean.n)
        // The periods that fit, as ratios of units. Each frame narrows the range, until it is empty. For evenly spaced
        // frames, the period is known.
        var (low, high): (Ratio, Ratio) = (Ratio(0, 1), Ratio(.max, 1))
        if !isEven || number <= 3 {
            for (number, offset) in zip(1..., offsets.dropFirst()) {
                low = max(low, Ratio(Int128(offset) - 1, Int128(number)))
                high = min(high, Ratio(Int128(offset) + 1, Int128(number)))
                guard low < high else { break }
            }
        }
        let unit = Ratio(Int128(timeBase.numerator), Int128(timeBase.denominator))
        isConstant = number <= 2 || low < high
        // If frames are evenly spaced to the unit, as in MP4 tables, use exactly that period. Otherwise, use a common
        // television, cinema or camera rate if one fits. Two or three frames may be even by chance: at 33 milliseconds,
        // they are 30 frames per second.
        let exact = Ratio(unit.d, unit.n * max(1, mean.n))
        let isExact = isEven && (number > 3 || NominalFrameRate.usual.contains(exact))
        let fitting = number > 1 && isConstant && !isExact ? NominalFrameRate.usual(between: low, high, unit) : []
        isCertain = isExact || fitting.count == 1
        if let usual = fitting.first, let found = Rational(reducing: usual.n, usual.d) {
            rate = found
            return
        }
        // ffmpeg's tools assume 25 frames per second if no rate is given.
        rate = Rational(reducing: unit.d * mean.d, unit.n * max(1, mean.n)) ?? Rational(25)
    }

    /// Returns the common rates with a period between two bounds, in units of the time base.
    private static func usual(between low: Ratio, _ high: Ratio, _ unit: Ratio) -> [Ratio] {
        usual.filter {
            let period = Ratio($0.d * unit.d, $0.n * unit.n)
            return low < period && period < high
        }
    }

    private static func isEven(_ offsets: some RandomAccessCollection<Int64>, _ period: Int128) -> Bool {
        var expected: Int128 = 0
        for offset in offsets {
            if Int128(offset) != expected { return false }
            expected += period
        }
        return true
    }

    private static let usual = Rational.usualFrameRates.map { Ratio(Int128($0.numerator), Int128($0.denominator)) }

    /// An unreduced ratio of 128-bit integers. Its parts stay below 2^64 here, so that products fit.
    private struct Ratio: Comparable {
        var n: Int128
        var d: Int128

        init(_ n: Int128, _ d: Int128) { (self.n, self.d) = (n, d) }

        static func < (a: Ratio, b: Ratio) -> Bool {
            // This is nearly always possible and takes a tenth of the time.
            if a.isSmall, b.isSmall {
                return Int64(truncatingIfNeeded: a.n) * Int64(truncatingIfNeeded: b.d)
                    < Int64(truncatingIfNeeded: b.n) * Int64(truncatingIfNeeded: a.d)
            }
            let left = a.n.multipliedReportingOverflow(by: b.d)
            let right = b.n.multipliedReportingOverflow(by: a.d)
            // Only the open end is this large.
            guard !left.overflow, !right.overflow else { return right.overflow && !left.overflow }
            return left.partialValue < right.partialValue
        }
        /// Whether products of two such parts fit in 64 bits.
        private var isSmall: Bool { n >> 31 == 0 && d >> 31 == 0 }

        static func == (a: Ratio, b: Ratio) -> Bool { !(a < b) && !(b < a) }
    }
}

extension VideoAsset {
    package var frameRate: NominalFrameRate {
        NominalFrameRate(
            offsets: index.offsets,
            lastDuration: frames.last?.durationUnits ?? 0,
            timeBase: index.facts.timeBase)
    }
}
