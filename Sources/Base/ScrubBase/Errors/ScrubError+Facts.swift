extension ScrubError {
    /// Where in a file something is wrong.
    public enum Place: Hashable, Sendable, CustomStringConvertible {
        /// A box, by its path: `moov/trak/mdia`.
        case box(String)
        /// The distance from the file's first byte.
        case byte(Int64)
        /// A line of a text, from 1.
        case line(Int)
        /// A frame, by its number.
        case frame(Int)
        /// A coded picture, by its number in the order of decoding.
        case codedPicture(Int)
        /// Anything else that has a name.
        case named(String)

        /// The place as a part of a sentence: `byte 4711`.
        public var description: String {
            switch self {
            case .box(let path), .named(let path): path
            case .byte(let offset): "byte \(offset)"
            case .line(let number): "line \(number)"
            case .frame(let number): "frame \(number)"
            case .codedPicture(let number): "coded picture \(number)"
            }
        }
    }

    /// What a program can act on without reading the sentence.
    public enum Fact: Hashable, Sendable {
        /// A number of the file is beyond a limit of ``MediaLimits``. `name` is the limit's, as the command line has it
        /// (`pixels`), `allowed` its value (for times in seconds), `found` the file's number if it was counted to its
        /// end: raise the limit to that.
        case limit(name: String, allowed: Int, found: Int?)
        /// The file holds no video.
        case noVideo
        /// The output exists, and Scrub has not written it. An option has it replaced.
        case existingOutput
        /// Another run writes into the same folder.
        case otherRun
    }
}

extension ScrubError.Place: ExpressibleByStringInterpolation {
    /// Makes a place that has a name alone.
    public init(stringLiteral value: String) { self = .named(value) }
}
