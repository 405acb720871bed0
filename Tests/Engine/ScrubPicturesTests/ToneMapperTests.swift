internal import Foundation
internal import ScrubPictures
internal import ScrubTestSupport
internal import Testing

/// Tone mapping against the recommendations' formulas, restated here in binary64, and against numbers that another
/// implementation of them (in Python) printed.
@Suite struct ToneMapperTests {
    private static let pq = ColorSpec(matrix: 0, isFullRange: true, primaries: 9, transfer: 16)
    private static let hlg = ColorSpec(matrix: 0, isFullRange: true, primaries: 9, transfer: 18)

    // MARK: Helpers

    /// One row of pixels from signals between 0 and 1.
    private func row(_ signals: [[Double]], _ color: ColorSpec, bitDepth: Int = 16) -> RasterImage {
        var bytes: [UInt8] = []
        for value in signals.joined() {
            let code = Int((value * (bitDepth == 8 ? 255 : 65535)).rounded())
            bytes.append(UInt8(code & 255))
            if bitDepth == 16 { bytes.append(UInt8(code >> 8)) }
        }
        return RasterImage(
            width: signals.count, height: 1, channels: signals[0].count, bitDepth: bitDepth, bytes: bytes,
            color: color)
    }

    private func pixels(_ image: RasterImage) -> [[Int]] {
        (0..<image.width).map { x in (0..<image.channels).map { image.sample(x: x, y: 0, channel: $0) } }
    }

    private func expectNear(_ found: [Int], _ wanted: [Double], _ tolerance: Double = 0.7) {
        #expect(found.count == wanted.count)
        for (a, b) in zip(found, wanted) { #expect(abs(Double(a) - b) <= tolerance, "\(found) \(wanted)") }
    }

    // MARK: Grays

    @Test(
        arguments: [
            (nil, [0.0, 1.62, 15.37, 62.71, 136.03, 185.74, 228.99, 252.70, 255, 255, 255]),
            (4000, [0.0, 1.62, 15.37, 62.71, 135.46, 173.98, 207.92, 237.81, 249.79, 255, 255]),
            (203, [0.0, 1.62, 15.37, 62.71, 136.03, 186.27, 255, 255, 255, 255, 255]),
            (0, [0.0, 1.62, 15.37, 62.71, 136.03, 185.74, 228.99, 252.70, 255, 255, 255]),
        ] as [(Double?, [Double])]) func pqGrays(peak: Double?, wanted: [Double])
    {
        // 0, 0.1, 1, 10, 50, 100, 203, 500, 1000, 4000 and 10000 nit as 16-bit codes.
        let codes = [0, 4085, 9827, 19641, 28854, 33297, 38055, 44340, 49271, 59150, 65535]
        let image = row(codes.map { [Double($0) / 65535, Double($0) / 65535, Double($0) / 65535] }, Self.pq)
        let mapped = image.toneMapped(sourcePeak: peak)
        #expect(mapped.bitDepth == 8 && mapped.color == .sRGB)
        for (pixel, code) in zip(pixels(mapped), wanted) { expectNear(pixel, [code, code, code], 0.6) }
    }

    @Test func hlgGrays() {
        // BT.2100's OOTF for 1000 nit: 9.6, 50.7, 203 and 1000 nit; 75 % is reference white (BT.2408, 2.1).
        let image = row([0, 0.25, 0.5, 0.75, 1].map { [$0, $0, $0] }, Self.hlg)
        for (pixel, code) in zip(pixels(image.toneMapped()), [0, 61.43, 136.89, 229.02, 255]) {
            expectNear(pixel, [code, code, code], 0.6)
        }
    }

    @Test(arguments: [(16, 9), (18, 9), (16, 12), (16, 11), (18, 1), (14, 9)] as [(UInt8, UInt8)], [8, 16])
    func graysStayGrayAndRise(code: (transfer: UInt8, primaries: UInt8), bitDepth: Int) {
        let color = ColorSpec(matrix: 0, isFullRange: true, primaries: code.primaries, transfer: code.transfer)
        let steps = (0...4000).map { Double($0) / 4000 }
        let mapped = pixels(row(steps.map { [$0, $0, $0] }, color, bitDepth: bitDepth).toneMapped())
        #expect(mapped.allSatisfy { ($0.max() ?? 0) - ($0.min() ?? 0) <= 1 })
        #expect(zip(mapped, mapped.dropFirst()).allSatisfy { $0[0] <= $1[0] })
        #expect(mapped.first == [0, 0, 0] && mapped.last == [255, 255, 255])
        let alone = pixels(row(steps.map { [$0] }, color, bitDepth: bitDepth).toneMapped())
        #expect(zip(alone, mapped).allSatisfy { abs($0[0] - $1[1]) <= 1 })
    }

    // MARK: Colors

    @Test func pqColorsAsPrinted() {
        let table: [(codes: [Int], wanted: [Double])] = [
            ([38055, 0, 0], [249.14, 0, 67.24]), ([0, 38055, 0], [0, 220.88, 124.81]),
            ([0, 0, 38055], [0, 41.54, 173.26]), ([49271, 42767, 28854], [255, 174.80, 138.09]),
            ([32606, 29999, 27478], [195.37, 143.77, 118.43]), ([59150, 33297, 33297], [255, 80.81, 103.35]),
        ]
        let image = row(table.map { $0.codes.map { Double($0) / 65535 } }, Self.pq)
        for (pixel, line) in zip(pixels(image.toneMapped()), table) { expectNear(pixel, line.wanted, 2) }
    }

    @Test(arguments: [8, 16], [203.0, 600, 1000, 4000, 10000]) func pqColors(bitDepth: Int, peak: Double) {
        var generator = SplitMix(3)
        let maximum = bitDepth == 8 ? 255 : 65535
        let colors = (0..<3000).map { _ in
            (0..<3).map { _ in Double(Int.random(in: 0...maximum, using: &generator)) / Double(maximum) }
        }
        let mapped = pixels(row(colors, Self.pq, bitDepth: bitDepth).toneMapped(sourcePeak: peak))
        for (pixel, color) in zip(mapped, colors) {
            expectNear(pixel, HDRFormulas.shown(nits: color.map(HDRFormulas.pqNits), peak: peak), 2)
        }
    }

    @Test func hlgColors() {
        var generator = SplitMix(4)
        let colors = (0..<3000).map { _ in (0..<3).map { _ in Double.random(in: 0...1, using: &generator) } }
        for (pixel, color) in zip(pixels(row(colors, Self.hlg).toneMapped()), colors) {
            expectNear(pixel, HDRFormulas.shown(nits: HDRFormulas.hlgNits(color), peak: 1000), 2)
        }
    }

    @Test(arguments: [1, 6, 14, 15] as [UInt8]) func wideSDR(transfer: UInt8) {
        let color = ColorSpec(matrix: 0, isFullRange: true, primaries: 9, transfer: transfer)
        var generator = SplitMix(5)
        let colors = (0..<2000).map { _ in (0..<3).map { _ in Double.random(in: 0...1, using: &generator) } }
        let mapped = row(colors, color).toneMapped()
        #expect(mapped.color.primaries == 1 && mapped.color.transfer == 1 && mapped.bitDepth == 8)
        for (pixel, color) in zip(pixels(mapped), colors) {
            expectNear(pixel, HDRFormulas.narrowed(color.map { pow($0, 2.4) }).map { 255 * pow($0, 1 / 2.4) }, 2)
        }
        // Neutral codes come back as they were.
        let grays = (0...255).map { [Double($0) / 255, Double($0) / 255, Double($0) / 255] }
        #expect(pixels(row(grays, color, bitDepth: 8).toneMapped()) == (0...255).map { [$0, $0, $0] })
    }

    // MARK: What is kept

    @Test func alphaIsKept() {
        let image = row([[0.5, 0.4, 0.3, 0.25], [0.5, 0.4, 0.3, 1]], Self.pq)
        let mapped = pixels(image.toneMapped())
        #expect(mapped.map { $0[3] } == [64, 255])
        #expect(
            mapped.map { Array($0.prefix(3)) }
                == pixels(row([[0.5, 0.4, 0.3], [0.5, 0.4, 0.3]], Self.pq).toneMapped()))
        #expect(pixels(row([[0.5, 0.25]], Self.pq, bitDepth: 8).toneMapped())[0][1] == 64)
    }

    @Test(arguments: [(1, 1), (1, 13), (2, 2), (9, 2), (5, 6), (12, 13)] as [(UInt8, UInt8)])
    func othersAreLeftAlone(code: (primaries: UInt8, transfer: UInt8)) {
        let color = ColorSpec(matrix: 0, isFullRange: true, primaries: code.primaries, transfer: code.transfer)
        let image = row([[0.1, 0.5, 0.9]], color)
        #expect(!ToneMapper.isNeeded(for: color) && image.toneMapped().bytes == image.bytes)
        #expect(image.toneMapped().color == color)
    }

    @Test func untaggedPrimariesAreWide() {
        let color = ColorSpec(matrix: 0, isFullRange: true, primaries: 2, transfer: 16)
        let signals = [[0.5, 0.4, 0.3]]
        #expect(row(signals, color).toneMapped().bytes == row(signals, Self.pq).toneMapped().bytes)
    }
}
