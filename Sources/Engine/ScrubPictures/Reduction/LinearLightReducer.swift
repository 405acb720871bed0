internal import ScrubLibAV

/// Reduces high dynamic range pictures in linear light. Each pixel of the result is the average of the light that a
/// display emits over its area.
///
/// The average of PQ or HLG codes is far darker than the average of the light. The average of black and 1,000 nits is
/// 500 nits, but 20 with PQ codes. SDR is reduced on its codes, as in other programs, where the error is small.
///
/// Cost: one pass over the frame for all sizes together, about 6 ns per pixel. Memory: a few rows for each size. Thread
/// safety: a value of constant tables.
struct LinearLightReducer: Sendable {
    /// The number of codes to which signals are rounded before they are converted to light: a twentieth of an output
    /// code.
    private static let steps = 4095

    private let isHLG: Bool
    /// The table from signal to light, where 1 is PQ's peak; for HLG, scene light.
    private let decoding: [Float]
    /// The table from light to 16-bit signal.
    private let encoding: LightTable
    /// The factor from HLG scene light to display light by its luminance, and the inverse by display luminance.
    private let system: LightTable
    private let inverseSystem: LightTable
    private let weights: SIMD3<Float>

    /// Creates the tables; `nil` if such pictures are reduced on their codes.
    init?(_ color: ColorSpec) {
        guard color.transfer == 16 || color.transfer == 18 else { return nil }
        let isHLG = color.transfer == 18
        self.isHLG = isHLG
        decoding = (0...Self.steps).map { code in
            let signal = Double(code) / Double(Self.steps)
            return Float(
                isHLG
                    ? TransferFunction.hlgToScene(signal) : TransferFunction.pqToNits(signal) / TransferFunction.pqPeak)
        }
        encoding = LightTable(maximum: 1) { light in
            65535
                * (isHLG
                    ? TransferFunction.sceneToHLG(light) : TransferFunction.nitsToPQ(light * TransferFunction.pqPeak))
        }
        system = LightTable(maximum: 1) { isHLG ? TransferFunction.hlgSystemGain($0) : 1 }
        inverseSystem = LightTable(maximum: 1) { isHLG ? TransferFunction.hlgInverseSystemGain($0) : 1 }
        let primaries = color.primaries == ColorSpec.unspecified ? 9 : color.primaries
        weights = SIMD3<Float>((Primaries(primaries) ?? .bt709).luminance)
    }

    /// Returns the frame in smaller sizes, as 16-bit RGB, in its own transfer and primaries.
    ///
    /// - Parameter color: the meaning of its values, which must be that of the tables, except for its peak.
    /// - Returns: `nil` if the frame is not supported: a size that is not smaller, alpha, gray, or unusual formats.
    func reduce(
        _ frame: borrowing Frame, _ color: ColorSpec, to sizes: [PictureSize], codec: CodecDescription?
    ) -> [RasterImage]? {
        let (width, height) = (frame.width, frame.height)
        guard let layouts = frame.pixelFormat.sampleLayouts, layouts.count == 3, width > 0, height > 0,
            sizes.allSatisfy({ $0.width <= width && $0.height <= height }),
            var sources = ComponentSource.all(
                layouts, of: frame, siting: ChromaSiting(frame: frame, codec: codec))
        else { return nil }
        let matrix = ColorMatrix(
            color, depths: layouts.map(\.depth), isRGB: frame.pixelFormat.isRGB, maximum: Double(Self.steps))
        let packer = PixelPacker(matrix, channels: 3, bitDepth: 16)
        var targets = sizes.map { AreaAverage(width: width, height: height, size: $0) }
        let empty = [Float](repeating: 0, count: width)
        var (red, green, blue) = (empty, empty, empty)
        for y in 0..<height {
            sources[0].read(y, of: frame, into: &red)
            sources[1].read(y, of: frame, into: &green)
            sources[2].read(y, of: frame, into: &blue)
            packer.convert(&red, &green, &blue)
            decode(&red)
            decode(&green)
            decode(&blue)
            if isHLG { multiply(&red, &green, &blue, system) }
            for k in targets.indices { targets[k].add(red, green, blue, row: y, encode) }
        }
        let meaning = color.asRGB
        return zip(sizes, targets).map { size, target in
            RasterImage(
                width: size.width, height: size.height, channels: 3, bitDepth: 16, bytes: target.bytes, color: meaning)
        }
    }

    private func decode(_ line: inout [Float]) {
        let table = decoding.span
        var values = line.mutableSpan
        let most = Float(Self.steps)
        for x in 0..<values.count {
            let value = unsafe values[unchecked: x]
            let inside = value > 0 ? value < most ? value : most : 0
            // The rounding of PixelPacker: the nearest integer in the low bits.
            let code = Int((inside + 8_388_608).bitPattern & 0xFFFF)
            unsafe values[unchecked: x] = unsafe table[unchecked: code]
        }
    }

    private func multiply(_ red: inout [Float], _ green: inout [Float], _ blue: inout [Float], _ table: LightTable) {
        let gain = table.reader
        var r = red.mutableSpan
        var g = green.mutableSpan
        var b = blue.mutableSpan
        precondition(g.count == r.count && b.count == r.count, "the rows have different lengths")
        let (wr, wg, wb) = (weights.x, weights.y, weights.z)
        for x in 0..<r.count {
            let factor = unsafe gain[r[unchecked: x] * wr + g[unchecked: x] * wg + b[unchecked: x] * wb]
            unsafe r[unchecked: x] *= factor
            unsafe g[unchecked: x] *= factor
            unsafe b[unchecked: x] *= factor
        }
    }

    /// Converts from light to signal, in place.
    private func encode(_ red: inout [Float], _ green: inout [Float], _ blue: inout [Float]) {
        if isHLG { multiply(&red, &green, &blue, inverseSystem) }
        let table = encoding.reader
        var r = red.mutableSpan
        var g = green.mutableSpan
        var b = blue.mutableSpan
        precondition(g.count == r.count && b.count == r.count, "the rows have different lengths")
        for x in 0..<r.count {
            unsafe r[unchecked: x] = unsafe table[r[unchecked: x]]
            unsafe g[unchecked: x] = unsafe table[g[unchecked: x]]
            unsafe b[unchecked: x] = unsafe table[b[unchecked: x]]
        }
    }
}
