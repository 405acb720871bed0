internal import ScrubLibAV
internal import ScrubBase
internal import ScrubPictures
internal import ScrubTestSupport
internal import Testing

/// Every output sample must be the nearest code to the standard's real-number formulas.
@Suite struct ColorAccuracyTests {
    /// Luma weights of red and blue, ISO/IEC 23091-2 table 4.
    static let matrices: [(code: UInt32, kr: Double, kb: Double)] = [
        (1, 0.2126, 0.0722), (4, 0.30, 0.11), (5, 0.299, 0.114), (6, 0.299, 0.114), (7, 0.212, 0.087),
        (9, 0.2627, 0.0593),
    ]
    static let formats: [(name: String, depth: Int)] = [
        ("yuv420p", 8), ("yuv422p", 8), ("yuv444p", 8), ("yuv411p", 8), ("yuv410p", 8), ("yuv440p", 8),
        ("nv12", 8), ("nv21", 8), ("yuyv422", 8), ("uyvy422", 8), ("yuv420p10le", 10), ("yuv422p10le", 10),
        ("yuv444p10le", 10), ("yuv420p10be", 10), ("yuv420p12le", 12), ("yuv422p12le", 12), ("yuv444p12le", 12),
        ("yuv444p16le", 16), ("p010le", 10), ("p016le", 16), ("y210le", 10), ("nv24", 8), ("yuv420p9le", 9),
    ]

    /// One code's red, green and blue in 0...1 by the standard's equations.
    static func ideal(_ y: Int, _ cb: Int, _ cr: Int, depth: Int, full: Bool, kr: Double, kb: Double) -> [Double] {
        let unit = Double(1 << (depth - 8))
        let top = Double((1 << depth) - 1)
        let luma = full ? Double(y) / top : (Double(y) / unit - 16) / 219
        let blue = full ? (Double(cb) - 128 * unit) / top : (Double(cb) / unit - 128) / 224
        let red = full ? (Double(cr) - 128 * unit) / top : (Double(cr) / unit - 128) / 224
        let r = luma + 2 * (1 - kr) * red
        let b = luma + 2 * (1 - kb) * blue
        return [r, (luma - kr * r - kb * b) / (1 - kr - kb), b]
    }

    @Test(arguments: formats) func flatPatchesAreTheNearestCode(format: (name: String, depth: Int)) throws {
        var random = SplitMix(UInt64(format.name.utf8.reduce(7) { $0 &* 31 &+ Int($1) }))
        var worst = 0.0
        for matrix in Self.matrices {
            for full in [false, true] {
                for _ in 0..<12 {
                    let codes = (0..<3).map { _ in Int.random(in: 0..<(1 << format.depth), using: &random) }
                    var maker = FrameMaker(format: format.name, width: 7, height: 5)
                    maker.matrix = matrix.code
                    maker.range = full ? 2 : 1
                    let frame = try maker.frame { component, _, _ in codes[component] }
                    let (image, warnings) = try PictureRenderer.render(
                        frame, codec: maker.codec, containerAspect: nil, displayMatrix: nil, rawGeometry: false)
                    #expect(warnings.isEmpty)
                    #expect(image.bitDepth == (format.depth > 8 ? 16 : 8) && image.channels == 3)
                    let ideal = Self.ideal(
                        codes[0], codes[1], codes[2], depth: format.depth, full: full, kr: matrix.kr, kb: matrix.kb)
                    for (x, y) in [(0, 0), (3, 2), (6, 4)] {
                        for k in 0..<3 {
                            let wanted = min(max(ideal[k], 0), 1) * Double(image.maximum)
                            worst = max(worst, abs(Double(image.sample(x: x, y: y, channel: k)) - wanted))
                        }
                    }
                }
            }
        }
        // Half a code is rounding; the rest is binary32's.
        #expect(worst <= 0.53, "\(format.name): \(worst)")
    }

    @Test func identityAndLiftingMatrices() throws {
        var maker = FrameMaker(format: "yuv444p")
        maker.matrix = 0
        maker.range = 2
        let gbr = try render(maker, maker.flat(10, 20, 30))
        #expect((0..<3).map { gbr.sample(x: 1, y: 1, channel: $0) } == [30, 10, 20])
        // YCgCo of R 200, G 100, B 50: Cg = G/2 - (R + B)/4 = -12.5, Co = (R - B)/2 = 75, Y = 112.5. Codes are whole:
        // from 113, 115 and 203 the lifting leads back to 201, 100 and 51.
        maker.matrix = 8
        let lifted = try render(maker, maker.flat(113, 115, 203))
        #expect((0..<3).map { lifted.sample(x: 1, y: 1, channel: $0) } == [201, 100, 51])
    }

    @Test func derivedMatrixOfKnownPrimariesIsTheKnownMatrix() throws {
        // BT.709's and BT.2020's weights were themselves derived from their primaries.
        for (primaries, matrix) in [(UInt32(1), UInt32(1)), (9, 9)] {
            var maker = FrameMaker(format: "yuv444p10le")
            maker.range = 1
            maker.primaries = primaries
            maker.matrix = 12
            let derived = try render(maker, maker.flat(500, 300, 700))
            maker.matrix = matrix
            let known = try render(maker, maker.flat(500, 300, 700))
            for k in 0..<3 {
                let difference = derived.sample(x: 0, y: 0, channel: k) - known.sample(x: 0, y: 0, channel: k)
                // The tabulated weights have four digits.
                #expect(abs(difference) <= 12)
            }
        }
    }

    @Test(arguments: [UInt32(10), 11, 13, 14]) func unsupportedMatricesAreNeverSilent(matrix: UInt32) throws {
        var maker = FrameMaker(format: "yuv444p10le")
        maker.matrix = matrix
        let warnings = try PictureRenderer.render(
            maker.flat(500, 512, 512), codec: nil, containerAspect: nil, displayMatrix: nil, rawGeometry: false
        ).warnings
        #expect(warnings.count == 1)
    }

    private func render(_ maker: FrameMaker, _ frame: SharedFrame) throws -> RasterImage {
        try PictureRenderer.render(
            frame, codec: maker.codec, containerAspect: nil, displayMatrix: nil, rawGeometry: false
        ).image
    }
}
