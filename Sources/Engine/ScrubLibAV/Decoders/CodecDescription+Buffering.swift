internal import CScrubFFmpeg

extension CodecDescription {
    /// The maximum number of decoded pictures that a decoder of the stream must hold for reference and output,
    /// according to the limits of its format and level; 16 if these are unknown.
    ///
    /// Sources: MaxDpbMbs (ITU-T H.264 Table A-1, A.3.1), MaxDpbSize (ITU-T H.265 A.4.2), eight slots in VP9 and AV1,
    /// three in VP8. For other codecs, the number that libavcodec's decoders hold.
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
        default: return CodecDescription.heldPictures[codecID] ?? (isIntraOnly ? 1 : 16)
        }
    }

    /// The number of pictures that libavcodec's other decoders hold (from the sources of FFmpeg 5.1 and 7.1).
    private static let heldPictures: [UInt32: Int] = {
        let held: [(count: Int, codecs: [AVCodecID])] = [
            // The canvas, and its copy while the caller holds a picture (`ff_reget_buffer`).
            (
                2,
                [
                    AV_CODEC_ID_GIF, AV_CODEC_ID_FLIC, AV_CODEC_ID_QTRLE, AV_CODEC_ID_RPZA, AV_CODEC_ID_SMC,
                    AV_CODEC_ID_MSRLE, AV_CODEC_ID_MSVIDEO1, AV_CODEC_ID_CINEPAK, AV_CODEC_ID_FLASHSV,
                    AV_CODEC_ID_FLASHSV2, AV_CODEC_ID_TSCC, AV_CODEC_ID_TSCC2, AV_CODEC_ID_CSCD, AV_CODEC_ID_ZMBV,
                    AV_CODEC_ID_VMNC, AV_CODEC_ID_ROQ,
                ]
            ),
            // Codecs with a previous and a next reference picture, or only a previous one.
            (
                2,
                [
                    AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H261,
                    AV_CODEC_ID_H263, AV_CODEC_ID_H263P, AV_CODEC_ID_FLV1, AV_CODEC_ID_MSMPEG4V1,
                    AV_CODEC_ID_MSMPEG4V2, AV_CODEC_ID_MSMPEG4V3, AV_CODEC_ID_WMV1, AV_CODEC_ID_WMV2, AV_CODEC_ID_RV10,
                    AV_CODEC_ID_RV20, AV_CODEC_ID_SVQ1, AV_CODEC_ID_FFV1,
                ]
            ),
            // With a golden reference, a canvas that is reused, or pictures of several threads.
            (
                3,
                [
                    AV_CODEC_ID_APNG, AV_CODEC_ID_PNG, AV_CODEC_ID_CFHD, AV_CODEC_ID_VP3, AV_CODEC_ID_THEORA,
                    AV_CODEC_ID_VP5, AV_CODEC_ID_RV30,
                    AV_CODEC_ID_RV40, AV_CODEC_ID_VC1, AV_CODEC_ID_WMV3, AV_CODEC_ID_CAVS, AV_CODEC_ID_SVQ3,
                ]
            ),
            (4, [AV_CODEC_ID_VP6, AV_CODEC_ID_VP6A, AV_CODEC_ID_VP6F, AV_CODEC_ID_WEBP]),
        ]
        var counts: [UInt32: Int] = [:]
        for (count, codecs) in held { for codec in codecs { counts[codec.rawValue] = count } }
        return counts
    }()

    /// The macroblocks of all pictures together, by minimum level (ten times its number; 9 is 1b).
    private static let h264Buffers: [(level: Int32, count: Int)] = [
        (9, 396), (11, 900), (12, 2376), (21, 4752), (22, 8100), (31, 18000), (32, 20480), (40, 32768), (42, 34816),
        (50, 110_400), (51, 184_320), (60, 696_320),
    ]

    /// The luma samples of the largest picture, by minimum level (thirty times its number).
    private static let hevcSizes: [(level: Int32, samples: Int)] = [
        (30, 36864), (60, 122_880), (63, 245_760), (90, 552_960), (93, 983_040), (120, 2_228_224),
        (150, 8_912_896), (180, 35_651_584),
    ]
}
