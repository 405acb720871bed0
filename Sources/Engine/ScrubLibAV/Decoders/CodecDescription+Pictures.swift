extension CodecDescription {
    /// Whether libavcodec makes a picture of every packet of the codec that it doesn't refuse, and makes it at once.
    ///
    /// The decoders of these codecs were read for it (FFmpeg 5.1): none returns without a picture and without an error,
    /// except for packets of a few bytes. Of all others it is found out by decoding.
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
