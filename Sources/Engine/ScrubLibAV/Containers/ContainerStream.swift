internal import CScrubFFmpeg
package import ScrubBase

/// The description of one stream of a file by libavformat, of any kind, for display and programs.
package struct ContainerStream: Sendable, Equatable {
    package enum Kind: UInt8, Sendable { case video, audio, subtitle, attachment, data }

    /// `AV_DISPOSITION_…`, which are the same numbers in all versions of libavformat.
    package struct Disposition: OptionSet, Sendable {
        package let rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }

        package static let isDefault = Disposition(rawValue: AV_DISPOSITION_DEFAULT)
        package static let dubbed = Disposition(rawValue: AV_DISPOSITION_DUB)
        package static let original = Disposition(rawValue: AV_DISPOSITION_ORIGINAL)
        package static let commentary = Disposition(rawValue: AV_DISPOSITION_COMMENT)
        package static let lyrics = Disposition(rawValue: AV_DISPOSITION_LYRICS)
        package static let karaoke = Disposition(rawValue: AV_DISPOSITION_KARAOKE)
        package static let forced = Disposition(rawValue: AV_DISPOSITION_FORCED)
        package static let hearingImpaired = Disposition(rawValue: AV_DISPOSITION_HEARING_IMPAIRED)
        package static let visualImpaired = Disposition(rawValue: AV_DISPOSITION_VISUAL_IMPAIRED)
        package static let attachedPicture = Disposition(rawValue: AV_DISPOSITION_ATTACHED_PIC)
        package static let timedThumbnails = Disposition(rawValue: AV_DISPOSITION_TIMED_THUMBNAILS)
        package static let captions = Disposition(rawValue: AV_DISPOSITION_CAPTIONS)
        package static let descriptions = Disposition(rawValue: AV_DISPOSITION_DESCRIPTIONS)
        package static let nonDiegetic = Disposition(rawValue: AV_DISPOSITION_NON_DIEGETIC)
        package static let metadata = Disposition(rawValue: AV_DISPOSITION_METADATA)
        package static let dependent = Disposition(rawValue: AV_DISPOSITION_DEPENDENT)
        package static let stillImage = Disposition(rawValue: AV_DISPOSITION_STILL_IMAGE)

        /// Dispositions that the main video never has.
        package static let supplements: Disposition = [
            .commentary, .hearingImpaired, .visualImpaired, .descriptions, .nonDiegetic, .metadata, .dependent,
            .stillImage,
        ]
    }

    package var index = 0
    package var kind = Kind.data
    package var codecName = ""
    /// The container's four characters for the codec, for streams whose codec libavformat does not know.
    package var codecTag = ""
    package var profile: String?
    package var disposition: Disposition = []
    /// The bit rate in bits per second; 0 if the container does not specify it.
    package var bitRate: Int64 = 0
    package var width = 0
    package var height = 0
    package var frameRate: Rational?
    /// The sample rate in samples per second; 0 if it is unknown.
    package var sampleRate = 0
    package var channels = 0
    /// The channel layout, such as `stereo` or `5.1(side)`.
    package var channelLayout: String?
    /// The duration from the stream's header, in seconds.
    package var duration: Rational?
    package var tags: [ContainerDescription.Tag] = []
    /// The bytes of cover art; 0 for other streams.
    package var pictureByteCount = 0
    /// The number and name of the first program that contains the stream, if the file has several (ISO/IEC 13818-1,
    /// 2.4.4).
    package var program: String?

    package init() {}

    /// Returns the value of a tag. Keys are compared case-insensitively, as in libavformat.
    package func tag(_ key: String) -> String? { tags.first { $0.key.lowercased() == key }?.value }

    /// Whether the stream is a still image for the whole file.
    package var isCover: Bool {
        disposition.contains(.attachedPicture) && !disposition.contains(.timedThumbnails)
    }

    /// Whether the usual facts about the stream can be found only by reading packets.
    package var isIncomplete: Bool {
        switch kind {
        case .video: codecName == "none" || (!isCover && (width == 0 || height == 0))
        case .audio: codecName == "none" || sampleRate == 0 || channels == 0
        case .subtitle, .attachment, .data: false
        }
    }
}

extension ContainerStream {
    init(_ stream: UnsafeMutablePointer<AVStream>) {
        let s = unsafe stream.pointee
        let parameters = unsafe s.codecpar.pointee
        index = unsafe Int(s.index)
        kind =
            switch unsafe parameters.codec_type {
            case AVMEDIA_TYPE_VIDEO: .video
            case AVMEDIA_TYPE_AUDIO: .audio
            case AVMEDIA_TYPE_SUBTITLE: .subtitle
            case AVMEDIA_TYPE_ATTACHMENT: .attachment
            default: .data
            }
        codecName = unsafe String(cString: avcodec_get_name(parameters.codec_id))
        codecTag = unsafe CodecDescription.text(ofTag: parameters.codec_tag)
        profile = unsafe avcodec_profile_name(parameters.codec_id, parameters.profile).map {
            unsafe String(cString: $0)
        }
        disposition = unsafe Disposition(rawValue: s.disposition)
        bitRate = unsafe max(0, parameters.bit_rate)
        let side = CodecDescription.longestSide
        (width, height) = unsafe (Int(max(0, min(parameters.width, side))), Int(max(0, min(parameters.height, side))))
        frameRate = unsafe StreamDescription.positive(s.avg_frame_rate) ?? StreamDescription.positive(s.r_frame_rate)
        if kind == .audio {
            sampleRate = unsafe Int(max(0, parameters.sample_rate))
            channels = unsafe Int(max(0, parameters.ch_layout.nb_channels))
            channelLayout = unsafe ContainerStream.name(of: parameters.ch_layout)
        }
        if unsafe s.duration > 0, let units = unsafe Rational(checked: s.duration, 1),
            let base = unsafe StreamDescription.positive(s.time_base)
        {
            duration = units.multiplied(by: base)
        }
        tags = unsafe ContainerDescription.Tag.all(in: s.metadata)
        pictureByteCount = unsafe Int(max(0, s.attached_pic.size))
    }

    private static func name(of layout: AVChannelLayout) -> String? {
        guard unsafe layout.nb_channels > 0 else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            guard let base = text.baseAddress else { return nil }
            let count = unsafe withUnsafePointer(to: layout) { unsafe av_channel_layout_describe($0, base, text.count) }
            guard count > 0 else { return nil }
            let name = unsafe String(cString: base)
            // A number of channels without an order is not a layout.
            return unsafe layout.order == AV_CHANNEL_ORDER_UNSPEC ? nil : name
        }
    }
}
