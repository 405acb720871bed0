internal import CScrubFFmpeg

/// The owner of one libswscale context: conversion of pixel format, range, matrix and size in one step.
@safe package struct Scaler: ~Copyable, @unchecked Sendable {
    /// The luma and chroma weights between RGB and YCbCr, as libswscale numbers them.
    package enum Matrix: Int32, Sendable {
        case bt709 = 1
        case fcc = 4
        case bt601 = 5
        case smpte240M = 7
        case bt2020 = 9
    }

    private let context: OpaquePointer
    private let target: PixelFormat
    private let width: Int
    private let height: Int

    /// Whether libswscale can convert pictures of a format at all.
    package static func canRead(_ format: PixelFormat) -> Bool { sws_isSupportedInput(format.native) != 0 }

    /// Prepares a conversion.
    ///
    /// Rounding is exact and chroma is interpolated at full size, because a still is looked at, not played.
    package init(
        from source: borrowing Frame, to target: PixelFormat, width: Int, height: Int, matrix: Matrix,
        isFullRange: Bool
    ) throws(AVError) {
        let flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP
        unsafe context = try unsafe allocated(
            Log.quiet.listen {
                unsafe sws_getContext(
                    Int32(source.width), Int32(source.height), source.pixelFormat.native, Int32(width),
                    Int32(height), target.native, flags, nil, nil, nil)
            }, "sws_getContext")
        self.target = target
        self.width = width
        self.height = height
        let coefficients = unsafe sws_getCoefficients(matrix.rawValue)
        // One is 1 << 16 for contrast and saturation; the output is RGB or gray, full range.
        _ = Log.quiet.listen {
            unsafe sws_setColorspaceDetails(
                context, coefficients, isFullRange ? 1 : 0, sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16)
        }
    }

    deinit { unsafe sws_freeContext(context) }

    /// Converts a picture into tightly packed rows.
    package mutating func convert(_ source: borrowing Frame) throws(AVError) -> (bytes: [UInt8], bytesPerRow: Int) {
        let rowBytes = Int(max(0, av_image_get_linesize(target.native, Int32(width), 0)))
        // libswscale writes whole vectors: rows are padded to 64 bytes while it works.
        let stride = (rowBytes + 63) / 64 * 64
        var failure: AVError?
        let pointer = unsafe source.pointer
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: stride * height + 64) { buffer, filled in
            let sources: [UnsafePointer<UInt8>?] = unsafe (0..<4).map {
                unsafe UnsafePointer(pointer.pointee.plane($0))
            }
            let strides: [Int32] = (0..<4).map { unsafe pointer.pointee.stride($0) }
            let targets: [UnsafeMutablePointer<UInt8>?] = unsafe [buffer.baseAddress, nil, nil, nil]
            let targetStrides: [Int32] = [Int32(stride), 0, 0, 0]
            unsafe buffer.initialize(repeating: 0)
            let status = Log.quiet.listen {
                unsafe sws_scale(context, sources, strides, 0, pointer.pointee.height, targets, targetStrides)
            }
            if status < 0 { failure = AVError(status, "sws_scale") }
            filled = buffer.count
        }
        if let failure { throw failure }
        return (bytes, stride)
    }
}
