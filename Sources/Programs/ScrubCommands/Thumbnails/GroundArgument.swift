#if CommandLine
internal import ArgumentParser
internal import Scrub

/// The color behind transparent pixels.
struct GroundArgument: ParsableArguments {
    @Option(help: "The color behind transparent pixels, as #rrggbb or #rgb.")
    var ground = "#000000"

    func validate() throws {
        if Self.color(ground) == nil {
            throw ValidationError("--ground '\(ground)' is not a color: use a color such as '#ffffff' or '#fff'")
        }
    }

    var color: RGBColor { Self.color(ground) ?? .black }

    private static func color(_ text: String) -> RGBColor? {
        let digits = Array(text.hasPrefix("#") ? text.dropFirst() : text[...])
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        let values = digits.compactMap { $0.hexDigitValue }
        switch values.count {
        case 3: return RGBColor(red: UInt8(values[0] * 17), green: UInt8(values[1] * 17), blue: UInt8(values[2] * 17))
        case 6:
            let parts = [0, 2, 4].map { UInt8(values[$0] * 16 + values[$0 + 1]) }
            return RGBColor(red: parts[0], green: parts[1], blue: parts[2])
        default: return nil
        }
    }
}
#endif
