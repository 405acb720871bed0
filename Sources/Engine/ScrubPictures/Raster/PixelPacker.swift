internal import CScrubShims

/// Converts lines of component values to packed output pixels.
struct PixelPacker {
    /// Adding it to a number in 0 ..< 2^23 leaves the nearest integer in the low mantissa bits (IEEE 754 binary32 has
    /// 23 of them). This is rounding and conversion in one addition, without a branch, also in vector code.
    private static let rounding: Float = 8_388_608

    let maximum: Float
    let channels: Int
    let bitDepth: Int
    private let rows: [SIMD3<Float>]
    private let offsets: [Float]

    init(_ matrix: ColorMatrix, channels: Int, bitDepth: Int) {
        self.channels = channels
        self.bitDepth = bitDepth
        maximum = bitDepth == 8 ? 255 : 65535
        rows = matrix.rows.map { SIMD3<Float>($0) }
        offsets = matrix.offsets.map { Float($0) }
    }

    /// Applies the matrix to three lines in place.
    func convert(_ first: inout [Float], _ second: inout [Float], _ third: inout [Float]) {
        var a = first.mutableSpan
        var b = second.mutableSpan
        var c = third.mutableSpan
        precondition(
            rows.count == 3 && b.count == a.count && c.count == a.count, "the three lines must have the same length")
        let (m0, m1, m2) = (rows[0], rows[1], rows[2])
        let (m00, m01, m02) = (m0.x, m0.y, m0.z)
        let (m10, m11, m12) = (m1.x, m1.y, m1.z)
        let (m20, m21, m22) = (m2.x, m2.y, m2.z)
        let (o0, o1, o2) = (offsets[0], offsets[1], offsets[2])
        for i in 0..<a.count {
            let (x, y, z) = unsafe (a[unchecked: i], b[unchecked: i], c[unchecked: i])
            unsafe a[unchecked: i] = m00 * x + m01 * y + m02 * z + o0
            unsafe b[unchecked: i] = m10 * x + m11 * y + m12 * z + o1
            unsafe c[unchecked: i] = m20 * x + m21 * y + m22 * z + o2
        }
    }

    /// Applies the matrix to a line of 8-bit codes and two lines of numbers, and writes them as a row of packed 8-bit
    /// RGB from byte `start` on. The result is exactly that of ``convert(_:_:_:)`` and three calls of
    /// ``store(_:channel:into:at:)``, in one pass.
    ///
    /// - Precondition: three channels of 8 bits, and lines of equal length.
    func storeRGB(
        _ first: Span<UInt8>, _ second: [Float], _ third: [Float], into pixels: inout MutableSpan<UInt8>, at start: Int
    ) {
        let count = first.count
        precondition(rows.count == 3 && channels == 3 && bitDepth == 8, "not 8-bit RGB")
        precondition(second.count == count && third.count == count, "the three lines must have the same length")
        precondition(start >= 0 && start + count * 3 <= pixels.count, "a row is too short")
        var matrix = self.matrix
        unsafe first.withUnsafeBufferPointer { first in
            unsafe second.withUnsafeBufferPointer { second in
                unsafe third.withUnsafeBufferPointer { third in
                    unsafe pixels.withUnsafeMutableBufferPointer { pixels in
                        guard let pixels = pixels.baseAddress else { return }
                        unsafe scrub_rgb_row(
                            first.baseAddress, second.baseAddress, third.baseAddress, &matrix, count, pixels + start)
                    }
                }
            }
        }
    }

    /// The matrix in C's format. It has three rows.
    private var matrix: scrub_rgb_matrix {
        var matrix = scrub_rgb_matrix()
        matrix.red = (rows[0].x, rows[0].y, rows[0].z, offsets[0])
        matrix.green = (rows[1].x, rows[1].y, rows[1].z, offsets[1])
        matrix.blue = (rows[2].x, rows[2].y, rows[2].z, offsets[2])
        return matrix
    }

    /// The matrix to 8-bit RGB if luma has one weight, red does not depend on Cb, and blue does not depend on Cr: all
    /// except those of YCgCo and RGB.
    var plainMatrix: scrub_rgb_matrix? {
        guard rows.count == 3, channels == 3, bitDepth == 8, rows[0].y == 0, rows[2].z == 0,
            rows[0].x == rows[1].x, rows[1].x == rows[2].x
        else { return nil }
        return matrix
    }

    /// Applies the weight of the first row to a line of gray in place.
    func convert(_ values: inout [Float]) {
        var line = values.mutableSpan
        let (weight, offset) = (rows[0].x, offsets[0])
        for i in 0..<line.count { unsafe line[unchecked: i] = unsafe line[unchecked: i] * weight + offset }
    }

    /// Scales a line of alpha, which has full range whatever the range of the colors.
    func convertAlpha(_ values: inout [Float], depth: Int) {
        var line = values.mutableSpan
        let weight = maximum / Float((1 << depth) - 1)
        for i in 0..<line.count { unsafe line[unchecked: i] *= weight }
    }

    /// Rounds a line, clips it to the output range, and writes it as one channel of the row of pixels that begins at
    /// byte `start`.
    func store(_ line: Span<Float>, channel: Int, into row: inout MutableSpan<UInt8>, at start: Int) {
        let channels = channels
        let maximum = maximum
        if bitDepth == 8 {
            precondition(start >= 0 && start + line.count * channels <= row.count, "a row is too short")
            for i in 0..<line.count {
                let bits = unsafe Self.rounded(line[unchecked: i], maximum)
                unsafe row[unchecked: start &+ i &* channels &+ channel] = UInt8(truncatingIfNeeded: bits)
            }
        } else {
            precondition(start >= 0 && start + line.count * channels * 2 <= row.count, "a row is too short")
            for i in 0..<line.count {
                let bits = unsafe Self.rounded(line[unchecked: i], maximum)
                let at = start &+ (i &* channels &+ channel) &* 2
                unsafe row[unchecked: at] = UInt8(truncatingIfNeeded: bits)
                unsafe row[unchecked: at &+ 1] = UInt8(truncatingIfNeeded: bits &>> 8)
            }
        }
    }

    @inline(__always)
    private static func rounded(_ value: Float, _ maximum: Float) -> UInt32 {
        let low = value > 0 ? value : 0
        return ((low < maximum ? low : maximum) + rounding).bitPattern
    }
}
