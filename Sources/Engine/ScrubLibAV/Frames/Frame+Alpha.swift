internal import CScrubFFmpeg
internal import CScrubShims

extension Frame {
    /// Returns the picture with the luma of another one as its alpha. The planes are those of both, and no samples are
    /// copied if the sizes are the same.
    ///
    /// - Returns: `nil` if no pixel format supports both.
    package func joined(alpha: borrowing Frame) throws(AVError) -> Frame? {
        if alpha.width != width || alpha.height != height {
            guard FrameReducer.canReduce(alpha.pixelFormat) else { return nil }
            var reducer = FrameReducer()
            let fitted = try reducer.reduce(alpha, width: width, height: height)
            return try joined(alpha: fitted)
        }
        guard let format = pixelFormat.withAlphaPlane, alpha.pixelFormat.bitDepth == pixelFormat.bitDepth,
            format.planeCount == 4, unsafe pointer.pointee.data.3 == nil, unsafe alpha.pointer.pointee.data.0 != nil,
            let owner = unsafe av_frame_get_plane_buffer(alpha.pointer, 0)
        else { return nil }
        let result = try Frame()
        try unsafe check(av_frame_ref(result.pointer, pointer), "av_frame_ref")
        let buffer = try unsafe allocated(av_buffer_ref(owner), "av_buffer_ref")
        guard unsafe result.keep(buffer) else {
            var unused: UnsafeMutablePointer<AVBufferRef>? = unsafe buffer
            unsafe av_buffer_unref(&unused)
            return nil
        }
        if pixelFormat.isFullRangeByName { unsafe result.pointer.pointee.color_range = AVCOL_RANGE_JPEG }
        unsafe result.pointer.pointee.format = format.rawValue
        unsafe result.pointer.pointee.data.3 = unsafe alpha.pointer.pointee.data.0
        unsafe result.pointer.pointee.linesize.3 = unsafe alpha.pointer.pointee.linesize.0
        return result
    }

    /// Makes the frame an owner of a buffer; returns false if it cannot own another one.
    private func keep(_ buffer: UnsafeMutablePointer<AVBufferRef>) -> Bool {
        unsafe withUnsafeMutablePointer(to: &pointer.pointee.buf) { buffers in
            unsafe buffers.withMemoryRebound(to: UnsafeMutablePointer<AVBufferRef>?.self, capacity: 8) { refs in
                for i in 0..<8 where unsafe refs[i] == nil {
                    unsafe refs[i] = unsafe buffer
                    return true
                }
                return false
            }
        }
    }
}

extension PixelFormat {
    /// The format with the same planes and an alpha plane; `nil` if libav has none.
    fileprivate var withAlphaPlane: PixelFormat? {
        let plain = withoutRange.name
        guard plain.hasPrefix("yuv4") else { return nil }
        let format = unsafe av_get_pix_fmt("yuva" + plain.dropFirst(3))
        return format == AV_PIX_FMT_NONE ? nil : PixelFormat(format)
    }
}
