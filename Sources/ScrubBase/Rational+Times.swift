// Times as people write them.
extension Rational {
    /// The ratio that a binary floating-point number was written for: the simplest one that rounds to it. `0.42` is 21/50, and
    /// `1.0 / 3.0` is 1/3, although neither has that very value in binary.
    ///
    /// For sliders and clocks that count in `Double`. Nothing else in this library computes with floating point.
    ///
    /// - Returns: `nil` for infinities, NaN, and magnitudes that no ratio of 64-bit integers has: above 2^63, or other than 0
    ///   and below about 2^-62.
    public init?(approximating value: Double) {
        guard value.isFinite, value.magnitude < 0x1p63 else { return nil }
        // Continued fraction; each convergent is the best ratio with a denominator of its size.
        var rest = value.magnitude
        var (previous, current): ((Int128, Int128), (Int128, Int128)) = ((0, 1), (1, 0))
        while true {
            let whole = rest.rounded(.down)
            let digit = Int128(whole)
            let next = (digit * current.0 + previous.0, digit * current.1 + previous.1)
            guard next.0 <= Int128(Int64.max), next.1 <= Int128(Int64.max) else { return nil }
            (previous, current) = (current, next)
            if Double(next.0) / Double(next.1) == value.magnitude { break }
            rest -= whole
            guard rest > 0 else { return nil }
            rest = 1 / rest
            guard rest < 0x1p63 else { return nil }
        }
        self.init(reducing: value < 0 ? -current.0 : current.0, current.1)
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

    /// The sum.
    ///
    /// - Precondition: it fits in 64-bit integers; ``adding(_:)`` tells.
    public static func + (a: Rational, b: Rational) -> Rational { fitting(a.adding(b), "\(a) + \(b)") }
    /// The difference.
    ///
    /// - Precondition: it fits in 64-bit integers; ``subtracting(_:)`` tells.
    public static func - (a: Rational, b: Rational) -> Rational { fitting(a.subtracting(b), "\(a) - \(b)") }
    /// The product.
    ///
    /// - Precondition: it fits in 64-bit integers; ``multiplied(by:)`` tells.
    public static func * (a: Rational, b: Rational) -> Rational { fitting(a.multiplied(by: b), "\(a) * \(b)") }
    /// The quotient.
    ///
    /// - Precondition: `b` is not zero, and it fits in 64-bit integers; ``divided(by:)`` tells.
    public static func / (a: Rational, b: Rational) -> Rational { fitting(a.divided(by: b), "\(a) / \(b)") }
    /// The same distance from zero on the other side.
    public static prefix func - (a: Rational) -> Rational { a.negated }

    private static func fitting(_ value: Rational?, _ operation: @autoclosure () -> String) -> Rational {
        guard let value else {
            preconditionFailure(
                "\(operation()) is no ratio of 64-bit integers: use adding, subtracting, multiplied or divided, which tell"
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
    /// A decimal number as it is written: `12.5`, `0.42`. Up to 15 digits are exact; more belong into a ratio of integers.
    ///
    /// - Precondition: 64-bit integers have such a ratio.
    public init(floatLiteral value: Double) {
        guard let ratio = Rational(approximating: value) else {
            preconditionFailure("\(value) is no ratio of 64-bit integers: write it as one, Rational(a, b)")
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

extension Position {
    /// A time in seconds after the first frame's start: `.seconds(12.5)`, `.seconds(Rational(1001, 30000))`.
    public static func seconds(_ seconds: Rational) -> Position { .time(seconds) }

    /// A time in seconds that is a `Double` already, as a player's or a slider's is: the simplest ratio that rounds to it.
    ///
    /// - Returns: `nil` for NaN, infinities, and what is beyond 64-bit ratios.
    public static func seconds(approximating seconds: Double) -> Position? {
        Rational(approximating: seconds).map { .time($0) }
    }

    /// A time after the first frame's start, as clocks measure it.
    public static func time(_ duration: Duration) -> Position { .time(Rational(duration)) }
}
