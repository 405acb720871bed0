extension ThumbnailSets {
    /// A movie of key pictures that was written, and where each picture is in it.
    public struct KeyframeMovie: Hashable, Sendable {
        /// A key picture.
        public struct Entry: Hashable, Sendable {
            /// The frame that it is.
            public let frame: Int
            /// The time at which it comes on screen, in seconds after the video's first frame.
            public let time: Rational
            /// Seconds until the next entry, or to the end of the video; above 0.
            public let duration: Rational
            /// Its fragment's bytes, from the beginning of `moof` to the end of `mdat`. After ``initialization`` they
            /// are a playable file of their own.
            public let byteRange: Range<Int>
        }

        /// The file.
        public let path: String
        /// The bytes of the `ftyp` and `moov` boxes.
        public let initialization: Range<Int>
        /// The key pictures in the order of their times; at least one.
        public let entries: [Entry]
        /// Units of the file's times in a second; all times and durations are whole multiples of one.
        public let timescale: Int
        /// The codec by RFC 6381, such as `avc1.64001f`.
        public let codecs: String
        /// The coded width in pixels.
        public let width: Int
        /// The coded height in pixels.
        public let height: Int

        /// The file's size.
        public var byteCount: Int { entries.last?.byteRange.upperBound ?? initialization.upperBound }

        /// Returns the same of a copy of the file.
        func copied(to path: String) -> KeyframeMovie {
            KeyframeMovie(
                path: path, initialization: initialization, entries: entries, timescale: timescale, codecs: codecs,
                width: width, height: height)
        }
    }
}
