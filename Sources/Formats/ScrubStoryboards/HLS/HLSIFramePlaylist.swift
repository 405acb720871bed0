public import ScrubBase

extension Storyboard {
    /// Key pictures of a fragmented MP4 file as an HLS I-frame playlist (RFC 8216, 4.3.3.6), for Apple's players.
    ///
    /// Thread safety: a value.
    public struct HLSIFramePlaylist: Hashable, Sendable {
        /// A key picture.
        public struct Segment: Hashable, Sendable {
            /// Seconds to the next key picture, or to the end.
            public var duration: Rational
            /// From the beginning of its movie fragment to the end of its sample.
            public var byteRange: Range<Int>

            /// Makes a segment.
            public init(duration: Rational, byteRange: Range<Int>) {
                (self.duration, self.byteRange) = (duration, byteRange)
            }
        }

        /// The media file's URL, as it is in the playlist.
        public var uri: String
        /// The file type and movie boxes in the media file; `nil` when segments need none.
        public var initialization: Range<Int>?
        /// The key pictures in the order of their times.
        public var segments: [Segment]

        /// Makes a playlist of segments whose times are as they should be written.
        init(uri: String, initialization: Range<Int>?, segments: [Segment]) {
            (self.uri, self.initialization, self.segments) = (uri, initialization, segments)
        }

        /// Makes the playlist of a media file.
        ///
        /// Times are cut to the nanosecond at the borders of segments, so that durations never add up to another
        /// length.
        ///
        /// - Parameters:
        ///   - path: the media file's path from the playlist's folder.
        ///   - baseURL: the text before the path; without one, it is relative to the playlist.
        ///   - initialization: the file type and movie boxes in the media file.
        ///   - segments: the key pictures in the order of their times.
        /// - Throws: ``ScrubError/Code/usage`` without segments, or if one is empty in bytes or time.
        public init(path: String, baseURL: String? = nil, initialization: Range<Int>?, segments: [Segment])
            throws(ScrubError)
        {
            guard !segments.isEmpty, initialization.map({ !$0.isEmpty && $0.lowerBound >= 0 }) != false else {
                throw ScrubError(
                    .usage, "an I-frame playlist needs a picture, and an initialization that is not empty",
                    advice: "give both")
            }
            var written: [Segment] = []
            var (end, last): (Rational, Int128) = (.zero, 0)
            for (place, segment) in segments.enumerated() {
                guard !segment.byteRange.isEmpty, segment.byteRange.lowerBound >= 0,
                    let sum = end.adding(segment.duration),
                    let duration = Rational(
                        reducing: sum.rounded(Rational.nanoseconds) - last, Int128(Rational.nanoseconds)),
                    duration > .zero
                else {
                    throw ScrubError(
                        .usage, "picture \(place) has \(segment.byteRange) and is shown for \(segment.duration) s",
                        advice: "give bytes and a duration above 0 for each picture")
                }
                written.append(Segment(duration: duration, byteRange: segment.byteRange))
                (end, last) = (sum, sum.rounded(Rational.nanoseconds))
            }
            self.init(
                uri: try SheetURL.reference(path, base: baseURL), initialization: initialization, segments: written)
        }

        /// The playlist's text. Version 5 is the first with an initialization in an I-frame playlist, 4 the first with
        /// byte ranges.
        public var text: String {
            var text = "#EXTM3U\n#EXT-X-TARGETDURATION:\(PlaylistTimes.target(segments.map(\.duration)))\n"
            text += "#EXT-X-VERSION:\(initialization == nil ? 4 : 5)\n#EXT-X-MEDIA-SEQUENCE:0\n"
            text += "#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-I-FRAMES-ONLY\n"
            if let range = initialization {
                text += "#EXT-X-MAP:URI=\"\(uri)\",BYTERANGE=\"\(range.count)@\(range.lowerBound)\"\n"
            }
            for segment in segments {
                text += "#EXTINF:\(segment.duration.decimal(atLeast: 3)),\n"
                text += "#EXT-X-BYTERANGE:\(segment.byteRange.count)@\(segment.byteRange.lowerBound)\n\(uri)\n"
            }
            return text + "#EXT-X-ENDLIST\n"
        }

        /// Reads a playlist over one media file.
        ///
        /// - Throws: ``ScrubError/Code/badData`` with the line if the text is not such a playlist, names several files,
        ///   or a picture has no duration or byte range.
        public init(parsing text: String) throws(ScrubError) {
            var reader = try PlaylistReader(text)
            var (segments, isFrames): ([Segment], Bool) = ([], false)
            var (map, file, duration, range): (Range<Int>?, String?, Rational?, Range<Int>?)
            func check(_ uri: String) throws(ScrubError) {
                guard file == nil || file == uri else { throw reader.fault("a second media file '\(uri)'") }
                file = uri
            }
            while let line = reader.next() {
                switch line {
                case .tag("#EXT-X-I-FRAMES-ONLY", _): isFrames = true
                case .tag("#EXTINF", let value): duration = try reader.duration(value)
                case .tag("#EXT-X-BYTERANGE", let value):
                    range = try reader.byteRange(value, next: segments.last?.byteRange.upperBound)
                case .tag("#EXT-X-MAP", let value):
                    let attributes = try reader.attributes(value)
                    guard let uri = attributes["URI"], map == nil else {
                        throw reader.fault("EXT-X-MAP names no file, or is a second one")
                    }
                    try check(uri)
                    map = try reader.byteRange(attributes["BYTERANGE"] ?? "", next: 0)
                case .tag: break
                case .uri(let uri):
                    try check(uri)
                    guard let length = duration, let bytes = range else {
                        throw reader.fault("a picture has no EXTINF or no EXT-X-BYTERANGE")
                    }
                    segments.append(Segment(duration: length, byteRange: bytes))
                    (duration, range) = (nil, nil)
                }
            }
            guard isFrames, let file, !segments.isEmpty else {
                throw reader.fault("it is not an I-frame playlist with a picture")
            }
            self.init(uri: file, initialization: map, segments: segments)
        }
    }
}
