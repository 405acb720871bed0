extension ScrubError {
    /// The place of an error in a file.
    public enum Place: Hashable, Sendable, CustomStringConvertible {
        /// The path of a box: `moov/trak/mdia`.
        case box(String)
        /// The offset from the start of the file in bytes.
        case byte(Int64)
        /// A line of text, counted from 1.
        case line(Int)
        /// The number of a frame.
        case frame(Int)
        /// The number of a coded picture in decode order.
        case codedPicture(Int)
        /// Any other named place.
        case named(String)

        /// The place in words, for use in a sentence: `byte 4711`.
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

    /// A machine-readable fact about an error.
    public enum Fact: Hashable, Sendable {
        /// A number in the file exceeds a limit of ``MediaLimits``. `name` is the limit's name on the command line
        /// (`pixels`). `allowed` is the limit's value, in seconds for times. `found` is the number in the file, or
        /// `nil` if counting was not completed. To accept the file, raise the limit to `found`.
        case limit(name: String, allowed: Int, found: Int?)
        /// The file contains no video.
        case noVideo
        /// The output already exists, and was not written by Scrub. An option allows replacing it.
        case existingOutput
        /// Another run is writing to the same folder.
        case otherRun
    }
}

extension ScrubError.Place: ExpressibleByStringInterpolation {
    /// Creates a named place.
    public init(stringLiteral value: String) { self = .named(value) }
}
