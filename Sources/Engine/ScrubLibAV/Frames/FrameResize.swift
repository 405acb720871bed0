internal import CScrubFFmpeg

extension Frame {
    /// Returns the picture in another size and pixel format, so that hashes of both can be compared. It is scaled as
    /// the ffmpeg command scales pictures whose size changes in the middle of a stream (bicubic, `libswscale`).
    package func resized(width: Int, height: Int, format: PixelFormat) throws(AVError) -> Frame {
        let result = try Frame()
        unsafe result.pointer.pointee.width = Int32(width)
        unsafe result.pointer.pointee.height = Int32(height)
        unsafe result.pointer.pointee.format = format.rawValue
        try unsafe check(av_frame_get_buffer(result.pointer, 0), "av_frame_get_buffer")
        let context = try unsafe allocated(sws_alloc_context(), "sws_alloc_context")
        defer { unsafe sws_freeContext(context) }
        let (own, plain) = (pixelFormat.rawValue, AV_PIX_FMT_YUV420P.rawValue)
        var options: [(String, Int)] = [
            ("srcw", self.width), ("srch", self.height), ("src_format", Int(own)), ("dstw", width), ("dsth", height),
            ("dst_format", Int(format.rawValue)), ("sws_flags", Int(SWS_BICUBIC)),
        ]
        // Of 4:2:0 the command's scaler says where chroma lies (vf_scale.c), but not of its full-range twin: between
        // the two it moves.
        if own == plain { options.append(("src_v_chr_pos", 128)) }
        if format.rawValue == plain { options.append(("dst_v_chr_pos", 128)) }
        for (name, value) in options {
            try unsafe check(av_opt_set_int(UnsafeMutableRawPointer(context), name, Int64(value), 0), "av_opt_set_int")
        }
        try check(Log.quiet.listen { unsafe sws_init_context(context, nil, nil) }, "sws_init_context")
        let (to, from) = unsafe (result.pointer, pointer)
        try check(Log.quiet.listen { unsafe sws_scale_frame(context, to, from) }, "sws_scale_frame")
        return result
    }
}
