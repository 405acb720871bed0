internal import CScrubFFmpeg

extension Frame {
    /// Returns the picture in another size and pixel format, so that hashes of both can be compared. It is scaled like
    /// pictures whose size changes within a stream in the ffmpeg command (bicubic, `libswscale`).
    package func resized(width: Int, height: Int, format: PixelFormat) throws(AVError) -> Frame {
        let result = try room(width: width, height: height, format)
        var settings = Scaler.Settings(source: shape, target: result.shape, flags: SWS_BICUBIC)
        // For 4:2:0, the command's scaler sets the chroma location (vf_scale.c), but not for its full-range variant:
        // chroma shifts between the two.
        let plain = PixelFormat(AV_PIX_FMT_YUV420P)
        if pixelFormat == plain { settings.sourceChromaRow = 128 }
        if format == plain { settings.targetChromaRow = 128 }
        try Scaler(settings).convert(self, into: result)
        return result
    }
}

extension Frame {
    /// Returns the picture at its own size as full-range RGB or gray.
    ///
    /// Rounding is exact and chroma is interpolated at full size, because still images are viewed longer than video
    /// frames.
    ///
    /// - Parameters:
    ///   - matrix: the matrix of the picture's samples.
    ///   - isFullRange: whether the samples are full range.
    package func scaled(to format: PixelFormat, matrix: Scaler.Matrix, isFullRange: Bool) throws(AVError) -> Frame {
        let result = try room(width: width, height: height, format)
        let flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP
        try Scaler(
            Scaler.Settings(
                source: shape, target: result.shape, flags: flags,
                ranges: Scaler.Ranges(matrix: matrix.rawValue, source: isFullRange, target: true))
        ).convert(self, into: result)
        return result
    }
}
