public import FoundationEssentials

/// A failure: its cause, the file, the place in the file, and the remedy.
///
/// Invalid input and system failures throw only this type; misuse of the API traps. New codes may be added in later
/// versions. They do not break callers, because ``Code`` is a struct.
public struct ScrubError: Error, Hashable, Sendable {
    /// The kind of failure. The command line maps it to a `sysexits` status.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String, Hashable { case usage, noInput, badData, unavailable, inputOutput }
        private let value: Value

        /// The request itself is invalid (`EX_USAGE`, 64). For example, the requested frame does not exist, or a text
        /// is not a position.
        public static let usage = Code(value: .usage)
        /// The file's data cannot be decoded as requested (`EX_DATAERR`, 65).
        public static let badData = Code(value: .badData)
        /// The file is missing or unreadable (`EX_NOINPUT`, 66).
        public static let noInput = Code(value: .noInput)
        /// A required component, such as a decoder, is not available (`EX_UNAVAILABLE`, 69).
        public static let unavailable = Code(value: .unavailable)
        /// A read or write failed (`EX_IOERR`, 74).
        public static let inputOutput = Code(value: .inputOutput)

        /// The code's name.
        public var description: String { value.rawValue }

        /// The process exit status for this code, as in `sysexits.h`.
        package var exitStatus: Int32 {
            switch value {
            case .usage: 64
            case .badData: 65
            case .noInput: 66
            case .unavailable: 69
            case .inputOutput: 74
            }
        }

        /// The remedy for failures for which only the code is known.
        var remedy: Wording {
            switch value {
            case .usage: "\(term: .help)"
            case .noInput: "check the name, and check that the file is readable"
            case .badData: "it may be damaged or truncated: try another copy"
            case .unavailable: "check that it exists and is not in use; try another file or format, or try again later"
            case .inputOutput: "try again; if it fails again, check the disk or the connection"
            }
        }
    }

    /// The kind of failure.
    public var code: Code
    /// The file involved, as named by the caller.
    public var file: String?
    /// The place in the file.
    public var place: Place?
    /// The cause as a clause without a full stop, in the library's terms.
    public var cause: String {
        get { causeWording.description }
        set { causeWording = Wording(newValue) }
    }
    /// The remedy for this particular failure, in the library's terms; `nil` if there is only the general ``remedy``.
    public var advice: String? {
        get { adviceWording?.description }
        set { adviceWording = newValue.map { Wording($0) } }
    }
    /// A machine-readable fact; `nil` if only the code is known.
    public var fact: Fact?
    package var causeWording: Wording
    package var adviceWording: Wording?
    /// The underlying error number, if a system call or libav returned one.
    public var systemError: SystemError?
    /// Whether the request is invalid regardless of the file, so that ``inFile(_:)`` does not add a file name.
    private var isAboutRequest = false
    /// Whether the work was cancelled rather than failed. The caller of an asynchronous function gets a
    /// `CancellationError`, and a C program gets `SCRUB_CANCELLED`.
    package private(set) var isCancellation = false

    /// A lower layer's error number.
    public enum SystemError: Hashable, Sendable {
        /// The system's `errno`, such as `ENOSPC` (28).
        case errno(Int32)
        /// libav's negative `AVERROR`, such as `AVERROR_INVALIDDATA`.
        case averror(Int32)
    }

    /// Creates an error from plain text.
    @_disfavoredOverload
    public init(
        _ code: Code, _ cause: String, file: String? = nil, place: String? = nil, advice: String? = nil
    ) {
        self.init(
            code, Wording(cause), file: file, place: place.map { .named($0) }, advice: advice.map { Wording($0) })
    }

    /// Creates an error from text without terms.
    @_disfavoredOverload
    package init(
        _ code: Code, _ cause: String, file: String? = nil, place: Place?, advice: Wording? = nil
    ) {
        self.init(code, Wording(cause), file: file, place: place, advice: advice)
    }

    /// Creates an error.
    package init(
        _ code: Code, _ cause: Wording, file: String? = nil, place: Place? = nil, advice: Wording? = nil,
        fact: Fact? = nil
    ) {
        self.code = code
        self.file = file
        self.place = place
        self.fact = fact
        (causeWording, adviceWording) = (cause, advice)
    }

    /// Returns the error for a request that is invalid regardless of the file, such as a width of 0.
    ///
    /// - Parameters:
    ///   - cause: the request and what is wrong with it.
    ///   - advice: the valid requests.
    package static func wrongRequest(_ cause: Wording, advice: Wording) -> ScrubError {
        var error = ScrubError(.usage, cause, advice: advice)
        error.isAboutRequest = true
        return error
    }

    /// The error for cancelled work.
    package static var cancelled: ScrubError { cancelled("the operation was cancelled") }

    /// Returns the error for cancelled work, including its progress.
    package static func cancelled(_ cause: Wording, advice: Wording? = nil) -> ScrubError {
        var error = ScrubError(.unavailable, cause, advice: advice)
        error.isCancellation = true
        return error
    }

    /// Returns the same error with a file name, unless the error already has one or is not about a file.
    package func inFile(_ name: String) -> ScrubError {
        guard file == nil, !isAboutRequest else { return self }
        var copy = self
        copy.file = name
        return copy
    }
}

extension ScrubError: LocalizedError {
    /// The error as an English sentence, without the remedy. Foundation returns it as `localizedDescription`, for
    /// example for use in an alert.
    public var errorDescription: String? { sentence }
    /// The ``cause``.
    public var failureReason: String? { cause }
    /// The ``remedy``.
    public var recoverySuggestion: String? { remedy }
}

extension ScrubError: CustomStringConvertible {
    /// The sentence without the remedy, for embedding in other texts: `file: place: cause`.
    package var sentence: String { sentence(for: .library) }

    /// The error as one sentence: `file: place: cause (remedy)`.
    public var description: String { description(for: .library) }

    /// The ``description``, for any interface.
    package var wording: Wording { "\(sentenceWording) (\(remedyWording))" }

    /// The ``sentence``, for any interface.
    package var sentenceWording: Wording {
        // An empty name would leave only its colon.
        let name = file.map { $0.isEmpty ? "''" : $0 }
        let before = [name, place?.description].compactMap { $0 }.map { $0 + ": " }.joined()
        return "\(before)\(causeWording)"
    }

    /// Returns the ``sentence`` in an interface's terms.
    package func sentence(for face: Face) -> String { sentenceWording.text(for: face) }

    /// Returns the ``description`` in an interface's terms.
    package func description(for face: Face) -> String { wording.text(for: face) }

    /// Returns the ``remedy`` in an interface's terms.
    package func remedy(for face: Face) -> String { remedyWording.text(for: face) }
}
