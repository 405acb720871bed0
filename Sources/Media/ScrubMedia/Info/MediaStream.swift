internal import ScrubLibAV
internal import ScrubIndex

extension VideoInfo {
    /// A stream of a file, of whatever kind, as its container describes it.
    public struct Stream: Sendable, Hashable {
        /// The content of a stream.
        public enum Kind: String, Sendable, Hashable {
            /// Pictures, also stills such as cover art.
            case video
            /// Sound.
            case audio
            /// Text or pictures to be shown over the video.
            case subtitle
            /// A file that comes along, such as a font.
            case attachment
            /// Anything else: timecodes, telemetry.
            case data
        }

        /// The stream's place in the file, as ffmpeg's `-map 0:N` counts.
        public let index: Int
        /// The kind of content.
        public let kind: Kind
        /// The codec's short name as libavcodec has it; the container's four characters for one that it doesn't know.
        public let codec: String
        /// The codec's profile, such as `High` or `LC`.
        public let profile: String?
        /// The language's code as the file has it, mostly three letters (ISO 639-2).
        public let language: String?
        /// The stream's title.
        public let title: String?
        /// Whether players select it by default.
        public let isDefault: Bool
        /// Whether players show it even if no subtitles are asked for.
        public let isForced: Bool
        /// The other purposes that the container gives: `original`, `dubbed`, `commentary`, `lyrics`, `karaoke`,
        /// `hearing impaired`, `visual impaired`, `captions`, `descriptions`, `cover`, `thumbnails`, `non-diegetic`,
        /// `metadata`, `dependent` on another stream, `still`.
        public let roles: [String]
        /// The number and the name of the program that it belongs to, in a transport stream of several.
        public let program: String?
        /// Bits a second; `nil` when nothing says.
        public let bitRate: Int64?
        /// Columns and rows of a video stream's pictures; `nil` for other streams, and when nothing says.
        public let width: Int?
        /// Rows of a video stream's pictures.
        public let height: Int?
        /// Frames a second, on average as the container says; `nil` when it doesn't.
        public let frameRate: Rational?
        /// Sound samples a second.
        public let sampleRate: Int?
        /// Sound channels.
        public let channelCount: Int?
        /// The layout of the channels, such as `stereo` or `5.1(side)`.
        public let channelLayout: String?
        /// Seconds, as the stream's own header says.
        public let duration: Rational?
        /// The name of an attached file.
        public let fileName: String?
        /// The media type of an attached file.
        public let mediaType: String?
        /// Bytes of a still that comes with the file.
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
            // "Undetermined" (ISO 639-2) is what containers write that must write something.
            self.language = language == "und" ? nil : language
            title = stream.tag("title")
            (isDefault, isForced) = (stream.disposition.contains(.isDefault), stream.disposition.contains(.forced))
            roles = Stream.roles.filter { stream.disposition.contains($0.0) }.map(\.1)
            program = stream.program
            // Statistics that mkvmerge writes as tags, in bits a second.
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

        /// Whether the stream is a still that comes with the file.
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
        /// The beginning, by the container's clock, in seconds.
        public let start: Rational
        /// The end, by the same clock.
        public let end: Rational
        /// Its name.
        public let title: String?

        init?(_ chapter: ContainerDescription.Chapter) {
            guard let start = Rational(checked: chapter.start, 1)?.multiplied(by: chapter.timeBase),
                let end = Rational(checked: chapter.end, 1)?.multiplied(by: chapter.timeBase)
            else { return nil }
            (self.start, self.end, title) = (start, end, chapter.title)
        }
    }
}
