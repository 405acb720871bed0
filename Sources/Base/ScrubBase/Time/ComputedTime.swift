/// A time computed by a program in binary floating point: seconds after the first frame's start.
///
/// Such a number is rarely equal to the intended time. `1.0 / 30` is not 1/30, sums drift, and a `Float` has seven
/// digits. Containers round frame times to their own units. ``FramePosition/seconds(_:)-(Double)`` defines which frame
/// the number names.
///
/// Thread safety: a value type.
package struct ComputedTime: Hashable, Sendable {
    /// The number's value. If the shortest decimal form has no more digits than the type's precision, that form is the
    /// value.
    package let seconds: Rational
    /// The distance to the next representable number, if it is coarser than any container's unit, as for a `Float`; 0
    /// for a `Double`.
    package let spacing: Rational
    /// The number of decimals that the value may have been rounded or truncated to: those of its shortest form, at
    /// least three. `nil` if the shortest form has more digits than the type's precision, as is typical of computed
    /// numbers.
    package let decimals: Int?

    package init(seconds: Rational, spacing: Rational = .zero, decimals: Int? = nil) {
        (self.seconds, self.spacing, self.decimals) = (seconds, spacing, decimals.map { min(max(0, $0), 18) })
    }

    /// Creates a time from a number. A `Double` whose value is that of a `Float` with more than three decimals is
    /// treated as a `Float`, with that type's rounding.
    ///
    /// - Returns: `nil` for NaN, infinities, and magnitudes of 2^62 and above.
    package init?(_ number: Double) {
        guard let exact = Rational(nearest: number) else { return nil }
        let (written, single) = (ComputedTime.written(number.description, digits: 15), Float(number))
        guard Double(single) == number, written.map({ $0.decimals > 3 }) ?? true else {
            self.init(seconds: written?.value ?? exact, decimals: written.map { max(3, $0.decimals) })
            return
        }
        let short = ComputedTime.written(single.description, digits: 6)
        self.init(
            seconds: short?.value ?? exact, spacing: Rational(nearest: Double(single.ulp)) ?? .zero,
            decimals: (short ?? written).map { max(3, $0.decimals) })
    }

    /// Returns this container time relative to the first frame.
    ///
    /// - Parameter start: the first frame's time in the container.
    package func counted(from start: Rational) -> ComputedTime {
        ComputedTime(
            seconds: seconds.subtracting(start) ?? seconds.difference(start), spacing: spacing,
            decimals: decimals)
    }

    /// Returns the decimal number that a floating-point number prints as, if it has no more digits than the type's
    /// precision. Such a number may have been parsed from text.
    private static func written(_ description: String, digits: Int) -> (value: Rational, decimals: Int)? {
        let isNegative = description.hasPrefix("-")
        // Small numbers are printed as "2.9e-08".
        let halves = description.drop { $0 == "-" }.split(separator: "e", omittingEmptySubsequences: false)
        let parts = halves[0].split(separator: ".", omittingEmptySubsequences: false)
        if halves.count == 2 {
            let rest = parts.count == 2 && parts[1] != "0" ? String(parts[1]) : ""
            let number = String(parts[0]) + rest
            guard let exponent = Int(halves[1]), (-18...0).contains(exponent), rest.count - exponent <= 18,
                number.count <= digits, let value = Int64(number)
            else { return nil }
            let decimals = rest.count - exponent
            let scale = (0..<decimals).reduce(Int64(1)) { scale, _ in scale * 10 }
            return Rational(checked: isNegative ? -value : value, scale).map { ($0, decimals) }
        }
        guard parts.count == 2, parts[0].count + parts[1].count <= digits + 1, let whole = Int64(parts[0]),
            let rest = Int64(parts[1])
        else { return nil }
        let decimals = rest == 0 ? 0 : parts[1].count
        guard parts[0].count + decimals <= digits + (whole == 0 ? 1 : 0) else { return nil }
        let scale = (0..<decimals).reduce(Int64(1)) { scale, _ in scale * 10 }
        let value = whole * scale + rest
        return Rational(checked: isNegative ? -value : value, scale).map { ($0, decimals) }
    }

    /// Parses the form for programs: `~A/Bs`, `~A/B~C/Ds` and `~A/B~C/D~Ns`. These are the number, its spacing, and its
    /// decimals.
    ///
    /// - Returns: the time; `nil` for any other text.
    init?(_ text: String) {
        guard text.hasPrefix("~"), text.hasSuffix("s") else { return nil }
        let parts = text.dropFirst().dropLast().split(separator: "~", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), let seconds = ComputedTime.ratio(parts[0]) else { return nil }
        let spacing = parts.count > 1 ? ComputedTime.ratio(parts[1]) : .zero
        let decimals = parts.count == 3 ? Int(parts[2]) : nil
        guard let spacing, spacing >= .zero, parts.count < 3 || (0...18).contains(decimals ?? -1) else { return nil }
        self.init(seconds: seconds, spacing: spacing, decimals: decimals)
    }

    private static func ratio(_ text: Substring) -> Rational? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let numerator = Int64(parts[0]) else { return nil }
        guard parts.count == 2 else { return Rational(checked: numerator, 1) }
        return Int64(parts[1]).flatMap { $0 > 0 ? Rational(checked: numerator, $0) : nil }
    }
}

extension Rational {
    /// Returns the difference of two ratios, rounded to 2^-40 if a ratio of 64-bit integers cannot represent it. A
    /// difference beyond 2^22 is clamped to the maximum.
    fileprivate func difference(_ other: Rational) -> Rational {
        let a = Int128(numerator) * Int128(other.denominator) - Int128(other.numerator) * Int128(denominator)
        var divisor = Int128(denominator) * Int128(other.denominator)
        let whole = Rational.floor(a, divisor)
        guard whole.magnitude < 1 << 22 else { return Rational(whole < 0 ? -.max : .max) }
        var rest = a - whole * divisor
        if divisor >= 1 << 86 { (rest, divisor) = (rest >> 42, divisor >> 42) }
        return Rational(reducing: (whole << 40) + ((rest << 40) + divisor / 2) / divisor, 1 << 40) ?? .zero
    }

    /// Creates a ratio from a floating-point number without simplifying it, with up to 62 bits after the binary point.
    ///
    /// - Returns: `nil` for NaN, infinities, and magnitudes of 2^62 and above.
    init?(nearest number: Double) {
        guard number.isFinite, number.magnitude < 0x1p62 else { return nil }
        guard number != 0 else {
            self = .zero
            return
        }
        // As many bits after the binary point as possible with a numerator below 2^62.
        let bits = min(62, 61 - Int(number.exponent))
        let scaled = (number * Double(sign: .plus, exponent: bits, significand: 1)).rounded()
        guard let numerator = Int64(exactly: scaled) else { return nil }
        self.init(reducing: Int128(numerator), Int128(1) << Int128(max(0, bits)))
    }
}

// The frame that a computed time names in a container's time base.
extension ComputedTime {
    /// The maximum number of decimals that tools print for the time of a frame. Text with more decimals is assumed to
    /// be a number computed by a program.
    package static let mostPrinted = 9

    /// The number of parts in a unit. Positions between units are compared in parts.
    package static let unitParts: Int128 = 1 << 20

    /// Returns whether this time names the next frame rather than the one on screen. All times are in parts of a unit
    /// (``unitParts``).
    ///
    /// - Parameters:
    ///   - place: this time.
    ///   - own: the start of the frame on screen; `nil` before the first frame.
    ///   - next: the start of the next frame, which is after `place`.
    ///   - gap: the distance between the two frames' starts.
    package func names(next: Int128, at place: Int128, own: Int128?, gap: Int128, unit: Rational) -> Bool {
        let away = next - place
        if away <= ComputedTime.rounding(gap: gap) { return true }
        let since = own.map { place - $0 }
        // The nearest unit belongs to the frame on screen.
        if let since, 2 * since <= ComputedTime.unitParts { return false }
        // A product of two such numbers may be off by this much.
        if away < 2 * spacing.parts(of: unit), away <= since ?? away { return true }
        return isRounded(away, unit)
    }

    /// Returns whether a time after the end, in parts of a unit, still counts as the end.
    package func reaches(_ beyond: Int128, lastDuration: Int128, unit: Rational) -> Bool {
        beyond <= ComputedTime.rounding(gap: lastDuration) || beyond < 2 * spacing.parts(of: unit)
            || isRounded(beyond, unit)
    }

    /// Returns whether a number of parts is less than one unit of the last decimal.
    private func isRounded(_ parts: Int128, _ unit: Rational) -> Bool {
        decimals.map { decimals in
            let scale = (0..<decimals).reduce(Int64(1)) { scale, _ in scale * 10 }
            return parts < Rational(1, scale).parts(of: unit)
        } ?? false
    }

    /// Returns the maximum distance to a unit that is rounded: half a unit. If a frame is only a few units long, half a
    /// unit could be half a frame. In that case, only arithmetic errors are rounded away.
    private static func rounding(gap: Int128) -> Int128 { gap >= 4 * unitParts ? unitParts / 2 : unitParts / 64 }
}

extension Rational {
    /// Returns the number of parts of a unit (``ComputedTime/unitParts``), rounded. On overflow, returns a number far
    /// beyond all times.
    package func parts(of unit: Rational) -> Int128 {
        let (count, each) = (
            Int128(numerator) * Int128(unit.denominator), Int128(denominator) * Int128(unit.numerator)
        )
        let whole = Rational.floor(count, each)
        guard whole.magnitude < 1 << 100 else { return whole < 0 ? -(1 << 120) : 1 << 120 }
        var (rest, divisor) = (count - whole * each, each)
        if divisor >= 1 << 104 { (rest, divisor) = (rest >> 24, divisor >> 24) }
        return whole * ComputedTime.unitParts + (2 * rest * ComputedTime.unitParts + divisor) / (2 * divisor)
    }

    /// Common frame rates, the most likely first.
    package static let usualFrameRates: [Rational] =
        [25, 30, 24, 50, 60, 12, 15, 10, 48, 100, 120, 240, 5, 20, 1]
        + [30, 24, 60, 48, 120, 15, 12].map { Rational($0 * 1000, 1001) }
}
