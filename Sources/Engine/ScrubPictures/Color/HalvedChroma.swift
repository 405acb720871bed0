internal import CScrubShims
internal import ScrubLibAV

/// Pictures of 8-bit YCbCr in three planes with half as many columns of chroma as of luma, which nearly all have. One
/// pass over the whole picture gives exactly the result of ``ComponentSource`` and ``PixelPacker``, which work row by
/// row.
struct HalvedChroma {
    private let across: InterpolationTaps
    private let down: InterpolationTaps
    private let hasHalfRows: Bool
    private let matrix: scrub_rgb_matrix

    /// The widest vectors that may be used; tests try all of them.
    static let mostVectors = SCRUB_VECTORS_V4

    /// - Returns: `nil` for other pictures, and if the values would be rounded along the way.
    init?(
        _ layouts: [SampleLayout], _ frame: borrowing Frame, siting: ChromaSiting, _ packer: PixelPacker
    ) {
        let shift = frame.pixelFormat.chromaShift
        guard layouts.count == 3, !frame.pixelFormat.isRGB, shift.x == 1, shift.y == 0 || shift.y == 1,
            layouts.allSatisfy(\.isPlain), layouts.map(\.plane) == [0, 1, 2], !frame.hasChromaOfFields,
            let matrix = packer.plainMatrix
        else { return nil }
        hasHalfRows = shift.y == 1
        self.matrix = matrix
        across = ChromaSiting.taps(count: 2, shift: 1, offset: siting.x)
        down = ChromaSiting.taps(count: 2, shift: shift.y, offset: siting.y)
        let weights = across.weights + down.weights
        guard weights.allSatisfy({ ($0 * 128).rounded(.toNearestOrEven) == $0 * 128 }),
            across.first.allSatisfy({ $0 == -1 || $0 == -2 })
        else { return nil }
    }

    /// Writes packed RGB.
    ///
    /// - Returns: whether it did: not if the rows of a plane are not contiguous.
    /// - Precondition: `target` is large enough.
    func write(
        _ frame: borrowing Frame, into target: inout MutableSpan<UInt8>, vectors: scrub_vectors = mostVectors
    ) -> Bool {
        let (width, height) = (frame.width, frame.height)
        let (columns, rows) = ((width + 1) / 2, hasHalfRows ? (height + 1) / 2 : height)
        guard let luma = frame.samples(ofPlane: 0), let cb = frame.samples(ofPlane: 1),
            let cr = frame.samples(ofPlane: 2)
        else { return false }
        let strides = (0..<3).map { frame.bytesFromRowToRow(ofPlane: $0) }
        // The C code below reads exactly this far.
        precondition(luma.count >= strides[0] * (height - 1) + width && strides[0] >= width, "luma is too short")
        for (plane, stride) in [(cb.count, strides[1]), (cr.count, strides[2])] {
            precondition(plane >= stride * (rows - 1) + columns && stride >= columns, "chroma is too short")
        }
        precondition(target.count >= width * height * 3, "not enough room")
        var picture = unsafe scrub_halved_picture()
        unsafe (picture.width, picture.height, picture.columns, picture.rows) = (width, height, columns, rows)
        unsafe (picture.luma_stride, picture.cb_stride, picture.cr_stride) = (strides[0], strides[1], strides[2])
        unsafe picture.across_first = (Int32(across.first[0]), Int32(across.first[1]))
        unsafe picture.across = (HalvedChroma.four(across.weights[0]), HalvedChroma.four(across.weights[1]))
        unsafe picture.has_half_rows = hasHalfRows
        unsafe picture.down_first = (Int32(down.first[0]), Int32(down.first[1]))
        unsafe picture.down = (HalvedChroma.four(down.weights[0]), HalvedChroma.four(down.weights[1]))
        unsafe luma.withUnsafeBufferPointer { luma in
            unsafe cb.withUnsafeBufferPointer { cb in
                unsafe cr.withUnsafeBufferPointer { cr in
                    unsafe target.withUnsafeMutableBufferPointer { target in
                        unsafe (picture.luma, picture.cb, picture.cr) = (
                            luma.baseAddress, cb.baseAddress, cr.baseAddress
                        )
                        let bytes = unsafe scrub_halved_scratch_count(&picture) * MemoryLayout<Float>.stride
                        unsafe withUnsafeTemporaryAllocation(byteCount: bytes, alignment: 64) { scratch in
                            var matrix = matrix
                            unsafe scrub_rgb_halved(
                                &picture, &matrix, vectors,
                                scratch.baseAddress?.assumingMemoryBound(to: Float.self), target.baseAddress)
                        }
                    }
                }
            }
        }
        return true
    }

    private static func four(_ weights: SIMD4<Float>) -> (Float, Float, Float, Float) {
        (weights[0], weights[1], weights[2], weights[3])
    }
}
