internal import ScrubBase

extension Rational {
    /// Returns the nearest whole number, in `units` per second; halves are rounded up.
    func rounded(_ units: Int64) -> Int128 {
        // Below 2^126: a numerator has 63 bits, and units are 1000 or 10^9.
        Rational.floor(Int128(numerator) * Int128(units) * 2 + Int128(denominator), 2 * Int128(denominator))
    }

    /// Returns the smallest whole number, in `units` per second, that is not below the value.
    func roundedUp(_ units: Int64) -> Int128 {
        -Rational.floor(-Int128(numerator) * Int128(units), Int128(denominator))
    }

    /// Nanoseconds per second: the step of every decimal number that is not limited to milliseconds.
    static let nanoseconds: Int64 = 1_000_000_000
    /// Milliseconds per second.
    static let milliseconds: Int64 = 1000

    /// Returns seconds as a decimal to the nanosecond, with at least `places` digits after the point.
    func decimal(atLeast places: Int = 0) -> String {
        Rational.decimal(nanoseconds: rounded(Rational.nanoseconds), atLeast: places)
    }

    /// The start of a slot, in seconds. Boundaries were truncated to milliseconds; with fewer digits, the text would be
    /// slightly before its frame.
    var slotText: String { self == .zero ? "0" : decimal(atLeast: 3) }

    /// Returns whole nanoseconds as decimal seconds.
    static func decimal(nanoseconds: Int128, atLeast places: Int = 0) -> String {
        let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        var digits = PlainText.padded(rest, to: 9)
        while digits.utf8.count > places, digits.hasSuffix("0") { digits.removeLast() }
        return (nanoseconds < 0 ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : "." + digits)
    }

    /// Parses a decimal number, with or without an exponent, exactly; `nil` if it is not one or does not fit.
    init?(decimal text: some StringProtocol) {
        var parts = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E")
        }[...]
        guard let mantissa = parts.popFirst() else { return nil }
        let isNegative = mantissa.first == UInt8(ascii: "-")
        let sides = (isNegative ? mantissa.dropFirst() : mantissa).split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let (whole, fraction) = (sides[0], sides.count > 1 ? sides[1] : sides[0].prefix(0))
        // 18 digits on each side stay below 10^36.
        guard !whole.isEmpty, sides.count == 1 || !fraction.isEmpty, whole.count <= 18, fraction.count <= 18 else {
            return nil
        }
        var (value, scale): (Int128, Int128) = (0, 1)
        for (place, byte) in (Array(whole) + Array(fraction)).enumerated() {
            guard let digit = byte.digit else { return nil }
            value = value * 10 + Int128(digit)
            if place >= whole.count { scale *= 10 }
        }
        guard let plain = Rational(reducing: isNegative ? -value : value, scale) else { return nil }
        guard let exponent = parts.first else {
            self = plain
            return
        }
        guard let power = Int(String(decoding: exponent, as: UTF8.self)), (-18...18).contains(power) else { return nil }
        let factor = Rational((0..<power.magnitude).reduce(1) { factor, _ in factor * 10 })
        guard let scaled = power < 0 ? plain.divided(by: factor) : plain.multiplied(by: factor) else { return nil }
        self = scaled
    }

    /// Parses a ratio as written by ``description``, or a whole number.
    init?(ratio text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let numerator = Int64(parts[0]) else { return nil }
        guard let denominator = parts.count == 2 ? Int64(parts[1]) : 1, denominator > 0 else { return nil }
        self.init(checked: numerator, denominator)
    }
}

extension UInt8 {
    /// The value of an ASCII digit.
    var digit: UInt8? { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? self - UInt8(ascii: "0") : nil }
}

extension StringProtocol {
    /// The lines, with any line ending, without a byte order mark.
    ///
    /// Bytes are inspected, because to Swift CR LF is one character and a combining mark joins the preceding character.
    var lines: [String] {
        var lines: [String] = []
        var bytes = Array(utf8)[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        while let end = bytes.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
            lines.append(String(decoding: bytes[..<end], as: UTF8.self))
            let isPair = bytes[end] == 0x0D && end + 1 < bytes.endIndex && bytes[end + 1] == 0x0A
            bytes = bytes[(end + (isPair ? 2 : 1))...]
        }
        if !bytes.isEmpty { lines.append(String(decoding: bytes, as: UTF8.self)) }
        return lines
    }

    /// A whole number of ASCII digits, without a sign.
    var naturalNumber: Int? { utf8.allSatisfy { $0.digit != nil } ? Int(self) : nil }

    /// Two whole numbers with an `x` between them, such as `10x5`.
    ///
    /// The specification of image playlists itself uses a multiplication sign in places.
    var pair: (Int, Int)? {
        let parts = split(omittingEmptySubsequences: false) { $0 == "x" || $0 == "\u{D7}" }
        guard parts.count == 2, let a = parts[0].naturalNumber, let b = parts[1].naturalNumber else { return nil }
        return (a, b)
    }
}

extension JSONObject {
    func rational(_ key: String) throws(ScrubError) -> Rational {
        guard let text = digits(key), let number = Rational(decimal: text) else {
            throw fault(key, "a decimal number that fits in 64 bits")
        }
        return number
    }
}
