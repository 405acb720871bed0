extension RasterImage {
    /// Returns the picture enlarged along one axis or both, for pixels that are not square.
    ///
    /// Colors are weighted by their alpha, so that the color under a transparent pixel does not affect others.
    package func stretched(width newWidth: Int, height newHeight: Int) -> RasterImage {
        var image = self
        if newWidth != width { image = image.stretched(to: newWidth, isHorizontal: true) }
        if newHeight != height { image = image.stretched(to: newHeight, isHorizontal: false) }
        return image
    }

    private func stretched(to length: Int, isHorizontal: Bool) -> RasterImage {
        precondition(length >= (isHorizontal ? width : height), "pictures can only be enlarged")
        let (newWidth, newHeight) = isHorizontal ? (length, height) : (width, length)
        let taps = InterpolationTaps.stretching(isHorizontal ? width : height, to: length)
        // The packer only rounds and stores here.
        let packer = PixelPacker(
            ColorMatrix(
                ColorSpec(matrix: 0, isFullRange: true), depths: [bitDepth], isRGB: true, maximum: Double(maximum)),
            channels: 1, bitDepth: bitDepth)
        let stride = newWidth * bytesPerPixel
        var result = [UInt8](repeating: 0, count: stride * newHeight)
        var lines = RowNumbers(self)
        var blended = [Float](repeating: 0, count: newWidth * channels)
        for y in 0..<newHeight {
            if isHorizontal {
                Self.stretch(lines.row(y), channels: channels, taps, into: &blended)
            } else {
                lines.blend(taps.first[y], taps.weights[y], into: &blended)
            }
            if hasAlpha { Self.divideByAlpha(&blended, channels: channels) }
            var rows = result.mutableSpan
            packer.store(blended.span, channel: 0, into: &rows, at: y * stride)
        }
        return RasterImage(
            width: newWidth, height: newHeight, channels: channels, bitDepth: bitDepth, bytes: result, color: color)
    }

    private static func stretch(
        _ row: [Float], channels: Int, _ taps: InterpolationTaps, into line: inout [Float]
    ) {
        // With a literal number, the loop over channels is unrolled; most of the time is spent there.
        switch channels {
        case 1: blend(row, channels: 1, taps, into: &line)
        case 2: blend(row, channels: 2, taps, into: &line)
        case 3: blend(row, channels: 3, taps, into: &line)
        default: blend(row, channels: 4, taps, into: &line)
        }
    }

    @inline(__always)
    private static func blend(
        _ row: [Float], channels: Int, _ taps: InterpolationTaps, into line: inout [Float]
    ) {
        let last = row.count / channels - 1
        let source = row.span
        var out = line.mutableSpan
        let first = taps.first.span
        let weights = taps.weights.span
        // The four neighbors are clamped to the row, so this covers every access below.
        precondition(last >= 0 && weights.count == first.count && out.count == first.count * channels)
        for x in 0..<first.count {
            let (start, w) = unsafe (first[unchecked: x], weights[unchecked: x])
            let a = min(max(start, 0), last) &* channels
            let b = min(max(start &+ 1, 0), last) &* channels
            let c = min(max(start &+ 2, 0), last) &* channels
            let d = min(max(start &+ 3, 0), last) &* channels
            for k in 0..<channels {
                unsafe out[unchecked: x &* channels &+ k] =
                    unsafe w[0] * source[unchecked: a &+ k] + w[1] * source[unchecked: b &+ k]
                    + w[2] * source[unchecked: c &+ k] + w[3] * source[unchecked: d &+ k]
            }
        }
    }

    private static func divideByAlpha(_ line: inout [Float], channels: Int) {
        for pixel in stride(from: 0, to: line.count, by: channels) {
            let alpha = line[pixel + channels - 1]
            for k in 0..<channels - 1 { line[pixel + k] = alpha > 0 ? line[pixel + k] / alpha : 0 }
        }
    }
}

/// Rows of a picture as numbers, with colors multiplied by alpha; the last four rows are kept.
private struct RowNumbers {
    private let image: RasterImage
    private var kept: [[Float]]
    private var keptRows = [-1, -1, -1, -1]

    init(_ image: RasterImage) {
        self.image = image
        kept = Array(repeating: Array(repeating: 0, count: image.width * image.channels), count: 4)
    }

    mutating func row(_ y: Int) -> [Float] {
        let slot = y & 3
        if keptRows[slot] != y {
            keptRows[slot] = y
            Self.read(y, of: image, into: &kept[slot])
        }
        return kept[slot]
    }

    /// Computes the weighted sum of four rows from `first` on, repeating the edge rows.
    mutating func blend(_ first: Int, _ w: SIMD4<Float>, into line: inout [Float]) {
        let last = image.height - 1
        let (row0, row1) = (row(min(max(first, 0), last)), row(min(max(first + 1, 0), last)))
        let (row2, row3) = (row(min(max(first + 2, 0), last)), row(min(max(first + 3, 0), last)))
        let a = row0.span
        let b = row1.span
        let c = row2.span
        let d = row3.span
        var out = line.mutableSpan
        precondition(out.count == a.count, "the lines have different lengths")
        let (w0, w1, w2, w3) = (w[0], w[1], w[2], w[3])
        for i in 0..<out.count {
            unsafe out[unchecked: i] =
                unsafe w0 * a[unchecked: i] + w1 * b[unchecked: i] + w2 * c[unchecked: i] + w3 * d[unchecked: i]
        }
    }

    private static func read(_ y: Int, of image: RasterImage, into line: inout [Float]) {
        let bytes = image.bytes.span.extracting(y * image.bytesPerRow..<(y + 1) * image.bytesPerRow)
        var out = line.mutableSpan
        precondition(bytes.count == out.count * image.bitDepth / 8, "the lines have different lengths")
        if image.bitDepth == 8 {
            for i in 0..<out.count { unsafe out[unchecked: i] = unsafe Float(bytes[unchecked: i]) }
        } else {
            for i in 0..<out.count {
                let (low, high) = unsafe (bytes[unchecked: 2 &* i], bytes[unchecked: 2 &* i &+ 1])
                unsafe out[unchecked: i] = Float(UInt32(low) | UInt32(high) &<< 8)
            }
        }
        guard image.hasAlpha else { return }
        let channels = image.channels
        for pixel in stride(from: 0, to: out.count, by: channels) {
            for k in 0..<channels - 1 { out[pixel + k] *= out[pixel + channels - 1] }
        }
    }
}
