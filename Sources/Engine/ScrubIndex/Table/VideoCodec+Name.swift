package import ScrubBitstream

extension VideoCodec {
    /// Creates the codec with libavcodec's name.
    package init(named name: String) {
        self =
            switch name {
            case "h264": .h264
            case "hevc": .hevc
            case "av1": .av1
            case "vp8": .vp8
            case "vp9": .vp9
            case "mpeg1video": .mpeg1
            case "mpeg2video": .mpeg2
            case "mpeg4": .mpeg4
            default: .other
            }
    }
}
