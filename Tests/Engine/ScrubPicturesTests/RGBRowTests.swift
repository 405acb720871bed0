internal import CScrubShims
internal import ScrubLibAV
internal import ScrubBase
@testable internal import ScrubPictures
internal import ScrubTestSupport
internal import Testing

/// The rows that C works on, for wide vectors too, against the same arithmetic written out: to the bit.
@Suite struct RGBRowTests {
    private func numbers(_ count: Int, _ seed: UInt64, _ range: ClosedRange<Float> = -40...300) -> [Float] {
        var generator = SplitMix(seed)
        return (0..<count).map { _ in Float.random(in: range, using: &generator) }
    }

    /// All sizes around the vectors' and the blocks' lengths.
    @Test(arguments: [1, 2, 7, 8, 31, 33, 255, 256, 257, 1000, 1920], [UInt8(1), 6, 8, 9])
    func packing(count: Int, matrix: UInt8) {
        var generator = SplitMix(UInt64(count))
        let luma = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let (cb, cr) = (numbers(count, 1), numbers(count, 2))
        let packer = PixelPacker(
            ColorMatrix(
                ColorSpec(matrix: matrix, isFullRange: false), depths: [8, 8, 8], isRGB: false, maximum: 255),
            channels: 3, bitDepth: 8)
        var (a, b, c) = (luma.map { Float($0) }, cb, cr)
        packer.convert(&a, &b, &c)
        var wanted = [UInt8](repeating: 7, count: count * 3 + 2)
        var rows = wanted.mutableSpan
        for (channel, line) in [a, b, c].enumerated() { packer.store(line.span, channel: channel, into: &rows, at: 1) }
        var found = [UInt8](repeating: 7, count: count * 3 + 2)
        var target = found.mutableSpan
        packer.storeRGB(luma.span, cb, cr, into: &target, at: 1)
        #expect(found == wanted)
    }

    @Test(arguments: [1, 5, 16, 17, 960]) func blendingAndDoubling(count: Int) {
        let rows = (0..<4).map { numbers(count, UInt64($0), 0...255) }
        let weights: [Float] = [-0.0703125, 0.8671875, 0.2265625, -0.0234375]
        var blended = [Float](repeating: 0, count: count)
        scrub_blend_rows(rows[0], rows[1], rows[2], rows[3], weights, count, &blended)
        for i in 0..<count {
            let sum =
                weights[0] * rows[0][i] + weights[1] * rows[1][i] + weights[2] * rows[2][i] + weights[3] * rows[3][i]
            #expect(blended[i] == sum)
        }
        let samples = rows.map { $0.map { UInt8($0) } }
        scrub_blend_samples(samples[0], samples[1], samples[2], samples[3], weights, count, &blended)
        for i in 0..<count {
            let codes = samples.map { Float($0[i]) }
            #expect(
                blended[i] == weights[0] * codes[0] + weights[1] * codes[1] + weights[2] * codes[2] + weights[3]
                    * codes[3])
        }
        let row = numbers(count + 4, 9, 0...255)
        for even in [[0, 1, 0, 0], weights] {
            var doubled = [Float](repeating: 0, count: 2 * count)
            scrub_double_row(row, 1, even, 0, weights, count, &doubled)
            for k in 0..<count {
                let first =
                    even[0] * row[k + 1] + even[1] * row[k + 2] + even[2] * row[k + 3] + even[3]
                    * row[min(k + 4, count + 3)]
                let second =
                    weights[0] * row[k] + weights[1] * row[k + 1] + weights[2] * row[k + 2] + weights[3] * row[k + 3]
                #expect(doubled[2 * k] == first && doubled[2 * k + 1] == second)
            }
        }
    }

    /// The pixels that `scrub drive` writes are those of the picture's PNG, in every format, turned and squared or not.
    @Test(arguments: PixelFormatTests.allFormats) func writtenAsRendered(name: String) throws {
        for (width, height, aspect) in [(9, 5, (Int32(0), Int32(1))), (16, 6, (0, 1)), (9, 5, (4, 3))] {
            var maker = FrameMaker(format: name, width: width, height: height)
            maker.aspect = aspect
            var generator = SplitMix(3)
            let frame: SharedFrame
            do {
                frame = try maker.frame { _, _, _ in Int.random(in: 0...255, using: &generator) }
            } catch {
                // Formats that only exist inside decoders or devices.
                return
            }
            for raw in [false, true] {
                guard
                    let image = try? PictureRenderer.render(
                        frame, codec: maker.codec, containerAspect: nil, displayMatrix: nil, rawGeometry: raw
                    ).image
                else { return }
                let size = PictureRenderer.size(
                    of: frame, codec: maker.codec, containerAspect: nil, displayMatrix: nil, cleanAperture: nil,
                    rawGeometry: raw)
                #expect(size == (image.width, image.height))
                var written = [UInt8](repeating: 0, count: image.width * image.height * 3)
                var target = written.mutableSpan
                try PictureRenderer.writeRGB(
                    frame, codec: maker.codec, containerAspect: nil, displayMatrix: nil, cleanAperture: nil,
                    rawGeometry: raw, into: &target)
                let flat = image.flattened().reducedTo8Bits()
                #expect(written == (flat.channels == 3 ? flat : flat.withChannels(3)).bytes, "\(name)")
            }
        }
    }
}
