internal import CScrubFFmpeg

/// Makes pictures of another size from decoded ones, plane by plane in the same pixel format.
///
/// Every sample of a smaller picture is the mean of the area that it covers (`SWS_AREA`), so fine detail does not
/// flicker from picture to picture. Enlarging is bicubic. Of interlaced pictures the first field is taken: two moments
/// in one still look like a comb. Use from one thread at a time. Memory: libswscale's tables and a few rows.
@safe package struct FrameReducer: ~Copyable, @unchecked Sendable {
    private struct Shape: Hashable {
        var width: Int
        var height: Int
        var format: PixelFormat
        var newWidth: Int
        var newHeight: Int
        var newFormat: PixelFormat
    }

    private var context: OpaquePointer?
    private var shape: Shape?

    package init() {}

    deinit { unsafe sws_freeContext(context) }

    /// Returns the size with a larger side of `longSide`: the same shape, never larger than the source; even, as 4:2:0
    /// wants it.
    package static func size(width: Int, height: Int, longSide: Int) -> (width: Int, height: Int) {
        let long = max(width, height)
        guard long > longSide else { return (width, height) }
        func scaled(_ side: Int) -> Int { max(2, (side * longSide + long) / (2 * long) * 2) }
        return (scaled(width), scaled(height))
    }

    /// Whether libswscale reads pictures of a format, and writes them.
    package static func canReduce(_ format: PixelFormat) -> Bool {
        sws_isSupportedInput(format.native) != 0 && sws_isSupportedOutput(format.native) != 0
    }

    /// Whether libswscale reads pictures of a format.
    static func canRead(_ format: PixelFormat) -> Bool { sws_isSupportedInput(format.native) != 0 }

    /// Returns a picture of another size, with the source's tags.
    ///
    /// Formats that libswscale reads and does not write, such as those with a palette, become RGBA.
    ///
    /// - Parameters:
    ///   - format: the format of the result; `nil` for the source's. The range stays. What becomes YCbCr of RGB, or of
    ///     gray, is limited-range BT.601, and tagged so.
    ///   - allocator: whose memory it is in; `nil` for libavutil's.
    package mutating func reduce(
        _ source: borrowing Frame, width: Int, height: Int, format wanted: PixelFormat? = nil,
        in allocator: FrameAllocator? = nil
    ) throws(AVError) -> Frame {
        let own = source.pixelFormat
        let format = wanted ?? (FrameReducer.canReduce(own) ? own : own.opened)
        let result = try room(width: width, height: height, format: format, in: allocator)
        try unsafe check(av_frame_copy_props(result.pointer, source.pointer), "av_frame_copy_props")
        let fields = source.isInterlaced && source.height > 1 ? 2 : 1
        let wanted = Shape(
            width: source.width, height: source.height / fields, format: own, newWidth: width,
            newHeight: height, newFormat: format)
        try prepare(wanted)
        guard let context = unsafe context else { throw AVError(scrub_error_from_errno(12), "sws_getContext") }
        let (from, to) = unsafe (source.pointer, result.pointer)
        // The second field begins a row below.
        let first = fields == 2 && !source.isTopFieldFirst ? 1 : 0
        let rows: [UnsafePointer<UInt8>?] = unsafe (0..<4).map { plane in
            unsafe from.pointee.plane(plane).map { unsafe UnsafePointer($0 + first * Int(from.pointee.stride(plane))) }
        }
        // A palette has no rows.
        let isPaletted = own.isPaletted
        let planes =
            unsafe isPaletted
            ? [rows[0], from.pointee.plane(1).map { unsafe UnsafePointer($0) }, nil, nil] : unsafe rows
        let strides: [Int32] = (0..<4).map { unsafe from.pointee.stride($0) * Int32(fields) }
        let targets: [UnsafeMutablePointer<UInt8>?] = unsafe (0..<4).map { unsafe to.pointee.plane($0) }
        let targetStrides: [Int32] = (0..<4).map { unsafe to.pointee.stride($0) }
        try check(
            Log.quiet.listen {
                unsafe sws_scale(context, planes, strides, 0, Int32(wanted.height), targets, targetStrides)
            }, "sws_scale")
        if (own.isRGB || own.isPaletted) && !format.isRGB || own.isGray && !format.isGray {
            unsafe to.pointee.colorspace = AVCOL_SPC_SMPTE170M
            unsafe to.pointee.color_range = AVCOL_RANGE_MPEG
        }
        return result
    }

    private func room(
        width: Int, height: Int, format: PixelFormat, in allocator: FrameAllocator?
    ) throws(AVError) -> Frame {
        if let allocator { return try allocator.picture(width: width, height: height, format: format) }
        let result = try Frame()
        unsafe (result.pointer.pointee.width, result.pointer.pointee.height) = (Int32(width), Int32(height))
        unsafe result.pointer.pointee.format = format.rawValue
        try unsafe check(av_frame_get_buffer(result.pointer, 0), "av_frame_get_buffer")
        return result
    }

    private mutating func prepare(_ wanted: Shape) throws(AVError) {
        guard shape != wanted else { return }
        unsafe sws_freeContext(context)
        unsafe (context, shape) = (nil, nil)
        let isSmaller = wanted.newWidth <= wanted.width && wanted.newHeight <= wanted.height
        unsafe context = unsafe try allocated(
            Log.quiet.listen {
                unsafe sws_getContext(
                    Int32(wanted.width), Int32(wanted.height), wanted.format.native, Int32(wanted.newWidth),
                    Int32(wanted.newHeight), wanted.newFormat.native, isSmaller ? SWS_AREA : SWS_BICUBIC, nil, nil, nil)
            }, "sws_getContext")
        shape = wanted
    }
}

extension Frame {
    /// Says which matrix the picture's numbers are of: a code point of ISO/IEC 23091-2 that AVFrame knows too.
    package mutating func tag(matrix: UInt8) { unsafe pointer.pointee.colorspace = AVColorSpace(UInt32(matrix)) }
}

extension PixelFormat {
    /// An RGB format with alpha that holds this one's values.
    fileprivate var opened: PixelFormat { PixelFormat(bitDepth > 8 ? AV_PIX_FMT_RGBA64LE : AV_PIX_FMT_RGBA) }
}
