// Times as people write them.
extension Rational {
    /// The ratio that a binary floating-point number was written for: the simplest one that rounds to it. `0.42` is
    /// 21/50, and `1.0 / 3.0` is 1/3, although neither has that very value in binary.
    ///
    /// For sliders and clocks that count in `Double`. Nothing else in this library computes with floating point.
    ///
    /// - Returns: `nil` for infinities, NaN, and magnitudes that no ratio of 64-bit integers has: above 2^63, or other
    ///   than 0 and below about 2^-62.
    public init?(approximating value: Double) {
        guard value.isFinite, value.magnitude < 0x1p63 else { return nil }
        if let whole = Int64(exactly: value) {
            self.init(checked: whole, 1)
            return
        }
        guard value.exponent >= -62 else { return nil }
        // All between half the way to the neighbours rounds to the value; in quarters of its last bit, exactly.
        let bits = UInt128(value.significandBitPattern | 1 << 52)
        let unit = UInt128(1) << (54 - Int(value.exponent))
        // Below a power of two the neighbour is half as far.
        var (low, high) = ((4 * bits - (bits == 1 << 52 ? 1 : 2), unit), (4 * bits + 2, unit))
        // The continued fraction of both ends, as far as they agree: then comes the smallest number between them.
        var (previous, current): ((UInt128, UInt128), (UInt128, UInt128)) = ((0, 1), (1, 0))
        while true {
            let floor = low.0 / low.1
            // A denominator of 0 is infinite: products stay below 2^117, for no part is above those of the first ratio.
            let isBetween = (floor + 1) * high.1 < high.0
            let digit = isBetween ? floor + 1 : floor
            let (first, isTooLong) = digit.multipliedReportingOverflow(by: current.0)
            let (second, isTooFine) = digit.multipliedReportingOverflow(by: current.1)
            let limit = UInt128(Int64.max)
            guard !isTooLong, !isTooFine, first <= limit, second <= limit else { return nil }
            let next = (first + previous.0, second + previous.1)
            guard next.0 <= limit, next.1 <= limit else { return nil }
            (previous, current) = (current, next)
            if isBetween { break }
            (low, high) = ((high.1, high.0 - floor * high.1), (low.1, low.0 - floor * low.1))
        }
        self.init(reducing: value < 0 ? -Int128(current.0) : Int128(current.0), Int128(current.1))
    }

    /// A duration in seconds, rounded down to nanoseconds.
    ///
    /// - Precondition: it is shorter than 292 years (2^63 nanoseconds).
    public init(_ duration: Duration) {
        guard let value = Rational(checked: duration.wholeNanoseconds, 1_000_000_000) else {
            preconditionFailure("\(duration) is too long: a duration is shorter than 292 years")
        }
        self = value
    }

    /// Returns the sum.
    ///
    /// - Precondition: it fits in 64-bit integers; ``adding(_:)`` tells.
    public static func + (a: Rational, b: Rational) -> Rational { fitting(a.adding(b), "\(a) + \(b)") }
    /// Returns the difference.
    ///
    /// - Precondition: it fits in 64-bit integers; ``subtracting(_:)`` tells.
    public static func - (a: Rational, b: Rational) -> Rational { fitting(a.subtracting(b), "\(a) - \(b)") }
    /// Returns the product.
    ///
    /// - Precondition: it fits in 64-bit integers; ``multiplied(by:)`` tells.
    public static func * (a: Rational, b: Rational) -> Rational { fitting(a.multiplied(by: b), "\(a) * \(b)") }
    /// Returns the quotient.
    ///
    /// - Precondition: `b` is not zero, and it fits in 64-bit integers; ``divided(by:)`` tells.
    public static func / (a: Rational, b: Rational) -> Rational { fitting(a.divided(by: b), "\(a) / \(b)") }
    /// Returns the same distance from zero on the other side.
    public static prefix func - (a: Rational) -> Rational { a.negated }

    private static func fitting(_ value: Rational?, _ operation: @autoclosure () -> String) -> Rational {
        guard let value else {
            preconditionFailure(
                "\(operation()) is not a ratio of 64-bit integers: use adding, subtracting, multiplied or divided, which return nil"
            )
        }
        return value
    }
}

extension Rational: ExpressibleByIntegerLiteral {
    /// A whole number.
    public init(integerLiteral value: Int64) { self.init(value) }
}

extension Rational: ExpressibleByFloatLiteral {
    /// A decimal number as it is written: `12.5`, `0.42`. Up to 15 digits are exact; more belong into a ratio of
    /// integers.
    ///
    /// - Precondition: 64-bit integers have such a ratio.
    public init(floatLiteral value: Double) {
        guard let ratio = Rational(approximating: value) else {
            preconditionFailure("\(value) is not a ratio of 64-bit integers: write it as one, Rational(a, b)")
        }
        self = ratio
    }
}

extension Double {
    /// The nearest binary floating-point value, for display and for interfaces that count in it.
    public init(_ ratio: Rational) { self = ratio.approximation }
}

extension Duration {
    /// A time in seconds, rounded down to attoseconds.
    public init(_ seconds: Rational) {
        let whole = Rational.floor(Int128(seconds.numerator), Int128(seconds.denominator))
        let rest = Int128(seconds.numerator) - whole * Int128(seconds.denominator)
        // The rest is below the denominator, so that the product is below 2^123.
        let attoseconds = rest * 1_000_000_000_000_000_000 / Int128(seconds.denominator)
        self.init(secondsComponent: Int64(whole), attosecondsComponent: Int64(attoseconds))
    }
}

extension FramePosition {
    /// Returns a time in seconds after the first frame's start: `.seconds(Rational(1001, 30000))` is the frame on
    /// screen at that very instant.
    public static func seconds(_ seconds: Rational) -> FramePosition { .time(seconds) }

    /// Returns a time in whole seconds after the first frame's start, the same as for the number as a `Double`.
    public static func seconds(_ seconds: Int) -> FramePosition {
        .computedTime(ComputedTime(seconds: Rational(Int64(seconds)), decimals: 3))
    }

    /// Returns a time in seconds after the first frame's start as programs compute it: `.seconds(12.5)`,
    /// `.seconds(Double(i) / 30)`, `.seconds(frame.seconds)`.
    ///
    /// ``computedTime(_:)`` defines which frame it names.
    ///
    /// - Precondition: the value is finite and below 2^62; ``seconds(approximating:)`` returns `nil` if it is not.
    public static func seconds(_ seconds: Double) -> FramePosition {
        guard let position = FramePosition.seconds(approximating: seconds) else {
            preconditionFailure("\(seconds) is not a valid time: use seconds(approximating:), which returns nil")
        }
        return position
    }

    /// Returns a time in seconds that is already a `Double`, such as a player's or a slider's, like
    /// ``seconds(_:)-(Double)``.
    ///
    /// - Returns: `nil` for NaN, infinities, and magnitudes from 2^62 on.
    public static func seconds(approximating seconds: Double) -> FramePosition? {
        ComputedTime(seconds).map { .computedTime($0) }
    }

    /// Returns a fraction of the presentation that is a `Double` already, as a slider's is. It is the simplest ratio
    /// that rounds to it, so that 0.42 is 21/50.
    ///
    /// - Precondition: the value is a ratio of 64-bit integers, so neither NaN nor infinite;
    ///   ``fraction(approximating:)`` returns `nil` if it is not. A fraction outside 0...1 is an error where it is
    ///   used.
    @_disfavoredOverload
    public static func fraction(_ fraction: Double) -> FramePosition {
        guard let position = FramePosition.fraction(approximating: fraction) else {
            preconditionFailure("\(fraction) is not a valid fraction: use fraction(approximating:), which returns nil")
        }
        return position
    }

    /// Returns a fraction of the presentation that is a `Double` already, as far as it is a number.
    ///
    /// - Returns: `nil` for NaN, infinities, and values beyond 64-bit ratios.
    public static func fraction(approximating fraction: Double) -> FramePosition? {
        Rational(approximating: fraction).map { .fraction($0) }
    }

    /// Returns a time after the first frame's start, as clocks measure it: that very instant.
    public static func time(_ duration: Duration) -> FramePosition { .time(Rational(duration)) }
}
