package import ScrubBase

extension Storyboard {
    /// Key pictures of a fragmented MP4 file as an HLS I-frame playlist (RFC 8216, 4.3.3.6), for Apple's players.
    ///
    /// Thread safety: a value type.
    package struct HLSIFramePlaylist: Hashable, Sendable {
        /// A key picture.
        package struct Segment: Hashable, Sendable {
            /// The time in seconds until the next key picture or the end.
            package var duration: Rational
            /// The bytes from the start of the picture's movie fragment to the end of its sample.
            package var byteRange: Range<Int>

            /// Creates a segment.
            package init(duration: Rational, byteRange: Range<Int>) {
                (self.duration, self.byteRange) = (duration, byteRange)
            }
        }

        /// The media file's URL, as written in the playlist.
        package var uri: String
        /// The byte range of the file type and movie boxes in the media file; `nil` if segments do not need any.
        package var initialization: Range<Int>?
        /// The key pictures in time order.
        package var segments: [Segment]

        /// Creates a playlist from segments whose times are already as they should be written.
        init(uri: String, initialization: Range<Int>?, segments: [Segment]) {
            (self.uri, self.initialization, self.segments) = (uri, initialization, segments)
        }

        /// Creates the playlist of a media file.
        ///
        /// Times are truncated to the nanosecond at segment boundaries, so that rounding errors in the durations never
        /// accumulate.
        ///
        /// - Parameters:
        ///   - path: the media file's path, relative to the playlist's folder.
        ///   - baseURL: the text to put before the path; without it, the path is relative to the playlist.
        ///   - initialization: the byte range of the file type and movie boxes in the media file.
        ///   - segments: the key pictures in time order.
        /// - Throws: ``ScrubError/Code/usage`` if there are no segments, or if one has no bytes or no duration.
        package init(path: String, baseURL: String? = nil, initialization: Range<Int>?, segments: [Segment])
            throws(ScrubError)
        {
            guard !segments.isEmpty, initialization.map({ !$0.isEmpty && $0.lowerBound >= 0 }) != false else {
                throw ScrubError(
                    .usage, "an I-frame playlist needs a picture, and its initialization section must not be empty",
                    advice: "provide both")
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
                        .usage,
                        "picture \(place) has the byte range \(segment.byteRange) and a duration of \(segment.duration) s",
                        advice: "give each picture at least one byte and a duration above 0")
                }
                written.append(Segment(duration: duration, byteRange: segment.byteRange))
                (end, last) = (sum, sum.rounded(Rational.nanoseconds))
            }
            self.init(
                uri: try SheetURL.reference(path, base: baseURL), initialization: initialization, segments: written)
        }

        /// The playlist's text. Version 5 is the first that allows an initialization section in an I-frame playlist;
        /// version 4 is the first with byte ranges.
        package var text: String {
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

        /// Parses a playlist of one media file.
        ///
        /// - Throws: ``ScrubError/Code/badData`` with the line if the text is not such a playlist or names several
        ///   files, or if a picture has no duration or byte range.
        package init(parsing text: String) throws(ScrubError) {
            var reader = try PlaylistReader(text)
            var (segments, isFrames): ([Segment], Bool) = ([], false)
            var (map, file, duration, range): (Range<Int>?, String?, Rational?, Range<Int>?)
            func check(_ uri: String) throws(ScrubError) {
                guard file == nil || file == uri else {
                    throw reader.fault("the playlist names a second media file: '\(uri)'")
                }
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
                        throw reader.fault("EXT-X-MAP does not name a file, or occurs twice")
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
                throw reader.fault("it is not an I-frame playlist, or has no pictures")
            }
            self.init(uri: file, initialization: map, segments: segments)
        }
    }
}
