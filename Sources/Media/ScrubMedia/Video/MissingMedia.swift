internal import ScrubIndex

extension VideoAsset {
    /// The media that a file promises and doesn't hold, by its container's own tables and headers.
    public struct MissingMedia: Sendable, Hashable, CustomStringConvertible {
        /// Pictures that the container lists and whose bytes are not in the file; nil when it doesn't list them.
        public let pictureCount: Int?
        /// Bytes that the container says to have and hasn't; nil when it doesn't say.
        public let byteCount: Int64?
        /// The duration of the missing part in seconds; nil if the container doesn't give it.
        public let duration: Rational?
        /// The same in a sentence.
        public let description: String

        init(_ part: MissingPart, timeBase: Rational) {
            pictureCount = part.pictureCount
            byteCount = part.byteCount
            duration = part.duration.flatMap { Rational(checked: $0, 1)?.multiplied(by: timeBase) }
            description = part.sentence(timeBase: timeBase)
        }
    }
}
