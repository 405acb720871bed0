extension ThumbnailSets {
    /// A movie of key pictures that was written, with each picture's location in it.
    public struct KeyframeMovie: Hashable, Sendable {
        /// A key picture.
        public struct Entry: Hashable, Sendable {
            /// The number of the frame.
            public let frame: Int
            /// The time at which it appears on screen, in seconds after the video's first frame.
            public let time: Rational
            /// Seconds until the next entry, or to the end of the video; above 0.
            public let duration: Rational
            /// The bytes of its fragment, from the start of `moof` to the end of `mdat`. Appended to
            /// ``initialization``, they form a playable file.
            public let byteRange: Range<Int>
        }

        /// The path of the file.
        public let path: String
        /// The bytes of the `ftyp` and `moov` boxes.
        public let initialization: Range<Int>
        /// The key pictures in order of time; at least one.
        public let entries: [Entry]
        /// The number of time units per second in the file. All times and durations are whole multiples of a unit.
        public let timescale: Int
        /// The codec string according to RFC 6381, such as `avc1.64001f`.
        public let codecs: String
        /// The coded width in pixels.
        public let width: Int
        /// The coded height in pixels.
        public let height: Int

        /// The size of the file in bytes.
        public var byteCount: Int { entries.last?.byteRange.upperBound ?? initialization.upperBound }

        /// Returns the same movie for a copy of the file.
        func copied(to path: String) -> KeyframeMovie {
            KeyframeMovie(
                path: path, initialization: initialization, entries: entries, timescale: timescale, codecs: codecs,
                width: width, height: height)
        }
    }
}
