/// The affine map from code values to RGB or gray in output units.
///
/// Each output channel has one row of three weights and an offset. It combines the range, the matrix, both bit depths,
/// and the component order, so a pixel costs nine multiplications in any format.
struct ColorMatrix {
    /// The weights of the three components (a single one for gray), one row per output channel.
    private(set) var rows: [SIMD3<Double>]
    private(set) var offsets: [Double]

    /// - Parameters:
    ///   - depths: the significant bits of the components: three values, or one for gray. Packed RGB may have different
    ///     depths; luma and the color differences share the first.
    ///   - isRGB: whether the input is RGB (or gray) instead of luma and two color differences.
    ///   - maximum: the output code of white: 255 or 65535.
    init(_ color: ColorSpec, depths: [Int], isRGB: Bool, maximum: Double) {
        let channels = depths.count
        if channels == 1 || isRGB || color.matrix == 0 {
            // Identity: codes are G, B, R in the positions of luma, Cb, and Cr if the format is not RGB by name.
            let order = isRGB || channels == 1 ? [0, 1, 2] : [2, 0, 1]
            let levels = depths.map { Levels($0, isFullRange: color.isFullRange) }
            rows = order.prefix(channels).map { place in
                var row = SIMD3<Double>.zero
                row[place] = maximum / levels[place].luma
                return row
            }
            offsets = order.prefix(channels).map { -levels[$0].black * maximum / levels[$0].luma }
            return
        }
        let levels = Levels(depths[0], isFullRange: color.isFullRange)
        let normalized: [SIMD3<Double>]
        var chromaScale = levels.chroma
        if color.matrix == 8 {
            // YCgCo: a lifting of the quantized RGB codes, so that the differences have the scale of luma.
            normalized = [SIMD3(1, -1, 1), SIMD3(1, 1, 0), SIMD3(1, -1, -1)]
            chromaScale = levels.luma
        } else {
            let (kr, kb) = Self.weights(color.matrix, primaries: color.primaries) ?? (0.2126, 0.0722)
            let kg = 1 - kr - kb
            normalized = [
                SIMD3(1, 0, 2 * (1 - kr)),
                SIMD3(1, -2 * kb * (1 - kb) / kg, -2 * kr * (1 - kr) / kg),
                SIMD3(1, 2 * (1 - kb), 0),
            ]
        }
        let scale = SIMD3(1 / levels.luma, 1 / chromaScale, 1 / chromaScale) * maximum
        rows = normalized.map { $0 * scale }
        offsets = rows.map { -($0 * SIMD3(levels.black, levels.middle, levels.middle)).sum() }
    }

    /// Quantization (ISO/IEC 23091-2 8.3, the equations for VideoFullRangeFlag 0 and 1), in codes: white minus black,
    /// the peak-to-peak excursion of the differences, black, and a difference of zero.
    private struct Levels {
        let luma: Double
        let chroma: Double
        let black: Double
        let middle: Double

        init(_ depth: Int, isFullRange: Bool) {
            let unit = Double(1 << depth) / 256
            let full = Double((1 << depth) - 1)
            luma = isFullRange ? full : 219 * unit
            chroma = isFullRange ? full : 224 * unit
            black = isFullRange ? 0 : 16 * unit
            middle = 128 * unit
        }
    }

    /// Returns the weights of red and blue in luma (ISO/IEC 23091-2 table 4); `nil` for a matrix that is not of this
    /// kind.
    static func weights(_ matrix: UInt8, primaries: UInt8) -> (red: Double, blue: Double)? {
        switch matrix {
        case 1: (0.2126, 0.0722)
        case 4: (0.30, 0.11)
        case 5, 6: (0.299, 0.114)
        case 7: (0.212, 0.087)
        case 9: (0.2627, 0.0593)
        case 12: derivedWeights(primaries)
        default: nil
        }
    }

    /// Returns the matrix to use for a tagged one, with a warning if it is a different one.
    ///
    /// Constant-luminance and ICtCp pictures need the transfer function inside the conversion; the nearest linear
    /// matrix keeps the picture recognizable.
    static func supported(
        _ tagged: UInt8, primaries: UInt8, fallback: UInt8
    ) -> (matrix: UInt8, warning: String?) {
        if tagged == 0 || tagged == 8 || weights(tagged, primaries: primaries) != nil { return (tagged, nil) }
        let nearest: UInt8 =
            switch tagged {
            case 10, 11, 14: 9
            case 13 where derivedWeights(primaries) != nil: 12
            default: fallback
            }
        return (
            nearest,
            "colors are approximate: \(ColorSpec.name(tagged)) was converted as \(ColorSpec.name(nearest))"
        )
    }

    /// Returns the weights of red and blue from the chromaticities of the primaries (ISO/IEC 23091-2 equations 39 to
    /// 44).
    private static func derivedWeights(_ primaries: UInt8) -> (red: Double, blue: Double)? {
        guard let luminance = Primaries(primaries)?.luminance else { return nil }
        return (luminance.x, luminance.z)
    }
}
