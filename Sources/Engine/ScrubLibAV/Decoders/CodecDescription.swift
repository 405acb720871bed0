internal import CScrubFFmpeg
package import ScrubBase

/// Everything that a decoder needs to know about a stream before its first packet, as plain values.
///
/// This is `AVCodecParameters` with its side data, without any handle. It can therefore be saved with an index, and a
/// decoder can be opened later without reopening the container.
package struct CodecDescription: Hashable, Sendable, Codable {
    /// `AVCodecID`.
    package var codecID: UInt32 = 0
    /// The container's FourCC, which selects variants of some codecs.
    package var codecTag: UInt32 = 0
    /// Parameter sets or other extradata.
    package var extradata: [UInt8] = []
    /// `AVPixelFormat`; -1 if it is unknown before decoding.
    package var pixelFormat: Int32 = -1
    package var profile: Int32 = -99
    package var level: Int32 = -99
    /// The longest side in a description. libavutil rejects much smaller pictures (`av_image_check_size`: less than
    /// 2^28 samples); a container may declare 2^31 and more.
    package static let longestSide: Int32 = 1 << 20

    package var width: Int32 = 0
    package var height: Int32 = 0
    /// The codec's sample aspect ratio, 0/1 if unknown.
    package var aspectNumerator: Int32 = 0
    package var aspectDenominator: Int32 = 1
    package var fieldOrder: UInt32 = 0
    package var colorRange: UInt32 = 0
    package var colorPrimaries: UInt32 = 2
    package var colorTransfer: UInt32 = 2
    package var colorMatrix: UInt32 = 2
    package var chromaLocation: UInt32 = 0
    /// The reorder delay in pictures that libavformat found, the decoder's initial value.
    package var videoDelay: Int32 = 0
    package var bitsPerCodedSample: Int32 = 0
    package var bitsPerRawSample: Int32 = 0
    package var bitRate: Int64 = 0
    /// The stream side data that decoders use (display matrix, palette, mastering display, and so on), by
    /// `AVPacketSideDataType`.
    package var sideData: [SideData] = []

    /// The maximum number of bytes of a decoded picture; larger ones are rejected. It is chosen by the reader and is
    /// not a property of the stream: it is not saved with an index.
    package var pictureByteLimit = CodecDescription.standardPictureByteLimit

    /// The maximum number of pixels of a decoded picture, which is also chosen by the reader.
    package var pixelLimit = MediaLimits().maximumPixelCount

    /// The file to which the stream belongs, for sandboxes: 0 for none, otherwise ``LimitedByteSource/origin``. It is
    /// not saved either.
    package var origin: UInt64 = 0

    /// The default limit.
    package static let standardPictureByteLimit = MediaLimits().maximumPictureByteCount

    /// One piece of stream side data.
    package struct SideData: Hashable, Sendable, Codable {
        package var type: UInt32
        package var bytes: [UInt8]

        package init(type: UInt32, bytes: [UInt8]) {
            self.type = type
            self.bytes = bytes
        }
    }

    package init() {}

    /// The codec's short name, such as `h264`.
    package var codecName: String {
        if let name = CodecDescription.commonNames[codecID] { return name }
        return unsafe String(cString: avcodec_get_name(AVCodecID(codecID)))
    }

    /// libavcodec's own names, so that videos whose index is saved can be described without loading it.
    package static let commonNames: [UInt32: String] = [
        AV_CODEC_ID_AMV.rawValue: "amv", AV_CODEC_ID_APNG.rawValue: "apng", AV_CODEC_ID_ASV1.rawValue: "asv1",
        AV_CODEC_ID_ASV2.rawValue: "asv2", AV_CODEC_ID_AV1.rawValue: "av1", AV_CODEC_ID_AVS2.rawValue: "avs2",
        AV_CODEC_ID_CAVS.rawValue: "cavs", AV_CODEC_ID_CFHD.rawValue: "cfhd", AV_CODEC_ID_CINEPAK.rawValue: "cinepak",
        AV_CODEC_ID_CLJR.rawValue: "cljr", AV_CODEC_ID_DIRAC.rawValue: "dirac", AV_CODEC_ID_DNXHD.rawValue: "dnxhd",
        AV_CODEC_ID_DVVIDEO.rawValue: "dvvideo", AV_CODEC_ID_DXV.rawValue: "dxv", AV_CODEC_ID_FFV1.rawValue: "ffv1",
        AV_CODEC_ID_FFVHUFF.rawValue: "ffvhuff", AV_CODEC_ID_FLASHSV.rawValue: "flashsv",
        AV_CODEC_ID_FLASHSV2.rawValue: "flashsv2", AV_CODEC_ID_FLV1.rawValue: "flv1",
        AV_CODEC_ID_FRAPS.rawValue: "fraps", AV_CODEC_ID_GIF.rawValue: "gif", AV_CODEC_ID_H261.rawValue: "h261",
        AV_CODEC_ID_H263.rawValue: "h263", AV_CODEC_ID_H263I.rawValue: "h263i", AV_CODEC_ID_H263P.rawValue: "h263p",
        AV_CODEC_ID_H264.rawValue: "h264", AV_CODEC_ID_HAP.rawValue: "hap", AV_CODEC_ID_HEVC.rawValue: "hevc",
        AV_CODEC_ID_HUFFYUV.rawValue: "huffyuv", AV_CODEC_ID_INDEO3.rawValue: "indeo3",
        AV_CODEC_ID_INDEO5.rawValue: "indeo5", AV_CODEC_ID_JPEG2000.rawValue: "jpeg2000",
        AV_CODEC_ID_JPEGLS.rawValue: "jpegls", AV_CODEC_ID_LAGARITH.rawValue: "lagarith",
        AV_CODEC_ID_MAGICYUV.rawValue: "magicyuv", AV_CODEC_ID_MJPEG.rawValue: "mjpeg",
        AV_CODEC_ID_MJPEGB.rawValue: "mjpegb", AV_CODEC_ID_MPEG1VIDEO.rawValue: "mpeg1video",
        AV_CODEC_ID_MPEG2VIDEO.rawValue: "mpeg2video", AV_CODEC_ID_MPEG4.rawValue: "mpeg4",
        AV_CODEC_ID_MSMPEG4V1.rawValue: "msmpeg4v1", AV_CODEC_ID_MSMPEG4V2.rawValue: "msmpeg4v2",
        AV_CODEC_ID_MSMPEG4V3.rawValue: "msmpeg4v3", AV_CODEC_ID_MSRLE.rawValue: "msrle",
        AV_CODEC_ID_MSVIDEO1.rawValue: "msvideo1", AV_CODEC_ID_PNG.rawValue: "png",
        AV_CODEC_ID_PRORES.rawValue: "prores", AV_CODEC_ID_QTRLE.rawValue: "qtrle",
        AV_CODEC_ID_RAWVIDEO.rawValue: "rawvideo", AV_CODEC_ID_ROQ.rawValue: "roq", AV_CODEC_ID_RPZA.rawValue: "rpza",
        AV_CODEC_ID_RV10.rawValue: "rv10", AV_CODEC_ID_RV20.rawValue: "rv20", AV_CODEC_ID_RV30.rawValue: "rv30",
        AV_CODEC_ID_RV40.rawValue: "rv40", AV_CODEC_ID_SMC.rawValue: "smc", AV_CODEC_ID_SNOW.rawValue: "snow",
        AV_CODEC_ID_SPEEDHQ.rawValue: "speedhq", AV_CODEC_ID_SVQ1.rawValue: "svq1", AV_CODEC_ID_SVQ3.rawValue: "svq3",
        AV_CODEC_ID_TARGA.rawValue: "targa", AV_CODEC_ID_THEORA.rawValue: "theora", AV_CODEC_ID_THP.rawValue: "thp",
        AV_CODEC_ID_TIFF.rawValue: "tiff", AV_CODEC_ID_TSCC.rawValue: "tscc", AV_CODEC_ID_TSCC2.rawValue: "tscc2",
        AV_CODEC_ID_UTVIDEO.rawValue: "utvideo", AV_CODEC_ID_V210.rawValue: "v210", AV_CODEC_ID_VC1.rawValue: "vc1",
        AV_CODEC_ID_VP3.rawValue: "vp3", AV_CODEC_ID_VP6.rawValue: "vp6", AV_CODEC_ID_VP6A.rawValue: "vp6a",
        AV_CODEC_ID_VP6F.rawValue: "vp6f", AV_CODEC_ID_VP8.rawValue: "vp8", AV_CODEC_ID_VP9.rawValue: "vp9",
        AV_CODEC_ID_WEBP.rawValue: "webp", AV_CODEC_ID_WMV1.rawValue: "wmv1", AV_CODEC_ID_WMV2.rawValue: "wmv2",
        AV_CODEC_ID_WMV3.rawValue: "wmv3", AV_CODEC_ID_ZLIB.rawValue: "zlib", AV_CODEC_ID_ZMBV.rawValue: "zmbv",
    ]

    /// Codecs that predict pictures, according to libavcodec's descriptors, so that for most videos no descriptor has
    /// to be loaded.
    package static let predictingCodecs: Set<UInt32> = [
        AV_CODEC_ID_H264.rawValue, AV_CODEC_ID_HEVC.rawValue, AV_CODEC_ID_AV1.rawValue, AV_CODEC_ID_VP8.rawValue,
        AV_CODEC_ID_VP9.rawValue, AV_CODEC_ID_MPEG1VIDEO.rawValue, AV_CODEC_ID_MPEG2VIDEO.rawValue,
        AV_CODEC_ID_MPEG4.rawValue,
    ]

    /// Whether each picture of the codec is independent, according to libavcodec's descriptor
    /// (`AV_CODEC_PROP_INTRA_ONLY`).
    ///
    /// The descriptor is not always correct. FFV1 is excluded although its descriptor has the flag. In groups of more
    /// than one picture, the states of its range coder persist (RFC 9043, 4.3: keyframe), and the containers' key flags
    /// are correct. Also excluded are screen codecs whose pictures may keep parts of the previous one, and codecs that
    /// send their palette once (``CodecDescription/inheritingCodecs``).
    package var isIntraOnly: Bool {
        guard !CodecDescription.predictingCodecs.contains(codecID), AVCodecID(codecID) != AV_CODEC_ID_FFV1,
            !CodecDescription.inheritingCodecs.contains(codecName),
            let descriptor = unsafe avcodec_descriptor_get(AVCodecID(codecID))
        else { return false }
        return unsafe descriptor.pointee.props & AV_CODEC_PROP_INTRA_ONLY != 0
    }

    /// Codecs that libavcodec's descriptors call `INTRA_ONLY` although their pictures may depend on earlier ones, or
    /// whose decoders have not been reviewed. Their streams are decoded from the beginning.
    private static let inheritingCodecs: Set<String> = [
        "8bps", "aura", "aura2", "bintext", "cdxl", "dxtory", "frwu", "idf", "jv", "mscc", "mss2", "mvc1", "mvc2",
        "mvha", "prosumer", "ptx", "qdraw", "rl2", "srgc", "tmv", "truemotion2rt", "vixl", "wnv1", "xbin",
    ]

    /// Whether a decoder keeps state besides tables (``mayInheritTables``) that only a scan of all pictures finds.
    /// Movie tables are not enough in that case (``DecoderMemory``).
    package var keepsState: Bool { codecName == "tiff" }

    /// Whether pictures may need tables that an earlier picture defined, although ``isIntraOnly`` indicates otherwise.
    /// Each picture must be inspected, and decoders keep the tables of other pictures that they have decoded.
    package var mayInheritTables: Bool { ["mjpeg", "mjpegb", "thp", "jpegls", "ljpeg"].contains(codecName) }

    /// Whether a keyframe of the codec does not depend on anything before it, according to the format's definition.
    ///
    /// Used for codecs whose headers this package does not read. Codecs whose keyframes may keep code books, palettes,
    /// or untouched blocks of earlier pictures are not included: Cinepak, old run-length and delta coders, GIF, and
    /// APNG. They are decoded from the beginning.
    package var hasSelfContainedKeyframes: Bool {
        let known: Set<String> = [
            "flv1", "h261", "h263", "h263i", "h263p", "msmpeg4v1", "msmpeg4v2", "msmpeg4v3", "wmv1", "wmv2", "wmv3",
            "vc1",
            "rv10", "rv20", "rv30", "rv40", "theora", "vp3", "vp4", "vp5", "vp6", "vp6a", "vp6f", "svq1", "svq3",
            "ffv1", "dirac",
            "cavs", "avs2", "snow", "png", "bmp", "targa", "tiff", "webp", "jpegls", "dpx", "exr", "sgi", "qoi",
        ]
        return known.contains(codecName)
    }

    /// Whether the display order of pictures may differ from their coded order (`AV_CODEC_PROP_REORDER`).
    package var reorders: Bool {
        guard let descriptor = unsafe avcodec_descriptor_get(AVCodecID(codecID)) else { return true }
        return unsafe descriptor.pointee.props & AV_CODEC_PROP_REORDER != 0
    }

    /// Whether this libavcodec has a decoder for the codec.
    package var hasDecoder: Bool { unsafe avcodec_find_decoder(AVCodecID(codecID)) != nil }

    /// Whether ffmpeg shows pictures whose packets the container marks as discarded, as edit lists do. For decoders
    /// that fetch packets themselves, libavcodec has dropped such pictures only since version 61 (FFmpeg 7); for all
    /// others, it always has.
    package var showsDiscardedPackets: Bool {
        guard Libraries.codecMajor < 61, let decoder = unsafe avcodec_find_decoder(AVCodecID(codecID)) else {
            return false
        }
        return unsafe ["libdav1d", "mjpeg", "smvjpeg", "thp"].contains(String(cString: decoder.pointee.name))
    }

    /// Returns the error for a stream without a decoder, with a familiar name of the codec.
    ///
    /// - Parameter name: the container's name for the codec, for streams for which libavformat has no name.
    package func noDecoder(named name: String? = nil) -> ScrubError {
        if let error = Libraries.loadError("no decoder") { return error }
        let given = name ?? CodecDescription.text(ofTag: codecTag)
        let words =
            switch codecName {
            case "none" where given.isEmpty: "an unnamed codec"
            case "none": CodecDescription.knownNames[given].map { "\($0) (\(given))" } ?? given
            case let known: known
            }
        var error = ScrubError(
            .unavailable, "no decoder for \(words)",
            advice:
                "the installed libavcodec does not support this codec: install an FFmpeg that does, or convert the file"
        )
        error.systemError = .averror(Int32(scrub_error_decoder_not_found))
        return error
    }

    /// Codecs that are newer than the oldest supported libavformat, by their names in containers.
    private static let knownNames = [
        "vvc1": "vvc", "vvi1": "vvc", "V_MPEGI/ISO/VVC": "vvc", "evc1": "evc", "avs3": "avs3", "apv1": "apv",
    ]

    /// Returns a FourCC as letters; empty if it is not printable.
    static func text(ofTag tag: UInt32) -> String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: tag >> (8 * UInt32($0))) }
        guard tag != 0, bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    init(_ p: AVCodecParameters) {
        codecID = unsafe p.codec_id.rawValue
        codecTag = unsafe p.codec_tag
        extradata = unsafe [UInt8](UnsafeBufferPointer(start: p.extradata, count: Int(max(0, p.extradata_size))))
        pixelFormat = unsafe p.format
        profile = unsafe p.profile
        level = unsafe p.level
        width = unsafe max(0, min(p.width, CodecDescription.longestSide))
        height = unsafe max(0, min(p.height, CodecDescription.longestSide))
        aspectNumerator = unsafe p.sample_aspect_ratio.num
        aspectDenominator = unsafe p.sample_aspect_ratio.den
        fieldOrder = unsafe p.field_order.rawValue
        colorRange = unsafe p.color_range.rawValue
        colorPrimaries = unsafe p.color_primaries.rawValue
        colorTransfer = unsafe p.color_trc.rawValue
        colorMatrix = unsafe p.color_space.rawValue
        chromaLocation = unsafe p.chroma_location.rawValue
        videoDelay = unsafe p.video_delay
        bitsPerCodedSample = unsafe p.bits_per_coded_sample
        bitsPerRawSample = unsafe p.bits_per_raw_sample
        bitRate = unsafe p.bit_rate
    }

    /// Copies the description into a decoder context.
    func apply(to context: UnsafeMutablePointer<AVCodecContext>) throws(AVError) {
        var parameters = unsafe avcodec_parameters_alloc()
        guard let p = unsafe parameters else { throw AVError(scrub_error_from_errno(12), "avcodec_parameters_alloc") }
        defer { unsafe avcodec_parameters_free(&parameters) }
        unsafe p.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        unsafe p.pointee.codec_id = AVCodecID(codecID)
        unsafe p.pointee.codec_tag = codecTag
        if !extradata.isEmpty {
            // libavcodec reads past the end of the bytes that it parses: the padding must exist and be zero.
            let size = extradata.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)
            let copy = try unsafe allocated(av_mallocz(size), "av_mallocz")
            unsafe extradata.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(start: copy, count: size).copyMemory(from: $0)
            }
            unsafe p.pointee.extradata = unsafe copy.assumingMemoryBound(to: UInt8.self)
            unsafe p.pointee.extradata_size = Int32(extradata.count)
        }
        unsafe p.pointee.format = pixelFormat
        unsafe p.pointee.profile = profile
        unsafe p.pointee.level = level
        unsafe p.pointee.width = width
        unsafe p.pointee.height = height
        unsafe p.pointee.sample_aspect_ratio = AVRational(num: aspectNumerator, den: aspectDenominator)
        unsafe p.pointee.field_order = AVFieldOrder(fieldOrder)
        unsafe p.pointee.color_range = AVColorRange(colorRange)
        unsafe p.pointee.color_primaries = AVColorPrimaries(colorPrimaries)
        unsafe p.pointee.color_trc = AVColorTransferCharacteristic(colorTransfer)
        unsafe p.pointee.color_space = AVColorSpace(colorMatrix)
        unsafe p.pointee.chroma_location = AVChromaLocation(chromaLocation)
        unsafe p.pointee.video_delay = videoDelay
        unsafe p.pointee.bits_per_coded_sample = bitsPerCodedSample
        unsafe p.pointee.bits_per_raw_sample = bitsPerRawSample
        unsafe p.pointee.bit_rate = bitRate
        try unsafe check(avcodec_parameters_to_context(context, p), "avcodec_parameters_to_context")
    }
}

extension CodecDescription {
    /// The container's display matrix: nine numbers in 16.16 and 2.30 fixed point, row by row.
    package var displayMatrix: [Int32]? {
        guard let data = sideData.first(where: { $0.type == AV_PKT_DATA_DISPLAYMATRIX.rawValue }),
            data.bytes.count >= 36
        else { return nil }
        return unsafe data.bytes.withUnsafeBytes { bytes in
            (0..<9).map { unsafe bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) }
        }
    }
}
