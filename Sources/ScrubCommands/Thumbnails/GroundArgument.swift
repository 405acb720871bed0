internal import ArgumentParser

/// What is seen behind transparent pixels.
struct GroundArgument: ParsableArguments {
    @Option(help: "The color behind transparent pixels: #rrggbb, or #rgb.")
    var ground = "#000000"

    func validate() throws {
        if Self.color(ground) == nil {
            throw ValidationError("--ground \(ground): write a color as #ffffff or #fff")
        }
    }

    /// Red, green and blue.
    var color: [UInt8] { Self.color(ground) ?? [0, 0, 0] }

    private static func color(_ text: String) -> [UInt8]? {
        let digits = Array(text.hasPrefix("#") ? text.dropFirst() : text[...])
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        let values = digits.compactMap { $0.hexDigitValue }
        switch values.count {
        case 3: return values.map { UInt8($0 * 17) }
        case 6: return [0, 2, 4].map { UInt8(values[$0] * 16 + values[$0 + 1]) }
        default: return nil
        }
    }
}
