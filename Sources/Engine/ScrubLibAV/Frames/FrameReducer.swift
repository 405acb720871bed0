internal import CScrubFFmpeg

/// Resizes decoded pictures, plane by plane in the same pixel format.
///
/// Every sample of a smaller picture is the average of the area that it covers (`SWS_AREA`), so fine detail does not
/// flicker from picture to picture. Enlarging is bicubic. For interlaced pictures, the first field is used: two moments
/// in one picture would still show combing. Use from one thread at a time. Memory: libswscale's tables and a few rows.
package struct FrameReducer: ~Copyable, Sendable {
    private var scaler: Scaler?

    package init() {}

    /// Returns the size with a larger side of `longSide`: with the same aspect ratio, never larger than the source;
    /// even, as required by 4:2:0.
    package static func size(width: Int, height: Int, longSide: Int) -> (width: Int, height: Int) {
        let long = max(width, height)
        guard long > longSide else { return (width, height) }
        func scaled(_ side: Int) -> Int { max(2, (side * longSide + long) / (2 * long) * 2) }
        return (scaled(width), scaled(height))
    }

    /// Returns whether libswscale reads and writes pictures of a format.
    package static func canReduce(_ format: PixelFormat) -> Bool {
        Scaler.canRead(format) && Scaler.canWrite(format)
    }

    /// Returns a picture of another size, with the source's tags.
    ///
    /// Formats that libswscale reads but does not write, such as those with a palette, become RGBA.
    ///
    /// - Parameters:
    ///   - format: the format of the result; `nil` for the source's. The range is kept. RGB or gray that is converted
    ///     to YCbCr becomes limited-range BT.601, and is tagged accordingly.
    ///   - allocator: the allocator of the result; `nil` for libavutil's.
    package mutating func reduce(
        _ source: borrowing Frame, width: Int, height: Int, format wanted: PixelFormat? = nil,
        in allocator: FrameAllocator? = nil
    ) throws(AVError) -> Frame {
        let own = source.pixelFormat
        let format = wanted ?? (FrameReducer.canReduce(own) ? own : own.opened)
        let result = try room(width: width, height: height, format: format, in: allocator)
        try unsafe check(av_frame_copy_props(result.pointer, source.pointer), "av_frame_copy_props")
        if source.isInterlaced, source.height > 1 {
            try scale(source.field(isBottom: !source.isTopFieldFirst), into: result)
        } else {
            try scale(source, into: result)
        }
        if (own.isRGB || own.isPaletted) && !format.isRGB || own.isGray && !format.isGray {
            unsafe result.pointer.pointee.colorspace = AVCOL_SPC_SMPTE170M
            unsafe result.pointer.pointee.color_range = AVCOL_RANGE_MPEG
        }
        return result
    }

    private func room(
        width: Int, height: Int, format: PixelFormat, in allocator: FrameAllocator?
    ) throws(AVError) -> Frame {
        if let allocator { return try allocator.picture(width: width, height: height, format: format) }
        return try Frame().room(width: width, height: height, format)
    }

    private mutating func scale(_ source: borrowing Frame, into target: borrowing Frame) throws(AVError) {
        let isSmaller = target.width <= source.width && target.height <= source.height
        let settings = Scaler.Settings(
            source: source.shape, target: target.shape, flags: isSmaller ? SWS_AREA : SWS_BICUBIC)
        if scaler?.settings != settings { scaler = try Scaler(settings) }
        try scaler?.convert(source, into: target)
    }
}

extension Frame {
    /// Tags the picture with a matrix: a code point of ISO/IEC 23091-2 that AVFrame also has.
    package mutating func tag(matrix: UInt8) { unsafe pointer.pointee.colorspace = AVColorSpace(UInt32(matrix)) }
}

extension PixelFormat {
    /// An RGB format with alpha that can represent this format's values.
    fileprivate var opened: PixelFormat { PixelFormat(bitDepth > 8 ? AV_PIX_FMT_RGBA64LE : AV_PIX_FMT_RGBA) }
}
