package import ScrubBase

/// A time as written in a playlist: the exact value of decimal text, in units of 10^-18 seconds.
///
/// Sums of all segments stay exact, however many digits were written. Binary floating point is not used.
package struct PlaylistTime: Hashable, Comparable, Sendable {
    /// The time in units of 10^-18 seconds.
    package var attoseconds: Int128

    package static let zero = PlaylistTime(attoseconds: 0)
    private static let second: Int128 = 1_000_000_000_000_000_000

    package init(attoseconds: Int128) { self.attoseconds = attoseconds }

    /// Parses a decimal number of seconds, 0 or above.
    ///
    /// - Returns: nil for other text, and for times beyond ``PlaylistLimits/seconds``. Digits after the 18th decimal
    ///   are insignificant and are dropped.
    init?(_ text: Substring) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, !(whole.isEmpty && (parts.count == 1 || parts[1].isEmpty)) else { return nil }
        var value: Int128 = 0
        for byte in whole {
            guard let digit = PlaylistTime.digit(byte) else { return nil }
            value = value * 10 + digit
            guard value <= PlaylistLimits.seconds else { return nil }
        }
        value *= PlaylistTime.second
        var unit = PlaylistTime.second
        for byte in parts.dropFirst().first ?? whole.prefix(0) {
            guard let digit = PlaylistTime.digit(byte) else { return nil }
            unit /= 10
            value += digit * unit
        }
        attoseconds = value
    }

    private static func digit(_ byte: UInt8) -> Int128? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int128(byte - UInt8(ascii: "0")) : nil
    }

    /// The seconds as a ratio: exact if there are at most nine decimals or if 64-bit integers can represent it, and
    /// otherwise rounded down to nanoseconds.
    package var seconds: Rational {
        if let exact = Rational(reducing: attoseconds, PlaylistTime.second) { return exact }
        return Rational(reducing: attoseconds / 1_000_000_000, 1_000_000_000) ?? .zero
    }

    package static func < (a: PlaylistTime, b: PlaylistTime) -> Bool { a.attoseconds < b.attoseconds }
    package static func + (a: PlaylistTime, b: PlaylistTime) -> PlaylistTime {
        PlaylistTime(attoseconds: a.attoseconds + b.attoseconds)
    }
}
