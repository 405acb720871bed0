internal import CScrubFFmpeg
package import ScrubBase

/// The description of one stream of a file by libavformat, as plain values.
package struct StreamDescription: Sendable {
    package enum Kind: Sendable { case video, audio, other }

    /// The stream's index in the file, from 0.
    package var index: Int
    /// The container's own number of the stream, such as the track of an MP4.
    package var id: Int
    package var kind: Kind
    package var codec: CodecDescription
    package var timeBase: Rational
    /// The average and the base frame rate, if known and plausible.
    package var averageFrameRate: Rational?
    package var baseFrameRate: Rational?
    /// The stream's role according to the container.
    package var disposition: ContainerStream.Disposition
    /// The number of packets that the container specifies for the stream; `nil` if it does not specify one.
    package var frameCount: Int?
    /// The duration that the container itself specifies for the stream, in time base units; `nil` if it does not
    /// specify one or libavformat has estimated it.
    package var duration: Int64?
    /// The container's sample aspect ratio, which takes precedence over the codec's; `nil` if unknown.
    package var sampleAspectRatio: Rational?

    /// The SMPTE timecode of the first picture (the stream's `timecode` tag, otherwise the file's).
    package var timecode: Timecode?

    /// The other videos of the file, if this one was chosen among several.
    package var chosenOver: [Int] = []

    /// Whether the stream is a still image that accompanies the file (`AV_DISPOSITION_ATTACHED_PIC`,
    /// `TIMED_THUMBNAILS`), not its video.
    package var isAttachedPicture: Bool { !disposition.isDisjoint(with: [.attachedPicture, .timedThumbnails]) }
    /// Whether the stream is a single still image for the whole file: cover art (`AV_DISPOSITION_ATTACHED_PIC` alone).
    package var isCover: Bool { disposition.contains(.attachedPicture) && !disposition.contains(.timedThumbnails) }
    /// Whether the container declares that the stream accompanies another: a layer, a still, or a version for some
    /// viewers.
    package var isSupplement: Bool { !disposition.isDisjoint(with: .supplements) || codec.isEnhancementLayer }
}

extension StreamDescription {
    init(_ stream: UnsafeMutablePointer<AVStream>, tags: OpaquePointer?) {
        let s = unsafe stream.pointee
        index = unsafe Int(s.index)
        id = unsafe Int(s.id)
        let parameters = unsafe s.codecpar.pointee
        kind =
            switch unsafe parameters.codec_type {
            case AVMEDIA_TYPE_VIDEO: .video
            case AVMEDIA_TYPE_AUDIO: .audio
            default: .other
            }
        codec = unsafe CodecDescription(parameters)
        codec.sideData = unsafe (0..<scrub_stream_side_data_count(stream)).map { i in
            let data = unsafe scrub_stream_side_data(stream, i)
            return unsafe .init(
                type: data.type.rawValue,
                bytes: [UInt8](UnsafeBufferPointer(start: data.data, count: data.size)))
        }
        timeBase =
            unsafe Rational(checked: Int64(s.time_base.num), Int64(s.time_base.den)).flatMap { $0 > .zero ? $0 : nil }
            ?? Rational(1, 90_000)
        averageFrameRate = unsafe StreamDescription.positive(s.avg_frame_rate)
        baseFrameRate = unsafe StreamDescription.positive(s.r_frame_rate)
        (frameCount, duration) = unsafe (
            s.nb_frames > 0 ? Int(s.nb_frames) : nil, s.duration > 0 ? s.duration : nil
        )
        disposition = unsafe ContainerStream.Disposition(rawValue: s.disposition)
        timecode =
            unsafe [s.metadata, tags].lazy.compactMap { tags in
                unsafe av_dict_get(tags, "timecode", nil, 0)?.pointee.value.flatMap {
                    try? unsafe Timecode(String(cString: $0))
                }
            }.first
        sampleAspectRatio =
            unsafe StreamDescription.positive(s.sample_aspect_ratio)
            ?? StreamDescription.positive(parameters.sample_aspect_ratio)
    }

    static func positive(_ value: AVRational) -> Rational? {
        guard value.num > 0, value.den > 0 else { return nil }
        return Rational(checked: Int64(value.num), Int64(value.den))
    }
}
