internal import CScrubFFmpeg

extension CodecDescription {
    /// The minimum number of bytes of a packet of raw pictures. It is 0 for codecs whose pictures vary in size, and if
    /// the format is unknown.
    ///
    /// libavcodec also accepts shorter ones, and shows the previous contents of memory after them.
    package var leastPacketByteCount: Int {
        guard AVCodecID(codecID) == AV_CODEC_ID_RAWVIDEO, pixelFormat >= 0 else { return 0 }
        let format = AVPixelFormat(pixelFormat)
        // For a paletted format, the count includes the palette, which is separate in packets.
        let all = Int(av_image_get_buffer_size(format, width, height, 1)) - (format == AV_PIX_FMT_PAL8 ? 1024 : 0)
        guard all > 0 else { return 0 }
        let bits = Int(bitsPerCodedSample)
        let isPacked = (1..<8).contains(bits) && (format == AV_PIX_FMT_PAL8 || format == AV_PIX_FMT_GRAY8)
        return isPacked ? (Int(width) * bits + 7) / 8 * Int(height) : all
    }
}
