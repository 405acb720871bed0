/// A position in a video, exactly as written: a fraction, a time, a timecode or a frame number.
///
/// The text is parsed once into integers and ratios and never converted to binary floating point: `0.42` is 42/100.
///
/// | written | means |
/// |---|---|
/// | `0.42`, `1`, `42%`, `1/3` | the frame on screen at that fraction of the presentation; 1 is the last frame |
/// | `12.5s`, `90ms`, `1:02.5`, `00:01:02.500` | the frame on screen at that time after the first frame, with millisecond precision or finer |
/// | `2m`, `1h`, `1h2m3.5s`, `1.5h` | the same with units; a number that follows another unit must be below 60, and the last number may have a decimal point |
/// | `01:00:03:12`, `01:00:03;12` | the frame with that SMPTE timecode (``Timecode``), counted from the file's first timecode, or from 00:00:00:00 if it has none |
/// | `f1234`, `#1234`, `f-1` | a frame number, counted from 0, or from the end if negative |
/// | `first`, `last` | the first or the last frame |
///
/// A time in text is treated as having at least three decimals: `13.78s` means `13.780s`. It represents every time that
/// rounds or truncates to the same text. It names the frame that begins at exactly this time. If no frame does, it
/// names a frame that begins less than one unit of the last decimal later. If there is no such frame either, it names
/// the frame on screen at this time. As a result, the time that a tool prints for a frame names that frame. For
/// example, frame 88 at 30 frames per second begins at 2.93333... s. `0:02.933` and `2.933333s` name frame 88, whereas
/// `.time(2.933)` names frame 87.
///
/// Thread safety: a value type.
public struct FramePosition: Hashable, Sendable {
    /// The notation of a position, with its exact value.
    package enum Kind: Hashable, Sendable {
        /// A fraction of the time from the first frame's start to the last frame's end.
        case fraction(Rational)
        /// Seconds after the first frame's start: the frame on screen at exactly that time.
        case time(Rational)
        /// Seconds after the first frame's start as written in text, rounded or truncated to a number of decimals. It
        /// represents all times that are written this way. It names the frame that begins at this time; failing that, a
        /// frame that begins less than one unit of the last decimal later; failing that, the frame on screen.
        ///
        /// There are at most 18 decimals; more count as 18. Text with more than nine decimals is assumed to be a number
        /// printed by a program and is also rounded like a computed time.
        case roundedTime(Rational, decimals: Int)
        /// Seconds after the first frame's start, as computed by a program in binary floating point.
        case computedTime(ComputedTime)
        /// An SMPTE timecode label.
        case timecode(Timecode)
        /// A frame number in display order. A negative number counts from the end.
        case frame(Int)
    }

    /// The notation, with its exact value.
    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    /// A fraction of the time from the first frame's start to the last frame's end. The value 1 names the last frame.
    public static func fraction(_ fraction: Rational) -> FramePosition { FramePosition(.fraction(fraction)) }

    /// A time in seconds after the first frame's start. It names the frame on screen at exactly that time.
    ///
    /// If a frame's time was rounded to a few decimals, it may be earlier than the frame's start. For such a time, use
    /// ``seconds(_:)-(Double)`` or text (``init(_:)``).
    public static func time(_ seconds: Rational) -> FramePosition { FramePosition(.time(seconds)) }

    /// An SMPTE timecode label. Labels are counted from the file's first label, which is stored in a QuickTime timecode
    /// track or a `timecode` tag. If that label is drop-frame, this label is treated as drop-frame too, even if it is
    /// written with a colon. If the file has no label, labels are counted from 00:00:00:00. Timecode requires a
    /// constant rate of 23.976, 24, 25, 29.97, 30, 50, 59.94 or 60 frames per second; for other rates, resolving the
    /// position fails.
    public static func timecode(_ timecode: Timecode) -> FramePosition { FramePosition(.timecode(timecode)) }

    /// A frame number in display order. A negative number counts from the end: -1 is the last frame.
    public static func frame(_ number: Int) -> FramePosition { FramePosition(.frame(number)) }

    /// Seconds as written in text, with a number of decimals.
    package static func roundedTime(_ seconds: Rational, decimals: Int) -> FramePosition {
        FramePosition(.roundedTime(seconds, decimals: decimals))
    }

    /// Seconds as computed by a program.
    package static func computedTime(_ time: ComputedTime) -> FramePosition { FramePosition(.computedTime(time)) }

    /// The seconds of a time, in any notation; `nil` for positions that are not times.
    package var writtenTime: Rational? {
        switch kind {
        case .time(let seconds), .roundedTime(let seconds, _): seconds
        case .computedTime(let time): time.seconds
        default: nil
        }
    }

    /// The first frame.
    public static let first = FramePosition.frame(0)
    /// The last frame.
    public static let last = FramePosition.frame(-1)

    /// Creates a position from text in one of the notations listed in ``FramePosition``.
    ///
    /// Some programs print times with more than 18 digits after the decimal point. Such a time is truncated to twelve
    /// decimals. Fractions are never truncated.
    ///
    /// - Throws: ``ScrubError/Code/usage`` if the text is not a position, if it has more than 18 digits before the
    ///   decimal point, or if it is a fraction with more than 18 digits after the decimal point.
    public init(_ text: String) throws(ScrubError) {
        switch text {
        case "first": self = .first
        case "last": self = .last
        default:
            guard let position = try FramePosition.parse(text) else {
                throw ScrubError(
                    .usage, "'\(text)' is not a position",
                    advice:
                        "write a fraction such as 0.42 or 42%, a time such as 12.5s, 1:02.5 or 1h2m, a timecode such as 01:00:03:12, or a frame such as f1234"
                )
            }
            self = position
        }
    }

    private static func parse(_ text: String) throws(ScrubError) -> FramePosition? {
        if let number = text.removing(prefix: "f") ?? text.removing(prefix: "#") {
            return Int(number).map { .frame($0) }
        }
        if let percent = text.removing(suffix: "%") {
            return try decimal(percent)?.value.divided(by: Rational(100)).map { .fraction($0) }
        }
        if let milliseconds = text.removing(suffix: "ms") {
            return try decimal(milliseconds, cuts: true).flatMap { number in
                number.value.divided(by: Rational(1000)).map { .time($0, places: number.places + 3) }
            }
        }
        if let timecode = try Timecode.parse(text) { return .timecode(timecode) }
        if text.contains(":") { return try clock(text).map { .time($0.value, places: $0.places) } }
        if let unit = text.last, "hms".contains(unit) {
            if let computed = ComputedTime(text) { return .computedTime(computed) }
            // Decimals of minutes and hours do not count as decimals of seconds.
            return try units(text).map { .time($0.value, places: unit == "s" ? $0.places : 0) }
        }
        if let slash = text.firstIndex(of: "/") {
            guard let a = Int64(text[..<slash]), let b = Int64(text[text.index(after: slash)...]) else { return nil }
            return Rational(checked: a, b).map { .fraction($0) }
        }
        return try decimal(text).map { .fraction($0.value) }
    }

    /// Returns a position from a time.
    ///
    /// - Parameter places: the number of decimals of the seconds.
    private static func time(_ seconds: Rational, places: Int) -> FramePosition {
        .roundedTime(seconds, decimals: min(max(3, places), 18))
    }

    /// A number and its number of written decimals.
    private typealias Decimal = (value: Rational, places: Int)

    /// Parses `[[hours:]minutes:]seconds[.fraction]`, where minutes and seconds must be below 60 if preceded by another
    /// component.
    private static func clock(_ text: String) throws(ScrubError) -> Decimal? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let last = parts.last, !last.hasPrefix("-"), !last.hasPrefix("+"),
            let (seconds, places) = try decimal(String(last), cuts: true), seconds < Rational(60)
        else { return nil }
        var whole: Int64 = 0
        for (place, part) in parts.dropLast().enumerated() {
            guard part.allSatisfy(\.isASCIIDigit), let value = Int64(part), place == 0 || value < 60,
                value <= 1_000_000_000
            else { return nil }
            whole = whole * 60 + value
        }
        let (product, overflow) = whole.multipliedReportingOverflow(by: 60)
        guard !overflow else { return nil }
        return Rational(
            reducing: Int128(product) * Int128(seconds.denominator) + Int128(seconds.numerator),
            Int128(seconds.denominator)
        ).map { ($0, places) }
    }

    /// Parses `[hours h][minutes m][seconds s]` in this order, each at most once, with at least one of them. Only the
    /// last may have a decimal point, and only the first may be 60 or more. A minus sign must be at the start.
    private static func units(_ text: String) throws(ScrubError) -> Decimal? {
        let isNegative = text.hasPrefix("-")
        var rest = isNegative ? text.dropFirst() : text[...]
        var (sum, places) = (Rational.zero, 0)
        var isFirst = true
        for (unit, seconds) in [("h", 3600), ("m", 60), ("s", 1)] as [(Character, Int64)] {
            guard let end = rest.firstIndex(of: unit) else { continue }
            let digits = rest[..<end]
            rest = rest[rest.index(after: end)...]
            guard rest.isEmpty || digits.allSatisfy(\.isASCIIDigit), !digits.hasPrefix("-"),
                let number = try decimal(String(digits), cuts: true), isFirst || number.value < Rational(60)
            else { return nil }
            guard let part = number.value.multiplied(by: Rational(seconds)), let total = sum.adding(part) else {
                throw tooLong(text)
            }
            (sum, places, isFirst) = (total, number.places, false)
        }
        guard rest.isEmpty, !isFirst else { return nil }
        return (isNegative ? sum.negated : sum, places)
    }

    /// Returns the exact value of a decimal number.
    ///
    /// - Parameter cuts: whether to truncate a number with more than 18 decimals.
    private static func decimal(_ text: String, cuts: Bool = false) throws(ScrubError) -> Decimal? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = parts.first ?? ""
        var fraction = parts.count > 1 ? parts[1] : ""
        guard whole.allSatisfy(\.isASCIIDigit), fraction.allSatisfy(\.isASCIIDigit),
            !(whole.isEmpty && fraction.isEmpty)
        else { return nil }
        var places = fraction.count
        while fraction.hasSuffix("0") { fraction = fraction.dropLast() }
        if cuts, fraction.count > 18 {
            fraction = fraction.prefix(12)
            places = 12
        }
        // 18 digits keep every product with a 64-bit time within 128 bits.
        guard fraction.count <= 18, whole.drop(while: { $0 == "0" }).count <= 18 else { throw tooLong(text) }
        guard let value = Int128(whole.isEmpty ? "0" : String(whole)),
            let part = Int128(fraction.isEmpty ? "0" : String(fraction))
        else { return nil }
        let scale = (0..<fraction.count).reduce(Int128(1)) { scale, _ in scale * 10 }
        guard let result = Rational(reducing: (value * scale + part) * (isNegative ? -1 : 1), scale) else {
            throw tooLong(text)
        }
        return (result, places)
    }

    private static func tooLong(_ text: String) -> ScrubError {
        ScrubError(
            .usage, "'\(text)' has too many digits",
            advice: "use at most 18 digits; nine after the decimal point are enough for nanoseconds")
    }
}

extension String {
    fileprivate func removing(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
    fileprivate func removing(suffix: String) -> String? {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
