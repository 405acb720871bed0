package import ScrubBase

/// A frame's time as other tools print it. ffprobe prints six decimals, players three, editors as many as they like.
/// Some round, some cut off.
package enum PrintedTimes {
    /// The time with so many decimals, cut off and rounded.
    package static func texts(_ time: Rational, decimals: Int) -> Set<String> {
        let (n, d, scale) = (Int128(time.numerator) * power(decimals), Int128(time.denominator), power(decimals))
        return Set(
            [n / d, (2 * n + d) / (2 * d)].map { units in
                "\(units / scale)." + PlainText.padded(units % scale, to: decimals)
            })
    }

    /// With 3 to 9 decimals, as far as so many can tell a frame from its neighbours.
    ///
    /// - Parameter distance: seconds to the nearer neighbour.
    package static func texts(_ time: Rational, distance: Rational) -> Set<String> {
        (3...9).reduce(into: []) { texts, decimals in
            // A frame may be printed half a unit early, and a text stands for one unit.
            if Rational(3, 2 * Int64(power(decimals))) <= distance {
                texts.formUnion(PrintedTimes.texts(time, decimals: decimals))
            }
        }
    }

    private static func power(_ decimals: Int) -> Int128 { (0..<decimals).reduce(1) { power, _ in power * 10 } }
}
