internal import CFFmpeg

extension Frame {
    /// The picture in another size and pixel format, scaled as the ffmpeg command scales pictures whose size changes
    /// in the middle of a stream (bicubic, `libswscale`), so that hashes of both can be compared.
    package func resized(width: Int, height: Int, format: PixelFormat) throws(AVError) -> Frame {
        let result = try Frame()
        unsafe result.pointer.pointee.width = Int32(width)
        unsafe result.pointer.pointee.height = Int32(height)
        unsafe result.pointer.pointee.format = format.rawValue
        try unsafe check(av_frame_get_buffer(result.pointer, 0), "av_frame_get_buffer")
        let context = try unsafe allocated(
            Log.quiet.listen {
                unsafe sws_getContext(
                    Int32(self.width), Int32(self.height), pixelFormat.native, Int32(width), Int32(height),
                    format.native, SWS_BICUBIC, nil, nil, nil)
            }, "sws_getContext")
        defer { unsafe sws_freeContext(context) }
        let (to, from) = unsafe (result.pointer, pointer)
        try check(Log.quiet.listen { unsafe sws_scale_frame(context, to, from) }, "sws_scale_frame")
        return result
    }
}
