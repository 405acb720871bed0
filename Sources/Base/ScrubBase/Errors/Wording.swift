/// A message in which the names of options and calls are placeholders, so that each of Scrub's interfaces inserts its
/// own names: `VideoAsset.OpenOptions.stream` in the library, `--stream` on the command line, `stream` in C, and
/// `stream=` in Python.
///
/// ``description`` is in the library's terms. Thread safety: a value type.
public struct Wording: Hashable, Sendable, CustomStringConvertible {
    fileprivate enum Part: Hashable, Sendable {
        case text(String)
        case term(Term)
    }

    fileprivate var parts: [Part]

    /// Creates a message from plain text, whose terms are the same in all interfaces.
    public init(_ text: String) { parts = [.text(text)] }

    /// The message in the library's terms.
    public var description: String { text(for: .library) }

    /// Returns alternatives as a list: `one, another, or a third`.
    package static func list(_ ways: [Wording]) -> Wording {
        guard let last = ways.last else { return "" }
        guard let first = ways.dropLast().first else { return last }
        let others = ways.dropLast().dropFirst().reduce(first) { "\($0), \($1)" }
        return "\(others), or \(last)"
    }

    /// Returns the message in an interface's terms.
    package func text(for face: Face) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .term(let term): term.words(for: face)
            }
        }.joined()
    }
}

extension Wording: ExpressibleByStringInterpolation {
    /// A builder for the parts of a message.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var parts: [Part] = []

        /// Creates an empty message.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends text.
        public mutating func appendLiteral(_ literal: String) { append(literal) }

        /// Appends a value's text.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) { append(value.description) }

        /// Appends an error's text.
        public mutating func appendInterpolation(_ error: any Error) { append("\(error)") }

        /// Appends a message, including its terms.
        public mutating func appendInterpolation(_ wording: Wording) {
            for part in wording.parts {
                switch part {
                case .text(let text): append(text)
                case .term: parts.append(part)
                }
            }
        }

        /// Appends an error's message, including its terms.
        public mutating func appendInterpolation(_ error: ScrubError) { appendInterpolation(error.wording) }

        /// Appends a term that has a different name in each interface.
        package mutating func appendInterpolation(term: Term) { parts.append(.term(term)) }

        private mutating func append(_ text: String) {
            // Equal messages must have equal parts.
            if case .text(let before)? = parts.last {
                parts[parts.count - 1] = .text(before + text)
            } else {
                parts.append(.text(text))
            }
        }
    }

    /// Creates a message from its parts.
    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    /// Creates a message from text.
    public init(stringLiteral value: String) { parts = [.text(value)] }
}

/// The interfaces of Scrub for people and programs.
package enum Face: Hashable, Sendable, CaseIterable {
    /// The Swift library.
    case library
    /// The command line, and the viewer that it starts.
    case command
    /// The C library.
    case c
    /// The Python package.
    case python
}
