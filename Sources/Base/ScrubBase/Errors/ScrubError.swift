public import FoundationEssentials

/// A failure: its cause, its file, the place in the file, and the remedy.
///
/// Bad input and failing systems throw this type and nothing else; misuse of the API traps. New codes may be
/// added: ``Code`` is a struct so that a new code does not break callers.
public struct ScrubError: Error, Hashable, Sendable {
    /// The kind of a failure. The command line turns it into a `sysexits` status.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String, Hashable { case usage, noInput, badData, unavailable, inputOutput }
        private let value: Value

        /// The request itself is wrong: a frame that does not exist, a text that is not a position (`EX_USAGE`, 64).
        public static let usage = Code(value: .usage)
        /// The file's data cannot be decoded as asked (`EX_DATAERR`, 65).
        public static let badData = Code(value: .badData)
        /// The file is missing or unreadable (`EX_NOINPUT`, 66).
        public static let noInput = Code(value: .noInput)
        /// A needed part such as a decoder is not there (`EX_UNAVAILABLE`, 69).
        public static let unavailable = Code(value: .unavailable)
        /// A read or write failed (`EX_IOERR`, 74).
        public static let inputOutput = Code(value: .inputOutput)

        /// The code's name.
        public var description: String { value.rawValue }

        /// The process exit status for this code, as in `sysexits.h`.
        public var exitStatus: Int32 {
            switch value {
            case .usage: 64
            case .badData: 65
            case .noInput: 66
            case .unavailable: 69
            case .inputOutput: 74
            }
        }

        /// The remedy for failures of which only the code is known.
        var remedy: Wording {
            switch value {
            case .usage: "\(term: .help)"
            case .noInput: "check the name, and that it can be read"
            case .badData: "it may be damaged or cut short: try another copy"
            case .unavailable: "check that the named part exists and is free; try another file or format, or try later"
            case .inputOutput: "try again; if it fails again, check the disk or the connection"
            }
        }
    }

    /// The kind of failure.
    public var code: Code
    /// The file concerned, as the caller named it.
    public var file: String?
    /// The place in the file.
    public var place: Place?
    /// The cause, one clause without a full stop, in the library's words.
    public var cause: String {
        get { causeWording.description }
        set { causeWording = Wording(newValue) }
    }
    /// The remedy for this very failure in the library's words; if `nil`, ``remedy`` has the general one.
    public var advice: String? {
        get { adviceWording?.description }
        set { adviceWording = newValue.map { Wording($0) } }
    }
    /// What a program can act on; `nil` if there is nothing but the code.
    public var fact: Fact?
    package var causeWording: Wording
    package var adviceWording: Wording?
    /// The number behind it, where a system call or libav gave one.
    public var systemError: SystemError?
    /// Whether the request is wrong whatever the file is: ``inFile(_:)`` names none then.
    private var isAboutRequest = false
    /// Whether the work was cancelled, and nothing failed. The caller of an asynchronous function gets a
    /// `CancellationError`, a C program `SCRUB_CANCELLED`.
    package private(set) var isCancellation = false

    /// A lower layer's name for a failure.
    public enum SystemError: Hashable, Sendable {
        /// The system's `errno`, such as `ENOSPC` (28).
        case errno(Int32)
        /// libav's negative `AVERROR`, such as `AVERROR_INVALIDDATA`.
        case averror(Int32)
    }

    /// Makes an error of texts.
    @_disfavoredOverload
    public init(
        _ code: Code, _ cause: String, file: String? = nil, place: String? = nil, advice: String? = nil
    ) {
        self.init(
            code, Wording(cause), file: file, place: place.map { .named($0) }, advice: advice.map { Wording($0) })
    }

    /// Makes an error of a text that has no terms.
    @_disfavoredOverload
    package init(
        _ code: Code, _ cause: String, file: String? = nil, place: Place?, advice: Wording? = nil
    ) {
        self.init(code, Wording(cause), file: file, place: place, advice: advice)
    }

    /// Makes an error.
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

    /// Returns a request that is wrong whatever the file is, such as a width of nothing: no file is to blame.
    ///
    /// - Parameters:
    ///   - cause: the request, and its fault.
    ///   - advice: the possible requests.
    package static func wrongRequest(_ cause: Wording, advice: Wording) -> ScrubError {
        var error = ScrubError(.usage, cause, advice: advice)
        error.isAboutRequest = true
        return error
    }

    /// The error of work that was cancelled.
    package static var cancelled: ScrubError { cancelled("the work was cancelled") }

    /// Returns the error of work that was cancelled, with how far it came.
    package static func cancelled(_ cause: Wording, advice: Wording? = nil) -> ScrubError {
        var error = ScrubError(.unavailable, cause, advice: advice)
        error.isCancellation = true
        return error
    }

    /// Returns the same error with the file's name, unless it has one already or is about no file.
    public func inFile(_ name: String) -> ScrubError {
        guard file == nil, !isAboutRequest else { return self }
        var copy = self
        copy.file = name
        return copy
    }
}

extension ScrubError: LocalizedError {
    /// The sentence without the advice, as `localizedDescription` gives it, for an alert's text. In English.
    public var errorDescription: String? { sentence }
    /// The cause alone.
    public var failureReason: String? { cause }
    /// The remedy alone.
    public var recoverySuggestion: String? { remedy }
}

extension ScrubError: CustomStringConvertible {
    /// The sentence without the remedy, for texts that it becomes a part of: `file: place: cause`.
    package var sentence: String { sentence(for: .library) }

    /// One sentence: `file: place: cause (remedy)`.
    public var description: String { description(for: .library) }

    /// The ``description``, for each face.
    package var wording: Wording { "\(sentenceWording) (\(remedyWording))" }

    /// The ``sentence``, for each face.
    package var sentenceWording: Wording {
        // A name that is empty would leave nothing but its colon.
        let name = file.map { $0.isEmpty ? "''" : $0 }
        let before = [name, place?.description].compactMap { $0 }.map { $0 + ": " }.joined()
        return "\(before)\(causeWording)"
    }

    /// Returns the ``sentence`` in the words of a face.
    package func sentence(for face: Face) -> String { sentenceWording.text(for: face) }

    /// Returns the ``description`` in the words of a face.
    package func description(for face: Face) -> String { wording.text(for: face) }

    /// Returns the ``remedy`` in the words of a face.
    package func remedy(for face: Face) -> String { remedyWording.text(for: face) }
}
