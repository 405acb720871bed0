internal import CScrubAVIF
package import ScrubBase

/// An encoder for AVIF (AV1 Image File Format 1.1) with 4:2:0 full-range color and color tags.
package enum AVIF {
    /// AV1's frame header has 16 bits for each side less one (5.5.1).
    private static let longestSide = 65536

    /// Returns the picture as an AVIF file with its alpha: 8 bits, or 10 for a picture with 16.
    ///
    /// The `nclx` box and the AV1 sequence header contain the picture's primaries and transfer unchanged, so HDR stays
    /// HDR. PQ and HLG without primaries count as BT.2020. Colors are coded with BT.2020's matrix if the primaries are
    /// BT.2020's, otherwise with BT.601's, which readers that ignore tags assume (MIAF, ISO/IEC 23000-22).
    ///
    /// - Parameters:
    ///   - quality: 0 to 100, linear in AV1's quantizers.
    ///   - speed: 0 (small) to 10 (fast).
    /// - Throws: ``ScrubError/Code/usage`` for a side over 65536; the errors of ``checkIsAvailable()``.
    package static func encode(_ image: RasterImage, quality: Int, speed: Int = 8) throws(ScrubError) -> [UInt8] {
        precondition((0...100).contains(quality), "AVIF quality must be from 0 to 100")
        precondition((0...10).contains(speed), "AVIF speed must be from 0 to 10")
        try image.checkSize(for: "AVIF", limit: longestSide)
        let writer = AVIFWriter(avif: try library())
        let layout = image.channels <= 2 ? AVIF_PIXEL_FORMAT_YUV400 : AVIF_PIXEL_FORMAT_YUV420
        let depth: UInt32 = image.bitDepth == 8 ? 8 : 10
        guard let picture = unsafe writer.avif.imageCreate(UInt32(image.width), UInt32(image.height), depth, layout)
        else {
            throw AVIFWriter.failure("out of memory")
        }
        defer { unsafe writer.avif.imageDestroy(picture) }
        let (primaries, matrix) = codePoints(image.color)
        unsafe picture.pointee.yuvRange = AVIF_RANGE_FULL
        unsafe picture.pointee.colorPrimaries = avifColorPrimaries(primaries)
        unsafe picture.pointee.transferCharacteristics = avifTransferCharacteristics(image.color.transfer)
        unsafe picture.pointee.matrixCoefficients = avifMatrixCoefficients(matrix)
        if image.channels == 3, depth == 8, matrix == 6 {
            try unsafe writer.fill(picture, with: SubsampledPlanes(image, isFullRange: true))
        } else {
            try unsafe writer.fill(picture, from: image.withChannels(image.hasAlpha ? 4 : 3))
        }
        return try unsafe writer.write(picture, quality: quality, speed: speed)
    }

    /// Checks that AVIF can be written. The first call loads libavif.
    ///
    /// - Throws: ``ScrubError/Code/unavailable`` if libavif is not installed, has a version other than the one used for
    ///   the build, or has no AV1 encoder.
    package static func checkIsAvailable() throws(ScrubError) { _ = try library() }

    private static func library() throws(ScrubError) -> cavif_library {
        guard let avif = unsafe cavif_load()?.pointee else {
            let version = unsafe String(cString: cavif_version())
            throw ScrubError(
                .unavailable, "AVIF: libavif \(version) is not installed",
                advice: "install it (Debian's libavif15 is 0.11), or write JPEG, PNG or WebP")
        }
        guard unsafe avif.codecName(AVIF_CODEC_CHOICE_AUTO, AVIF_CODEC_FLAG_CAN_ENCODE.rawValue) != nil else {
            throw ScrubError(
                .unavailable, "libavif was built without an AV1 encoder", advice: "write JPEG, PNG or WebP")
        }
        return avif
    }

    /// Returns the primaries and the matrix to write.
    static func codePoints(_ color: ColorSpec) -> (primaries: UInt8, matrix: UInt8) {
        let isHDR = color.transfer == 16 || color.transfer == 18
        let primaries = isHDR && color.primaries == ColorSpec.unspecified ? 9 : color.primaries
        return (primaries, primaries == 9 ? 9 : 6)
    }
}

/// Calls of libavif.
private struct AVIFWriter {
    /// The maximum quantizer: values range from 0 to 63 in libavif's interface.
    private static let coarsestQuantizer = 63
    /// More threads hardly help with pictures of this size, and other work needs the processors.
    private static let threads: Int32 = 2

    let avif: cavif_library

    func fill(
        _ picture: UnsafeMutablePointer<avifImage>, with planes: SubsampledPlanes
    ) throws(ScrubError) {
        guard unsafe avif.imageAllocatePlanes(picture, avifPlanesFlags(AVIF_PLANES_YUV.rawValue)) == AVIF_RESULT_OK
        else {
            throw AVIFWriter.failure("out of memory")
        }
        let (places, strides) = unsafe (picture.pointee.yuvPlanes, picture.pointee.yuvRowBytes)
        try unsafe copy(planes.luma, width: Int(picture.pointee.width), to: places.0, stride: strides.0)
        try unsafe copy(planes.blue, width: planes.chromaWidth, to: places.1, stride: strides.1)
        try unsafe copy(planes.red, width: planes.chromaWidth, to: places.2, stride: strides.2)
    }

    private func copy(
        _ plane: [UInt8], width: Int, to target: UnsafeMutablePointer<UInt8>?, stride: UInt32
    ) throws(ScrubError) {
        guard let target = unsafe target else { throw AVIFWriter.failure("out of memory") }
        unsafe plane.withUnsafeBufferPointer { rows in
            guard let start = rows.baseAddress else { return }
            for row in 0..<rows.count / width {
                unsafe (target + row * Int(stride)).update(from: start + row * width, count: width)
            }
        }
    }

    func fill(
        _ picture: UnsafeMutablePointer<avifImage>, from image: RasterImage
    ) throws(ScrubError) {
        var pixels = unsafe avifRGBImage()
        unsafe avif.rgbImageSetDefaults(&pixels, picture)
        unsafe pixels.depth = UInt32(image.bitDepth)
        unsafe pixels.format = image.hasAlpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB
        unsafe pixels.rowBytes = UInt32(image.bytesPerRow)
        let result = unsafe image.bytes.withUnsafeBufferPointer { bytes in
            // The conversion only reads; the field is used in both directions.
            unsafe pixels.pixels = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
            return unsafe avif.imageRGBToYUV(picture, &pixels)
        }
        guard result == AVIF_RESULT_OK else { throw failure(result) }
    }

    func write(
        _ picture: UnsafeMutablePointer<avifImage>, quality: Int, speed: Int
    ) throws(ScrubError) -> [UInt8] {
        guard let encoder = unsafe avif.encoderCreate() else { throw AVIFWriter.failure("out of memory") }
        defer { unsafe avif.encoderDestroy(encoder) }
        let quantizer = Int32(((100 - quality) * AVIFWriter.coarsestQuantizer + 50) / 100)
        unsafe encoder.pointee.maxThreads = AVIFWriter.threads
        unsafe encoder.pointee.speed = Int32(speed)
        unsafe encoder.pointee.minQuantizer = quantizer
        unsafe encoder.pointee.maxQuantizer = quantizer
        var out = unsafe avifRWData()
        defer { unsafe avif.rwDataFree(&out) }
        let result = unsafe avif.encoderWrite(encoder, picture, &out)
        guard result == AVIF_RESULT_OK else { throw failure(result) }
        return unsafe [UInt8](UnsafeBufferPointer(start: out.data, count: out.size))
    }

    private func failure(_ result: avifResult) -> ScrubError {
        unsafe AVIFWriter.failure(
            avif.resultToString(result).map { unsafe String(cString: $0) } ?? "error \(result.rawValue)")
    }

    static func failure(_ reason: String) -> ScrubError { ScrubError(.inputOutput, "AVIF: \(reason)") }
}
