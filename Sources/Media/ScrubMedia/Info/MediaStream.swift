internal import ScrubLibAV
internal import ScrubIndex

extension VideoInfo {
    /// A stream of any kind in a file, as described by the container.
    public struct Stream: Sendable, Hashable {
        /// The kind of content in a stream.
        public enum Kind: String, Sendable, Hashable {
            /// Pictures, including stills such as cover art.
            case video
            /// Audio.
            case audio
            /// Text or pictures that are shown over the video.
            case subtitle
            /// An attached file, such as a font.
            case attachment
            /// Anything else: timecodes, telemetry.
            case data
        }

        /// The stream's index in the file, as in ffmpeg's `-map 0:N`.
        public let index: Int
        /// The kind of content.
        public let kind: Kind
        /// The codec's short name in libavcodec, or the container's four-character code if libavcodec does not know it.
        public let codec: String
        /// The codec's profile, such as `High` or `LC`.
        public let profile: String?
        /// The language code in the file, usually three letters (ISO 639-2).
        public let language: String?
        /// The stream's title.
        public let title: String?
        /// Whether players select the stream by default.
        public let isDefault: Bool
        /// Whether players show the stream even if subtitles are off.
        public let isForced: Bool
        /// The stream's other roles, according to the container: `original`, `dubbed`, `commentary`, `lyrics`,
        /// `karaoke`, `hearing impaired`, `visual impaired`, `captions`, `descriptions`, `cover`, `thumbnails`,
        /// `non-diegetic`, `metadata`, `dependent` (on another stream), `still`.
        public let roles: [String]
        /// The number and name of the program that contains the stream, if the file has several programs.
        public let program: String?
        /// The bit rate, in bits per second; `nil` if unknown.
        public let bitRate: Int64?
        /// The width of a video stream's pictures in pixels; `nil` if unknown, and for other kinds of streams.
        public let width: Int?
        /// The height of a video stream's pictures in pixels; `nil` if unknown, and for other kinds of streams.
        public let height: Int?
        /// The average frame rate according to the container; `nil` if unspecified.
        public let frameRate: Rational?
        /// The number of audio samples per second.
        public let sampleRate: Int?
        /// The number of audio channels.
        public let channelCount: Int?
        /// The channel layout, such as `stereo` or `5.1(side)`.
        public let channelLayout: String?
        /// The duration in seconds, according to the stream's header.
        public let duration: Rational?
        /// The name of an attached file.
        public let fileName: String?
        /// The media type of an attached file.
        public let mediaType: String?
        /// The size in bytes of an attached still.
        public let pictureByteCount: Int?

        init(_ stream: ContainerStream) {
            index = stream.index
            kind =
                switch stream.kind {
                case .video: .video
                case .audio: .audio
                case .subtitle: .subtitle
                case .attachment: .attachment
                case .data: .data
                }
            let isUnknown = stream.codecName == "none" && !stream.codecTag.isEmpty
            codec = isUnknown ? stream.codecTag : stream.codecName
            profile = stream.profile
            let language = stream.tag("language")
            // "Undetermined" (ISO 639-2) is written by containers that require a language.
            self.language = language == "und" ? nil : language
            title = stream.tag("title")
            (isDefault, isForced) = (stream.disposition.contains(.isDefault), stream.disposition.contains(.forced))
            roles = Stream.roles.filter { stream.disposition.contains($0.0) }.map(\.1)
            program = stream.program
            // Statistics that mkvmerge writes as tags, in bits per second.
            let counted = stream.tag("bps") ?? stream.tag("bps-eng")
            bitRate = stream.bitRate > 0 ? stream.bitRate : counted.flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
            let some = { (number: Int) in number > 0 ? number : nil }
            let isVideo = stream.kind == .video
            (width, height) = isVideo ? (some(stream.width), some(stream.height)) : (nil, nil)
            frameRate = isVideo && !stream.isCover ? stream.frameRate : nil
            (sampleRate, channelCount) = (some(stream.sampleRate), some(stream.channels))
            channelLayout = stream.channelLayout
            duration = stream.duration
            (fileName, mediaType) = (stream.tag("filename"), stream.tag("mimetype"))
            pictureByteCount = stream.isCover ? some(stream.pictureByteCount) : nil
        }

        /// Whether the stream is an attached still, such as cover art.
        public var isCover: Bool { pictureByteCount != nil }

        private static let roles: [(ContainerStream.Disposition, String)] = [
            (.original, "original"), (.dubbed, "dubbed"), (.commentary, "commentary"), (.lyrics, "lyrics"),
            (.karaoke, "karaoke"), (.hearingImpaired, "hearing impaired"), (.visualImpaired, "visual impaired"),
            (.captions, "captions"), (.descriptions, "descriptions"), (.attachedPicture, "cover"),
            (.timedThumbnails, "thumbnails"), (.nonDiegetic, "non-diegetic"), (.metadata, "metadata"),
            (.dependent, "dependent"), (.stillImage, "still"),
        ]
    }
}

extension VideoInfo {
    /// A named part of a video.
    public struct Chapter: Sendable, Hashable {
        /// The start time, in seconds on the container's clock.
        public let start: Rational
        /// The end time, in seconds on the container's clock.
        public let end: Rational
        /// The chapter's title.
        public let title: String?

        init?(_ chapter: ContainerDescription.Chapter) {
            guard let start = Rational(checked: chapter.start, 1)?.multiplied(by: chapter.timeBase),
                let end = Rational(checked: chapter.end, 1)?.multiplied(by: chapter.timeBase)
            else { return nil }
            (self.start, self.end, title) = (start, end, chapter.title)
        }
    }
}
