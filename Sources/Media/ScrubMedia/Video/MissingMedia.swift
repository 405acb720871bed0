internal import ScrubIndex

extension VideoAsset {
    /// The media that a file declares but does not contain, according to the tables and headers of its container.
    public struct MissingMedia: Sendable, Hashable, CustomStringConvertible {
        /// The number of pictures that the container lists but the file does not contain; `nil` if the container does
        /// not list pictures.
        public let pictureCount: Int?
        /// The number of bytes that the container declares but the file does not contain; `nil` if the container does
        /// not declare a size.
        public let byteCount: Int64?
        /// The duration of the missing part in seconds; `nil` if the container does not declare it.
        public let duration: Rational?
        /// A description of the missing part as a sentence.
        public let description: String

        init(_ part: MissingRange, timeBase: Rational) {
            pictureCount = part.pictureCount
            byteCount = part.byteCount
            duration = part.duration.flatMap { Rational(checked: $0, 1)?.multiplied(by: timeBase) }
            description = part.sentence(timeBase: timeBase)
        }
    }
}
