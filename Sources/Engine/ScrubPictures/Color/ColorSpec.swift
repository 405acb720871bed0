package import ScrubLibAV

/// The meaning of a picture's sample values: code points of ISO/IEC 23091-2 (the same as Rec. ITU-T H.273).
package struct ColorSpec: Sendable, Hashable {
    /// MatrixCoefficients: 0 for RGB and gray without chroma, 1 for BT.709, 5 and 6 for BT.601, 9 for BT.2020, and so
    /// on.
    package var matrix: UInt8
    /// Whether black is 0 and white the maximum code (VideoFullRangeFlag).
    package var isFullRange: Bool
    /// ColourPrimaries; 2 if unspecified.
    package var primaries: UInt8
    /// TransferCharacteristics; 2 if unspecified.
    package var transfer: UInt8
    /// The maximum luminance of PQ content in nits, if a plausible value is specified.
    package var peak: Double?

    package init(matrix: UInt8, isFullRange: Bool, primaries: UInt8 = 2, transfer: UInt8 = 2) {
        self.matrix = matrix
        self.isFullRange = isFullRange
        self.primaries = primaries
        self.transfer = transfer
    }

    /// The same primaries and transfer, as full-range RGB.
    var asRGB: ColorSpec {
        var color = self
        (color.matrix, color.isFullRange) = (0, true)
        return color
    }

    /// The value “unspecified” in all three lists of the standard.
    package static let unspecified: UInt8 = 2

    /// Returns the color specification of a decoded picture from its own tags, then the stream's, then a guess.
    ///
    /// The guesses, for values without a tag:
    /// - Matrix: BT.601 up to 1279x576, BT.709 above, as in common players. BT.2020's matrix only when the primaries
    ///   are tagged BT.2020. WebP is BT.601 at every size (RFC 9649, 2.5).
    /// - Range: full for RGB and for `yuvj` formats, otherwise limited. Gray pictures of still-image and archive codecs
    ///   are full: only video codecs use limited range for gray.
    ///
    /// - Returns: the specification, and a warning for every tag that could not be applied.
    package static func resolve(
        frame: borrowing Frame, codec: CodecDescription?
    ) -> (color: ColorSpec, warnings: [String]) {
        let primaries = code(frame.colorPrimaries, else: codec?.colorPrimaries)
        let transfer = code(frame.colorTransfer, else: codec?.colorTransfer)
        let format = frame.pixelFormat
        var color = ColorSpec(
            matrix: 0, isFullRange: isFullRange(format, tag: frame.colorRange, codec: codec),
            primaries: primaries, transfer: transfer)
        if transfer == 16 { color.peak = believablePeak(frame.lightMetadata, else: codec?.lightMetadata) }
        guard !format.isRGB, !format.isPaletted, !format.isGray, !format.isXYZ else { return (color, []) }

        // Zero is the identity matrix of RGB: in `CodecDescription` and in `AVFrame`, “unspecified” is 2, and a
        // reserved value gives no information.
        let tagged = code(frame.colorMatrix, else: codec?.colorMatrix, isMatrix: true)
        let guessed = guessedMatrix(
            width: frame.width, height: frame.height, primaries: primaries, codecName: codec?.codecName)
        if let warning = codec?.dolbyVisionWarning {
            color.matrix = 9
            return (color, [warning])
        }
        let shift = format.chromaShift
        switch tagged {
        case unspecified:
            color.matrix = guessed
            return (color, [])
        case 0 where shift != (0, 0):
            color.matrix = guessed
            return (
                color, ["the identity matrix cannot be used with subsampled chroma; \(name(guessed)) was used instead"]
            )
        default:
            let (matrix, warning) = ColorMatrix.supported(tagged, primaries: primaries, fallback: guessed)
            color.matrix = matrix
            return (color, warning.map { [$0] } ?? [])
        }
    }

    /// Returns the content's peak, otherwise that of the mastering display.
    ///
    /// Less than 100 nits is not high dynamic range (and the tone curve begins only above it, so using it would change
    /// nothing), and PQ cannot express more than 10,000. Content is not brighter than the display on which it was
    /// mastered.
    private static func believablePeak(_ own: LuminanceMetadata, else stream: LuminanceMetadata?) -> Double? {
        func believable(_ value: Double?) -> Double? { value.flatMap { $0 >= 100 && $0 <= 10_000 ? $0 : nil } }
        let display = believable(own.displayPeak) ?? believable(stream?.displayPeak)
        guard let content = believable(own.contentPeak) ?? believable(stream?.contentPeak) else { return display }
        return min(content, display ?? content)
    }

    /// Returns the first specified value as a code point.
    private static func code(_ first: UInt32, else second: UInt32?, isMatrix: Bool = false) -> UInt8 {
        for value in [first, second ?? 2] where value != 2 && value < 256 && (isMatrix || value != 0) {
            return UInt8(value)
        }
        return unspecified
    }

    private static func isFullRange(_ format: PixelFormat, tag: UInt32, codec: CodecDescription?) -> Bool {
        if format.isPaletted || format.isFullRangeByName || format.isFloat { return true }
        switch tag != 0 ? tag : codec?.colorRange ?? 0 {
        case 1: return false
        case 2: return true
        default:
            if format.isRGB || format.isXYZ { return true }
            guard format.isGray, let codec else { return false }
            return !videoCodecs.contains(codec.codecName)
        }
    }

    /// Codecs whose standards use limited range for luma by default.
    private static let videoCodecs: Set<String> = [
        "h264", "hevc", "vvc", "av1", "vp8", "vp9", "mpeg1video", "mpeg2video", "mpeg4", "h261", "h263", "vc1",
        "wmv3", "theora", "dirac", "prores", "dnxhd", "cavs", "avs2", "avs3", "dvvideo",
    ]

    private static func guessedMatrix(width: Int, height: Int, primaries: UInt8, codecName: String?) -> UInt8 {
        if codecName == "webp" { return 6 }
        if primaries == 9 { return 9 }
        return width >= 1280 || height > 576 ? 1 : 6
    }

    /// Returns the name of a matrix for display.
    static func name(_ matrix: UInt8) -> String {
        switch matrix {
        case 0: "RGB"
        case 1: "BT.709"
        case 4: "FCC"
        case 5, 6: "BT.601"
        case 7: "SMPTE 240M"
        case 8: "YCgCo"
        case 9: "BT.2020"
        case 10: "BT.2020 constant luminance"
        case 11: "SMPTE 2085"
        case 12: "chromaticity-derived"
        case 13: "chromaticity-derived constant luminance"
        case 14: "ICtCp"
        default: "matrix \(matrix)"
        }
    }
}

extension CodecDescription {
    /// A warning for Dolby Vision streams whose base layer cannot be shown by itself.
    package var dolbyVisionWarning: String? {
        unreadableDolbyVisionProfile.map {
            "Dolby Vision profile \($0) cannot be converted: its pictures need metadata that Scrub does not read; "
                + "colors are wrong"
        }
    }
}
