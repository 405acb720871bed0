/// A message in which the names of options and calls are values, so that each face of Scrub writes its own: the library
/// `VideoAsset.OpenOptions.stream`, the command line `--stream`, C `stream`, Python `stream=`.
///
/// Its description is in the library's words. Thread safety: a value.
public struct Wording: Hashable, Sendable, CustomStringConvertible {
    fileprivate enum Part: Hashable, Sendable {
        case text(String)
        case term(Term)
    }

    fileprivate var parts: [Part]

    /// Makes a message of a text in which nothing has another name elsewhere.
    public init(_ text: String) { parts = [.text(text)] }

    /// The message in the library's words.
    public var description: String { text(for: .library) }

    /// Returns alternatives as a list: `one, another, or a third`.
    package static func list(_ ways: [Wording]) -> Wording {
        guard let last = ways.last else { return "" }
        guard let first = ways.dropLast().first else { return last }
        let others = ways.dropLast().dropFirst().reduce(first) { "\($0), \($1)" }
        return "\(others), or \(last)"
    }

    /// Returns the message in the words of a face.
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
    /// Collects the parts of a message.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var parts: [Part] = []

        /// Begins a message.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds a text.
        public mutating func appendLiteral(_ literal: String) { append(literal) }

        /// Adds a value's text.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) { append(value.description) }

        /// Adds an error's text.
        public mutating func appendInterpolation(_ error: any Error) { append("\(error)") }

        /// Adds a message with its terms.
        public mutating func appendInterpolation(_ wording: Wording) {
            for part in wording.parts {
                switch part {
                case .text(let text): append(text)
                case .term: parts.append(part)
                }
            }
        }

        /// Adds an error's message with its terms.
        public mutating func appendInterpolation(_ error: ScrubError) { appendInterpolation(error.wording) }

        /// Adds something that each face calls by its own name.
        package mutating func appendInterpolation(term: Term) { parts.append(.term(term)) }

        private mutating func append(_ text: String) {
            // Equal messages have equal parts.
            if case .text(let before)? = parts.last {
                parts[parts.count - 1] = .text(before + text)
            } else {
                parts.append(.text(text))
            }
        }
    }

    /// Makes a message of its parts.
    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    /// Makes a message of a text.
    public init(stringLiteral value: String) { parts = [.text(value)] }
}

/// The languages in which people and programs ask Scrub for something.
package enum Face: Hashable, Sendable, CaseIterable {
    /// Swift.
    case library
    /// The command line, and the viewer that it starts.
    case command
    /// The C library.
    case c
    /// The Python package.
    case python
}
