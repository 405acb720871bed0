extension ThumbnailSets {
    /// The result of writing a movie of key pictures, with the location of each picture in the file.
    public struct KeyframeMovie: Hashable, Sendable {
        /// A key picture.
        public struct Entry: Hashable, Sendable {
            /// The number of the frame.
            public let frameNumber: Int
            /// The time at which it appears on screen, in seconds after the video's first frame.
            public let time: Rational
            /// The seconds until the next entry, or until the end of the video; above 0.
            public let duration: Rational
            /// The byte range of its fragment, from the start of `moof` to the end of `mdat`. The bytes of
            /// ``initialization``, followed by these bytes, form a playable file.
            public let byteRange: Range<Int>
        }

        /// The path of the file.
        public let path: String
        /// The byte range of the `ftyp` and `moov` boxes.
        public let initialization: Range<Int>
        /// The key pictures in order of time; at least one.
        public let entries: [Entry]
        /// The number of time units per second in the file. All times and durations are multiples of this unit.
        public let timescale: Int
        /// The codec string according to RFC 6381, such as `avc1.64001f`.
        public let codec: String
        /// The coded width in pixels.
        public let width: Int
        /// The coded height in pixels.
        public let height: Int

        /// The size of the file in bytes.
        public var byteCount: Int { entries.last?.byteRange.upperBound ?? initialization.upperBound }

        /// Returns the same movie for a copy of the file.
        func copied(to path: String) -> KeyframeMovie {
            KeyframeMovie(
                path: path, initialization: initialization, entries: entries, timescale: timescale, codec: codec,
                width: width, height: height)
        }
    }
}
