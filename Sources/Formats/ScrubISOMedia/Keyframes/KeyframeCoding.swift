package import ScrubBase

/// The coding of a ``KeyframeMovie``'s samples: the sample entry's name and the configuration with which a decoder is
/// opened.
package struct KeyframeCoding: Hashable, Sendable {
    /// The part of the coding that is not in the pictures' bytes: the colours, numbered as in ITU-T H.273.
    package struct Colors: Hashable, Sendable {
        /// ColourPrimaries; 2 if unknown.
        package var primaries: UInt16
        /// TransferCharacteristics; 2 if unknown.
        package var transfer: UInt16
        /// MatrixCoefficients; 2 if unknown.
        package var matrix: UInt16
        /// VideoFullRangeFlag.
        package var isFullRange: Bool

        package init(primaries: UInt16 = 2, transfer: UInt16 = 2, matrix: UInt16 = 2, isFullRange: Bool = false) {
            (self.primaries, self.transfer, self.matrix) = (primaries, transfer, matrix)
            self.isFullRange = isFullRange
        }

        /// Whether any of the values requires a box.
        package var isKnown: Bool { primaries != 2 || transfer != 2 || matrix != 2 || isFullRange }
    }

    /// The sample entry's name.
    package let format: FourCC
    /// The box that contains the configuration; `nil` for codings that do not need one.
    let configurationType: FourCC?
    /// The content of that box.
    package let configuration: [UInt8]
    /// The colours.
    package let colors: Colors
    /// The `codecs` parameter, according to RFC 6381 and the codecs' own bindings.
    package let codecs: String

    /// Creates a coding from a configuration.
    ///
    /// - Parameters:
    ///   - format: `avc1`, `avc3`, `hvc1`, `hev1` (ISO/IEC 14496-15), `av01` (AV1 in ISO-BMFF), `vp09` (VP in
    ///     ISO-BMFF) or `mjpg` (ISO/IEC 23008-12, Annex H).
    ///   - configuration: the content of the avcC, hvcC, av1C or vpcC box, the last one with its version and flags.
    ///     Empty for `mjpg`, whose samples are whole JPEG files with their own tables.
    /// - Throws: ``ScrubError/Code/unavailable`` for other formats, ``ScrubError/Code/badData`` for bytes that are not
    ///   a configuration.
    package init(format: FourCC, configuration: [UInt8], colors: Colors = Colors()) throws(ScrubError) {
        let type: FourCC?
        let name: String?
        switch format {
        case "avc1", "avc3":
            type = "avcC"
            name = KeyframeCoding.avcName(format, configuration)
        case "hvc1", "hev1":
            type = "hvcC"
            name = KeyframeCoding.hevcName(format, configuration)
        case "av01":
            type = "av1C"
            name = KeyframeCoding.av1Name(configuration, colors)
        case "vp09":
            type = "vpcC"
            name = KeyframeCoding.vp9Name(configuration)
        case "mjpg":
            type = nil
            name = configuration.isEmpty ? "mjpg" : nil
        default: throw ScrubError(.unavailable, "'\(format)' key pictures cannot be copied into a movie")
        }
        guard let name, configuration.count < 1 << 24 else {
            throw ScrubError(
                .badData, "its \(configuration.count) bytes are not a valid decoder configuration",
                place: .box("\(type ?? format)"))
        }
        (self.format, configurationType, self.configuration) = (format, type, configuration)
        (self.colors, codecs) = (colors, name)
    }

    /// Returns `avc1.PPCCLL` (RFC 6381, 3.3): profile, constraints and level in hexadecimal.
    private static func avcName(_ format: FourCC, _ bytes: [UInt8]) -> String? {
        guard bytes.count >= 7, bytes[0] == 1 else { return nil }
        return "\(format)." + bytes[1...3].map { hex($0) }.joined()
    }

    /// Returns `hvc1.1.6.L93.B0` (ISO/IEC 14496-15, E.3): profile, compatibility with its bits reversed, tier and
    /// level, constraints without trailing zeros.
    private static func hevcName(_ format: FourCC, _ bytes: [UInt8]) -> String? {
        guard bytes.count >= 23, bytes[0] <= 1 else { return nil }
        let space = ["", "A", "B", "C"][Int(bytes[1] >> 6)]
        var compatibility = bigEndian32(bytes.span, at: 2)
        var reversed: UInt32 = 0
        for _ in 0..<32 {
            reversed = reversed << 1 | compatibility & 1
            compatibility >>= 1
        }
        var parts = [
            "\(format)", space + String(bytes[1] & 0x1F), String(reversed, radix: 16, uppercase: true),
            (bytes[1] & 0x20 == 0 ? "L" : "H") + String(bytes[12]),
        ]
        var constraints = Array(bytes[6..<12])
        while constraints.last == 0 { constraints.removeLast() }
        parts += constraints.map { String($0, radix: 16, uppercase: true) }
        return parts.joined(separator: ".")
    }

    /// Returns `av01.0.04M.08` (AV1 in ISO-BMFF, 5): profile, level and tier, depth; with all remaining fields if any
    /// of them differs from its default.
    private static func av1Name(_ bytes: [UInt8], _ colors: Colors) -> String? {
        guard bytes.count >= 4, bytes[0] == 0x81 else { return nil }
        let flags = bytes[2]
        let depth = flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
        let name =
            "av01.\(bytes[1] >> 5)." + twoDigits(Int(bytes[1] & 0x1F)) + (flags & 0x80 == 0 ? "M." : "H.")
            + twoDigits(depth)
        let isMonochrome = flags & 0x10 != 0
        let chroma = "\(flags >> 3 & 1)\(flags >> 2 & 1)\(flags & 0xC == 0xC ? flags & 3 : 0)"
        let isPlain = !isMonochrome && flags & 0xC == 0xC && flags & 3 == 0
        // Unknown colours are omitted, and with them the remaining fields.
        guard colors.isKnown, !isPlain || colors != Colors(primaries: 1, transfer: 1, matrix: 1) else { return name }
        return name + ".\(isMonochrome ? 1 : 0).\(chroma)" + colorParts(colors) + (colors.isFullRange ? ".1" : ".0")
    }

    /// Returns `vp09.00.10.08` (VP in ISO-BMFF): profile, level, depth; with the remaining fields as for AV1.
    private static func vp9Name(_ bytes: [UInt8]) -> String? {
        guard bytes.count >= 12, bytes[0] == 1, bytes[4] <= 3 else { return nil }
        let name = "vp09." + [Int(bytes[4]), Int(bytes[5]), Int(bytes[6] >> 4)].map(twoDigits).joined(separator: ".")
        let colors = Colors(
            primaries: UInt16(bytes[7]), transfer: UInt16(bytes[8]), matrix: UInt16(bytes[9]),
            isFullRange: bytes[6] & 1 == 1)
        let chroma = Int(bytes[6] >> 1 & 7)
        guard colors.isKnown, chroma != 1 || colors != Colors(primaries: 1, transfer: 1, matrix: 1) else { return name }
        return name + "." + twoDigits(chroma) + colorParts(colors) + (colors.isFullRange ? ".01" : ".00")
    }

    private static func colorParts(_ colors: Colors) -> String {
        [colors.primaries, colors.transfer, colors.matrix].map { "." + twoDigits(Int($0)) }.joined()
    }

    private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    private static func twoDigits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
}
