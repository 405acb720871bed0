internal import CFFmpeg

/// Makes small pictures from decoded ones, plane by plane in the same pixel format.
///
/// Every sample of the result is the mean of the area that it covers (`SWS_AREA`), so fine detail does not flicker
/// from picture to picture. Use from one thread at a time. Memory: libswscale's tables and a few rows.
package struct FrameReducer: ~Copyable, @unchecked Sendable {
    private struct Shape: Hashable {
        var width: Int
        var height: Int
        var format: PixelFormat
    }

    private let longSide: Int
    private var context: OpaquePointer?
    private var shape: Shape?

    /// - Parameter longSide: the result's larger side, in samples.
    package init(longSide: Int) {
        precondition(longSide > 0, "a side of \(longSide)")
        self.longSide = longSide
    }

    deinit { sws_freeContext(context) }

    /// The size of the small picture: the same shape, never larger than the source; even, as 4:2:0 wants it.
    package static func size(width: Int, height: Int, longSide: Int) -> (width: Int, height: Int) {
        let long = max(width, height)
        guard long > longSide else { return (width, height) }
        func scaled(_ side: Int) -> Int { max(2, (side * longSide + long) / (2 * long) * 2) }
        return (scaled(width), scaled(height))
    }

    /// Whether pictures of a format can be made smaller.
    package static func canReduce(_ format: PixelFormat) -> Bool {
        sws_isSupportedInput(format.native) != 0 && sws_isSupportedOutput(format.native) != 0
    }

    /// A small copy of a picture, with its tags, in the allocator's memory.
    package mutating func reduce(_ source: borrowing Frame, in allocator: FrameAllocator) throws(AVError) -> Frame {
        let size = FrameReducer.size(width: source.width, height: source.height, longSide: longSide)
        let result = try allocator.picture(width: size.width, height: size.height, format: source.pixelFormat)
        try check(av_frame_copy_props(result.pointer, source.pointer), "av_frame_copy_props")
        let wanted = Shape(width: source.width, height: source.height, format: source.pixelFormat)
        if shape != wanted {
            sws_freeContext(context)
            (context, shape) = (nil, nil)
            context = try allocated(
                sws_getContext(
                    Int32(source.width), Int32(source.height), source.pixelFormat.native, Int32(size.width),
                    Int32(size.height), source.pixelFormat.native, SWS_AREA, nil, nil, nil), "sws_getContext")
            shape = wanted
        }
        guard let context else { throw AVError(scrub_error_from_errno(12), "sws_getContext") }
        try check(sws_scale_frame(context, result.pointer, source.pointer), "sws_scale_frame")
        return result
    }
}
