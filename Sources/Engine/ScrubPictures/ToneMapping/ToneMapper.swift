/// Converts high dynamic range and BT.2020 colors to 8-bit sRGB, which every viewer can show.
///
/// PQ and HLG, in linear light:
/// 1. The signal is converted to the light of the mastering display: PQ's EOTF, or HLG's inverse OETF and its OOTF for
///    a display of 1000 nit (Rec. ITU-R BT.2100 tables 4 and 5).
/// 2. The brightest of red, green and blue goes through BT.2390's highlight curve from the source's peak to 203 nit,
///    HDR's reference white (Rec. ITU-R BT.2408, 2.1), and the other two keep their ratio to it, so that hues do not
///    change. SDR's white is 203 nit, so everything below the knee is as bright relative to white as in the HDR
///    picture. With a source peak of 1000 nit the knee is at 88 nit; reference white of 203 nit becomes code 229 of
///    255, and the codes above are used for highlights.
/// 3. The primaries are converted to BT.709 (as in Rec. ITU-R BT.2087 for BT.2020).
/// 4. A color that BT.709 cannot show is desaturated at its luminance until it can.
/// 5. The result is encoded as sRGB (IEC 61966-2-1).
///
/// SDR with BT.2020's primaries takes steps 3 and 4 between BT.1886's EOTF and its inverse, so that neutral colors keep
/// their codes, like those of BT.709 video. Everything else is left unchanged.
///
/// Creating the tables takes about 0.5 ms, mapping a picture of 320x180 pixels 1.6 ms. Keep the mapper for all pictures
/// of a stream, and reduce before mapping.
package struct ToneMapper: Sendable {
    /// HDR reference white (BT.2408, 2.1), which is SDR's white here, in nits.
    static let white = 203.0
    /// The nominal peak of an HLG display, and the default for PQ, in nits.
    static let usualPeak = 1000.0

    enum Kind { case pq, hlg, wide }

    let kind: Kind
    private let bitDepth: Int
    /// The meaning of the results' values.
    private let color: ColorSpec
    let decoding: CodeTable
    /// The factor of HLG scene light by its luminance, with `weights` for red, green, and blue.
    let system: LightTable
    let weights: SIMD3<Float>
    /// The factor of light by the brightest of red, green, and blue. 1 is SDR's white.
    let gain: LightTable
    /// The columns of the matrix to BT.709 red, green, blue, and luminance.
    let columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
    /// Output codes by light.
    let encoding: LightTable

    /// Returns whether pictures of this color are changed at all.
    package static func isNeeded(for color: ColorSpec) -> Bool { kind(color) != nil }

    private static func kind(_ color: ColorSpec) -> Kind? {
        switch (color.transfer, color.primaries) {
        case (16, _): .pq
        case (18, _): .hlg
        // All four are the same function (ISO/IEC 23091-2 table 3).
        case (1, 9), (6, 9), (14, 9), (15, 9): .wide
        default: nil
        }
    }

    /// Creates the tables; `nil` if such pictures need no conversion.
    ///
    /// - Parameters:
    ///   - bitDepth: the bit depth of the pictures, 8 or 16.
    ///   - sourcePeak: for PQ, the maximum luminance of the content or of its mastering display in nits, for example
    ///     MaxCLL. `nil` means the color's own peak. Without any, and for zero or values beyond PQ's range, it is 1000.
    ///     Brighter colors are clipped to the peak.
    package init?(_ color: ColorSpec, bitDepth: Int, sourcePeak: Double? = nil) {
        guard let kind = Self.kind(color) else { return nil }
        precondition(bitDepth == 8 || bitDepth == 16, "not a raster format")
        self.kind = kind
        self.bitDepth = bitDepth
        let isHDR = kind != .wide
        let primaries = isHDR && color.primaries == ColorSpec.unspecified ? 9 : color.primaries
        let source = Primaries(primaries) ?? .bt709
        weights = SIMD3<Float>(source.luminance)
        columns = Self.columns(source.rows(to: .bt709), luminance: Primaries.bt709.luminance)
        let peak = Self.peak(sourcePeak ?? color.peak, kind)
        let curve = HighlightCurve(sourcePeak: peak, targetPeak: Self.white)
        decoding = CodeTable(bitDepth: bitDepth) { signal in
            switch kind {
            case .pq: TransferFunction.pqToNits(signal) / Self.white
            case .hlg: TransferFunction.hlgToScene(signal)
            case .wide: TransferFunction.bt1886ToLight(signal)
            }
        }
        system = LightTable(maximum: 1) { luminance in
            kind == .hlg ? TransferFunction.hlgSystemGain(luminance) * Self.usualPeak / Self.white : 1
        }
        gain = LightTable(maximum: TransferFunction.pqPeak / Self.white) { light in
            isHDR && light > 0 ? min(curve(light * Self.white) / Self.white, 1) / light : 1
        }
        encoding = LightTable(maximum: 1) { light in
            255 * (isHDR ? TransferFunction.lightToSRGB(light) : TransferFunction.lightToBT1886(light))
        }
        // BT.709's transfer stands for BT.1886 codes.
        self.color = isHDR ? .sRGB : ColorSpec(matrix: 0, isFullRange: true, primaries: 1, transfer: 1)
    }

    private static func peak(_ given: Double?, _ kind: Kind) -> Double {
        // HLG's signal is relative: its OOTF for 1000 nits determines the peak.
        guard kind == .pq, let given, given > 0, given <= TransferFunction.pqPeak else { return usualPeak }
        return given
    }

    private static func columns(
        _ rows: [SIMD3<Double>], luminance: SIMD3<Double>
    ) -> (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
        func column(_ k: Int) -> SIMD4<Float> {
            let color = SIMD3(rows[0][k], rows[1][k], rows[2][k])
            return SIMD4(SIMD4(color, (color * luminance).sum()))
        }
        return (column(0), column(1), column(2))
    }

    /// Returns the picture with 8 bits and its alpha; gray stays gray.
    ///
    /// - Precondition: the picture has the mapper's depth.
    package func map(_ image: RasterImage) -> RasterImage {
        precondition(image.bitDepth == bitDepth, "the tables are for a different bit depth")
        let bytes =
            bitDepth == 8
            ? mapped(image, UInt8.self) : mapped(image, UInt16.self)
        return RasterImage(
            width: image.width, height: image.height, channels: image.channels, bitDepth: 8, bytes: bytes,
            color: color)
    }
}

extension RasterImage {
    /// Returns the picture in a form that every viewer can show (see ``ToneMapper``); the picture itself if it needs no
    /// conversion.
    ///
    /// For many pictures of one stream, create one ``ToneMapper``.
    package func toneMapped(sourcePeak: Double? = nil) -> RasterImage {
        ToneMapper(color, bitDepth: bitDepth, sourcePeak: sourcePeak)?.map(self) ?? self
    }
}
