extension ToneMapper {
    /// Returns all pixels with 8 bits per sample.
    ///
    /// Row by row in short loops, one for each step: lookups of neighboring pixels overlap, and the matrix becomes
    /// vector code.
    @inline(__always)
    func mapped<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ image: RasterImage, _: Sample.Type
    ) -> [UInt8] {
        let channels = image.channels
        let colors = channels < 3 ? 1 : 3
        let width = image.width
        var result = [UInt8](repeating: 0, count: width * image.height * channels)
        let empty = [Float](repeating: 0, count: width)
        var (red, green, blue) = (empty, empty, empty)
        for y in 0..<image.height {
            let row = image.bytes.span.extracting(y * image.bytesPerRow..<(y + 1) * image.bytesPerRow)
            unsafe decode(row.bytes, Sample.self, channel: 0, of: channels, into: &red)
            if colors == 3 {
                unsafe decode(row.bytes, Sample.self, channel: 1, of: channels, into: &green)
                unsafe decode(row.bytes, Sample.self, channel: 2, of: channels, into: &blue)
            } else {
                (green, blue) = (red, red)
            }
            map(&red, &green, &blue)
            let start = y * width * channels
            encode(red.span, into: &result, from: start, step: channels)
            if colors == 3 {
                encode(green.span, into: &result, from: start + 1, step: channels)
                encode(blue.span, into: &result, from: start + 2, step: channels)
            }
            if channels != colors {
                let size = MemoryLayout<Sample>.size
                for x in 0..<width {
                    let alpha = unsafe row.bytes.unsafeLoadUnaligned(
                        fromByteOffset: (x * channels + colors) * size, as: Sample.self)
                    let code = UInt32(Sample(littleEndian: alpha))
                    // 65535 = 255 * 257.
                    result[start + x * channels + colors] = UInt8(size == 2 ? (code + 128) / 257 : code)
                }
            }
        }
        return result
    }

    /// Decodes a row. Every code is in the table, so lookups are not checked.
    @inline(__always)
    private func decode<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ row: RawSpan, _: Sample.Type, channel: Int, of channels: Int, into line: inout [Float]
    ) {
        let size = MemoryLayout<Sample>.size
        let table = decoding.reader
        var out = line.mutableSpan
        precondition(row.byteCount == out.count * channels * size, "the row has the wrong length")
        for x in 0..<out.count {
            let code = unsafe row.unsafeLoadUnaligned(
                fromUncheckedByteOffset: (x &* channels &+ channel) &* size, as: Sample.self)
            unsafe out[unchecked: x] = table[UInt32(Sample(littleEndian: code))]
        }
    }

    /// Maps the decoded signal to light between 0 and 1 of the output's primaries.
    private func map(_ red: inout [Float], _ green: inout [Float], _ blue: inout [Float]) {
        var r = red.mutableSpan
        var g = green.mutableSpan
        var b = blue.mutableSpan
        let count = r.count
        precondition(g.count == count && b.count == count, "the rows have different lengths")
        if kind == .hlg {
            let table = system.reader
            let (wr, wg, wb) = (weights.x, weights.y, weights.z)
            for x in 0..<count {
                let factor = unsafe table[r[unchecked: x] * wr + g[unchecked: x] * wg + b[unchecked: x] * wb]
                unsafe r[unchecked: x] *= factor
                unsafe g[unchecked: x] *= factor
                unsafe b[unchecked: x] *= factor
            }
        }
        if kind != .wide {
            let table = gain.reader
            for x in 0..<count {
                let factor = unsafe table[Self.larger(r[unchecked: x], Self.larger(g[unchecked: x], b[unchecked: x]))]
                unsafe r[unchecked: x] *= factor
                unsafe g[unchecked: x] *= factor
                unsafe b[unchecked: x] *= factor
            }
        }
        let (m0, m1, m2) = columns
        for x in 0..<count {
            let (ri, gi, bi) = unsafe (r[unchecked: x], g[unchecked: x], b[unchecked: x])
            let ro = m0.x * ri + m1.x * gi + m2.x * bi
            let go = m0.y * ri + m1.y * gi + m2.y * bi
            let bo = m0.z * ri + m1.z * gi + m2.z * bi
            // A color with values below 0 or above 1 is moved toward the gray of its luminance until all are inside.
            let luminance = m0.w * ri + m1.w * gi + m2.w * bi
            let gray = Self.larger(Self.smaller(luminance, 1), 0)
            let low = Self.smaller(ro, Self.smaller(go, bo))
            let high = Self.larger(ro, Self.larger(go, bo))
            // Both quotients count only if their divisor is not zero.
            let raised = low < 0 ? gray / (gray - low) : 1
            let lowered = high > 1 ? (1 - gray) / (high - gray) : 1
            let share = Self.smaller(raised, lowered)
            unsafe r[unchecked: x] = gray + (ro - gray) * share
            unsafe g[unchecked: x] = gray + (go - gray) * share
            unsafe b[unchecked: x] = gray + (bo - gray) * share
        }
    }

    private func encode(_ line: Span<Float>, into bytes: inout [UInt8], from start: Int, step: Int) {
        let table = encoding.reader
        var out = bytes.mutableSpan
        precondition(start >= 0 && start + (line.count - 1) * step < out.count, "the row is outside the picture")
        for x in 0..<line.count {
            // The table's values are codes from 0 to 255.
            let code = unsafe Int32(table[line[unchecked: x]] + 0.5)
            unsafe out[unchecked: start &+ x &* step] = UInt8(truncatingIfNeeded: code)
        }
    }

    // One instruction each, without the handling of equal values in `min` and `max`.
    @inline(__always) private static func smaller(_ a: Float, _ b: Float) -> Float { a < b ? a : b }
    @inline(__always) private static func larger(_ a: Float, _ b: Float) -> Float { a > b ? a : b }
}
