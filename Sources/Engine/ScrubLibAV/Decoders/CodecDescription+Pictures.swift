internal import CScrubFFmpeg

extension CodecDescription {
    /// Returns whether libavcodec's decoder of a codec writes every sample of its output pictures, or conceals missing
    /// parts and reports it. Other decoders leave the memory for missing parts of truncated packets unchanged (EXR,
    /// JPEG-LS, QOI, Sun raster), or draw on a canvas that does not exist yet. They get cleared memory, like the first
    /// pictures in ffmpeg.
    static func writesWholePictures(_ codecID: UInt32) -> Bool { wholePictureCodecs.contains(codecID) }

    private static let wholePictureCodecs: Set<UInt32> = [
        AV_CODEC_ID_H264.rawValue, AV_CODEC_ID_HEVC.rawValue, AV_CODEC_ID_AV1.rawValue, AV_CODEC_ID_VP8.rawValue,
        AV_CODEC_ID_VP9.rawValue, AV_CODEC_ID_MPEG1VIDEO.rawValue, AV_CODEC_ID_MPEG2VIDEO.rawValue,
        AV_CODEC_ID_MPEG4.rawValue, AV_CODEC_ID_H263.rawValue, AV_CODEC_ID_FLV1.rawValue, AV_CODEC_ID_WMV1.rawValue,
        AV_CODEC_ID_WMV2.rawValue, AV_CODEC_ID_WMV3.rawValue, AV_CODEC_ID_VC1.rawValue, AV_CODEC_ID_VP3.rawValue,
        AV_CODEC_ID_THEORA.rawValue, AV_CODEC_ID_VP6.rawValue, AV_CODEC_ID_VP6F.rawValue, AV_CODEC_ID_RV30.rawValue,
        AV_CODEC_ID_RV40.rawValue, AV_CODEC_ID_MJPEG.rawValue, AV_CODEC_ID_PRORES.rawValue,
        AV_CODEC_ID_DNXHD.rawValue, AV_CODEC_ID_DVVIDEO.rawValue, AV_CODEC_ID_FFV1.rawValue,
        AV_CODEC_ID_RAWVIDEO.rawValue, AV_CODEC_ID_V210.rawValue, AV_CODEC_ID_HUFFYUV.rawValue,
        AV_CODEC_ID_FFVHUFF.rawValue, AV_CODEC_ID_UTVIDEO.rawValue, AV_CODEC_ID_PNG.rawValue,
        AV_CODEC_ID_APNG.rawValue, AV_CODEC_ID_GIF.rawValue,
    ]

    /// Whether libavcodec produces a picture of every packet of the codec that it does not reject, and outputs it at
    /// once.
    ///
    /// The sources of these decoders were checked (FFmpeg 5.1): none of them returns without a picture or an error,
    /// except for packets of a few bytes. For all other decoders, this is determined by decoding.
    package var makesOnePictureOfEachPacket: Bool { CodecDescription.onePictureCodecs.contains(codecName) }

    private static let onePictureCodecs: Set<String> = [
        "amv", "apng", "asv1", "asv2", "ayuv", "bmp", "cljr", "dnxhd", "dpx", "dvvideo", "dxv", "exr", "ffv1",
        "ffvhuff", "flv1",
        "gif", "h261", "h263", "h263p", "hap", "huffyuv", "jpeg2000", "jpegls", "ljpeg", "magicyuv", "mjpeg", "mjpegb",
        "msmpeg4v1", "msmpeg4v2", "msmpeg4v3", "pam", "pbm", "pgm", "png", "ppm", "prores", "qoi", "r10k", "r210",
        "rawvideo", "sgi", "sp5x", "speedhq", "svq1", "targa", "theora", "tiff", "utvideo", "v210", "v308", "v408",
        "v410",
        "vp3", "vp4", "vp5", "vp6", "vp6a", "vp6f", "wmv1", "wmv2", "y41p", "yuv4",
    ]
}
