// Times as people write them.
extension Rational {
    /// Creates the simplest ratio that rounds to a binary floating-point number. `0.42` becomes 21/50, and `1.0 / 3.0`
    /// becomes 1/3, although neither number is stored exactly in binary.
    ///
    /// Use this for sliders and clocks that use `Double`. After the conversion, positions are computed without floating
    /// point.
    ///
    /// - Returns: `nil` for infinities, NaN, and magnitudes that a ratio of 64-bit integers cannot represent: 2^63 and
    ///   above, and nonzero magnitudes below about 2^-62.
    public init?(approximating value: Double) {
        guard value.isFinite, value.magnitude < 0x1p63 else { return nil }
        if let whole = Int64(exactly: value) {
            self.init(checked: whole, 1)
            return
        }
        guard value.exponent >= -62 else { return nil }
        // All numbers up to halfway to the neighbors round to the value. The bounds are exact in quarters of its last
        // bit.
        let bits = UInt128(value.significandBitPattern | 1 << 52)
        let unit = UInt128(1) << (54 - Int(value.exponent))
        // Below a power of two, the neighbor is half as far.
        var (low, high) = ((4 * bits - (bits == 1 << 52 ? 1 : 2), unit), (4 * bits + 2, unit))
        // The continued fraction of both ends, as far as they agree, followed by the simplest number between them.
        var (previous, current): ((UInt128, UInt128), (UInt128, UInt128)) = ((0, 1), (1, 0))
        while true {
            let floor = low.0 / low.1
            // A denominator of 0 means infinity. Products stay below 2^117, because no part exceeds those of the first
            // ratio.
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

    /// Creates a time in seconds from a duration, truncated to whole nanoseconds.
    ///
    /// - Precondition: the duration is shorter than 292 years (2^63 nanoseconds).
    public init(_ duration: Duration) {
        guard let value = Rational(checked: duration.wholeNanoseconds, 1_000_000_000) else {
            preconditionFailure("\(duration) is too long: a duration must be shorter than 292 years")
        }
        self = value
    }

    /// Returns the sum.
    ///
    /// - Precondition: the sum fits in 64-bit integers. If it might not, use ``adding(_:)``.
    public static func + (a: Rational, b: Rational) -> Rational { fitting(a.adding(b), "\(a) + \(b)") }
    /// Returns the difference.
    ///
    /// - Precondition: the difference fits in 64-bit integers. If it might not, use ``subtracting(_:)``.
    public static func - (a: Rational, b: Rational) -> Rational { fitting(a.subtracting(b), "\(a) - \(b)") }
    /// Returns the product.
    ///
    /// - Precondition: the product fits in 64-bit integers. If it might not, use ``multiplied(by:)``.
    public static func * (a: Rational, b: Rational) -> Rational { fitting(a.multiplied(by: b), "\(a) * \(b)") }
    /// Returns the quotient.
    ///
    /// - Precondition: `b` is not zero, and the quotient fits in 64-bit integers. If this is uncertain, use
    ///   ``divided(by:)``.
    public static func / (a: Rational, b: Rational) -> Rational { fitting(a.divided(by: b), "\(a) / \(b)") }
    /// Returns the additive inverse.
    public static prefix func - (a: Rational) -> Rational { a.negated }

    private static func fitting(_ value: Rational?, _ operation: @autoclosure () -> String) -> Rational {
        guard let value else {
            preconditionFailure(
                "\(operation()) is not a ratio of 64-bit integers: use adding, subtracting, multiplied or divided, which return nil instead"
            )
        }
        return value
    }
}

extension Rational: ExpressibleByIntegerLiteral {
    /// Creates a ratio from an integer.
    public init(integerLiteral value: Int64) { self.init(value) }
}

extension Rational: ExpressibleByFloatLiteral {
    /// Creates a ratio from a decimal literal, exactly as written: `12.5`, `0.42`. Up to 15 digits are exact; for more
    /// digits, use a ratio of integers.
    ///
    /// - Precondition: a ratio of 64-bit integers can represent the number.
    public init(floatLiteral value: Double) {
        guard let ratio = Rational(approximating: value) else {
            preconditionFailure("\(value) is not a ratio of 64-bit integers: write Rational(a, b) instead")
        }
        self = ratio
    }
}

extension Double {
    /// Creates a floating-point approximation of a ratio, for display and for interfaces that use floating point.
    public init(_ ratio: Rational) { self = ratio.doubleValue }
}

extension Duration {
    /// Creates a duration from a time in seconds, rounded down to attoseconds.
    public init(_ seconds: Rational) {
        let whole = Rational.floor(Int128(seconds.numerator), Int128(seconds.denominator))
        let rest = Int128(seconds.numerator) - whole * Int128(seconds.denominator)
        // The remainder is below the denominator, so the product is below 2^123.
        let attoseconds = rest * 1_000_000_000_000_000_000 / Int128(seconds.denominator)
        self.init(secondsComponent: Int64(whole), attosecondsComponent: Int64(attoseconds))
    }
}

extension FramePosition {
    /// Returns the position at a time in seconds after the first frame's start. For example,
    /// `.seconds(Rational(1001, 30000))` names the frame on screen at exactly that time.
    public static func seconds(_ seconds: Rational) -> FramePosition { .time(seconds) }

    /// Returns the position at a whole number of seconds after the first frame's start. An equal `Double` gives the
    /// same position.
    public static func seconds(_ seconds: Int) -> FramePosition {
        .computedTime(ComputedTime(seconds: Rational(Int64(seconds)), decimals: 3))
    }

    /// Returns the position at a time that a program computed, in seconds after the first frame's start:
    /// `.seconds(12.5)`, `.seconds(Double(i) / 30)`, `.seconds(frame.seconds)`.
    ///
    /// The value is rounded to the nearest unit of the stream's time base. A number with at most three decimals also
    /// represents the later times within the same millisecond. If a number has more decimals and may have been parsed
    /// from text, it also represents all times that are printed the same way. A `Float` represents all times that round
    /// to it. As a result, `i / 30`, a sum of thirtieths, a frame's printed time, and ``PresentedFrame/seconds`` all
    /// name the intended frame in every container.
    ///
    /// - Precondition: the value is finite, and its magnitude is below 2^62. For other values,
    ///   ``seconds(approximating:)`` returns `nil`.
    public static func seconds(_ seconds: Double) -> FramePosition {
        guard let position = FramePosition.seconds(approximating: seconds) else {
            preconditionFailure("\(seconds) is not a valid time: use seconds(approximating:), which returns nil")
        }
        return position
    }

    /// Returns a position for a time in seconds that is already a `Double`, such as a player's time or a slider's
    /// value. The position is the same as from ``seconds(_:)-(Double)``.
    ///
    /// - Returns: the position; `nil` for NaN, infinities, and magnitudes of 2^62 and above.
    public static func seconds(approximating seconds: Double) -> FramePosition? {
        ComputedTime(seconds).map { .computedTime($0) }
    }

    /// Returns a position for a fraction of the presentation that is already a `Double`, such as a slider's value. The
    /// position uses the simplest ratio that rounds to the number, so 0.42 becomes 21/50.
    ///
    /// - Precondition: a ratio of 64-bit integers can represent the value, which excludes NaN and infinities. For other
    ///   values, ``fraction(approximating:)`` returns `nil`. A fraction outside 0...1 is accepted here, but using the
    ///   resulting position throws an error.
    @_disfavoredOverload
    public static func fraction(_ fraction: Double) -> FramePosition {
        guard let position = FramePosition.fraction(approximating: fraction) else {
            preconditionFailure("\(fraction) is not a valid fraction: use fraction(approximating:), which returns nil")
        }
        return position
    }

    /// Returns a position for a fraction of the presentation that is already a `Double`, or `nil` if the value is not
    /// valid.
    ///
    /// - Returns: the position; `nil` for NaN, infinities, and values that a ratio of 64-bit integers cannot represent.
    public static func fraction(approximating fraction: Double) -> FramePosition? {
        Rational(approximating: fraction).map { .fraction($0) }
    }

    /// Returns the position at a time after the first frame's start, as measured by a clock. It names the frame on
    /// screen at exactly that time.
    public static func time(_ duration: Duration) -> FramePosition { .time(Rational(duration)) }
}
