package import ScrubLibAV

/// The meaning of a picture's numbers: code points of ISO/IEC 23091-2 (the same as Rec. ITU-T H.273).
package struct ColorSpec: Sendable, Hashable {
    /// MatrixCoefficients: 0 for RGB and gray without chroma, 1 for BT.709, 5 and 6 for BT.601, 9 for BT.2020 ...
    package var matrix: UInt8
    /// Whether black is 0 and white the greatest code (VideoFullRangeFlag).
    package var isFullRange: Bool
    /// ColourPrimaries, 2 when nothing says.
    package var primaries: UInt8
    /// TransferCharacteristics, 2 when nothing says.
    package var transfer: UInt8
    /// The greatest luminance of PQ's content in nit, when something believable says it.
    package var peak: Double?

    package init(matrix: UInt8, isFullRange: Bool, primaries: UInt8 = 2, transfer: UInt8 = 2) {
        self.matrix = matrix
        self.isFullRange = isFullRange
        self.primaries = primaries
        self.transfer = transfer
    }

    /// Of the same lights and transfer, as full-range RGB.
    var asRGB: ColorSpec {
        var color = self
        (color.matrix, color.isFullRange) = (0, true)
        return color
    }

    /// "Unspecified" in all three of the standard's lists.
    package static let unspecified: UInt8 = 2

    /// Returns the meaning of a decoded picture: its own tags, then the stream's, then a guess.
    ///
    /// The guesses, for values without a tag:
    /// - Matrix: BT.601 up to 1279x576, BT.709 above, the rule that players share. BT.2020's matrix only when the
    ///   primaries are tagged BT.2020. WebP is BT.601 at every size (RFC 9649, 2.5).
    /// - Range: full for RGB and for `yuvj` formats, else limited. Gray pictures of still-image and archive codecs
    ///   are full: only codecs made for video give gray the video levels.
    ///
    /// - Returns: the meaning, and a sentence for every tag that could not be followed.
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

        // Zero is RGB's identity matrix: in `CodecDescription` and in `AVFrame` "unspecified" is 2, and a reserved
        // value tells nothing.
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
            return (color, ["the identity matrix cannot belong to subsampled chroma; used \(name(guessed))"])
        default:
            let (matrix, warning) = ColorMatrix.supported(tagged, primaries: primaries, fallback: guessed)
            color.matrix = matrix
            return (color, warning.map { [$0] } ?? [])
        }
    }

    /// Returns the content's peak, else the mastering display's.
    ///
    /// Less than 100 nit is not high dynamic range (and the tone curve begins above it only, so believing it would
    /// change nothing), more than 10,000 PQ cannot say. Content is not brighter than the display that it was mastered
    /// on.
    private static func believablePeak(_ own: LightMetadata, else stream: LightMetadata?) -> Double? {
        func believable(_ value: Double?) -> Double? { value.flatMap { $0 >= 100 && $0 <= 10_000 ? $0 : nil } }
        let display = believable(own.displayPeak) ?? believable(stream?.displayPeak)
        guard let content = believable(own.contentPeak) ?? believable(stream?.contentPeak) else { return display }
        return min(content, display ?? content)
    }

    /// Returns the first value that says something, as a code point.
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

    /// Codecs whose standards give luma the video levels when nothing is said.
    private static let videoCodecs: Set<String> = [
        "h264", "hevc", "vvc", "av1", "vp8", "vp9", "mpeg1video", "mpeg2video", "mpeg4", "h261", "h263", "vc1",
        "wmv3", "theora", "dirac", "prores", "dnxhd", "cavs", "avs2", "avs3", "dvvideo",
    ]

    private static func guessedMatrix(width: Int, height: Int, primaries: UInt8, codecName: String?) -> UInt8 {
        if codecName == "webp" { return 6 }
        if primaries == 9 { return 9 }
        return width >= 1280 || height > 576 ? 1 : 6
    }

    /// Returns a matrix's name for people.
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
    /// A sentence for streams of Dolby Vision whose base layer means nothing by itself.
    package var dolbyVisionWarning: String? {
        unreadableDolbyVisionProfile.map {
            "Dolby Vision profile \($0) cannot be converted: its pictures mean nothing without metadata that is not read; "
                + "colors are wrong"
        }
    }
}
