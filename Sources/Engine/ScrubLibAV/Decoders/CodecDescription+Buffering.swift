internal import CScrubFFmpeg

extension CodecDescription {
    /// The most decoded pictures that a decoder of the stream has to hold for reference and output, by the limits of
    /// its format and level. It is 16 without knowledge of them.
    ///
    /// Sources: MaxDpbMbs (ITU-T H.264 Table A-1, A.3.1), MaxDpbSize (ITU-T H.265 A.4.2), eight slots of VP9 and AV1,
    /// three of VP8, two references of MPEG-1, 2 and 4.
    package var decodedPictureLimit: Int {
        let area = Int(max(16, width)) * Int(max(16, height))
        switch AVCodecID(codecID) {
        case AV_CODEC_ID_H264:
            guard let macroblocks = CodecDescription.h264Buffers.last(where: { $0.level <= level }) else { return 16 }
            let picture = (Int(max(16, width)) + 15) / 16 * ((Int(max(16, height)) + 15) / 16)
            return min(16, max(1, macroblocks.count / picture))
        case AV_CODEC_ID_HEVC:
            guard let luma = CodecDescription.hevcSizes.last(where: { $0.level <= level })?.samples else { return 16 }
            if area <= luma / 4 { return 16 }
            if area <= luma / 2 { return 12 }
            return area <= luma / 4 * 3 ? 8 : 6
        case AV_CODEC_ID_VP9, AV_CODEC_ID_AV1: return 8
        case AV_CODEC_ID_VP8: return 3
        case AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4: return 2
        default: return isIntraOnly ? 1 : 16
        }
    }

    /// Macroblocks of all pictures together, from a level (ten times its number; 9 is 1b) on.
    private static let h264Buffers: [(level: Int32, count: Int)] = [
        (9, 396), (11, 900), (12, 2376), (21, 4752), (22, 8100), (31, 18000), (32, 20480), (40, 32768), (42, 34816),
        (50, 110_400), (51, 184_320), (60, 696_320),
    ]

    /// Luma samples of the largest picture, from a level (thirty times its number) on.
    private static let hevcSizes: [(level: Int32, samples: Int)] = [
        (30, 36864), (60, 122_880), (63, 245_760), (90, 552_960), (93, 983_040), (120, 2_228_224),
        (150, 8_912_896), (180, 35_651_584),
    ]
}
