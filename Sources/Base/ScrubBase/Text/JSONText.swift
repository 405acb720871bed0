/// The text of a JSON object (RFC 8259), with its members in the order in which they were added. Scrub writes all JSON
/// with this type.
///
/// Foundation's encoder would cost the command line a few milliseconds at every start, and it orders keys randomly. A
/// key that is added twice appears twice.
package struct JSONText: Sendable {
    /// A JSON value.
    package enum Value: Sendable {
        case string(String), integer(Int64), boolean(Bool), null
        /// A number; `null` if it is infinite or NaN, which JSON does not support (RFC 8259, section 6).
        case number(Double)
        /// A number whose digits are already text, because a `Double` would round it.
        case decimal(String)
        case array([Value]), object(JSONText)
        /// An array of objects, one per line.
        case lines([JSONText])
    }

    private var members: [String] = []

    /// Creates an object without members.
    package init() {}

    package mutating func add(_ key: String, _ value: Value) {
        members.append(JSONText.quoted(key) + ":" + JSONText.text(value))
    }
    package mutating func add(_ key: String, _ value: String?) { add(key, value.map(Value.string) ?? .null) }
    package mutating func add(_ key: String, _ value: Int?) { add(key, value.map { .integer(Int64($0)) } ?? .null) }
    package mutating func add(_ key: String, _ value: Int64) { add(key, .integer(value)) }
    package mutating func add(_ key: String, _ value: Double?) { add(key, value.map(Value.number) ?? .null) }
    package mutating func add(_ key: String, _ value: Bool) { add(key, .boolean(value)) }
    /// Adds a number from its digits.
    ///
    /// - Parameter digits: a number in JSON syntax.
    package mutating func add(_ key: String, decimal digits: String) { add(key, .decimal(digits)) }
    /// Adds an array with one object per line.
    package mutating func add(_ key: String, lines objects: [JSONText]) { add(key, .lines(objects)) }

    /// The object without line breaks, except in arrays with one object per line.
    package var text: String { "{" + members.joined(separator: ",") + "}" }

    /// The object as a file, with one member per line.
    package var file: String { "{\n" + members.joined(separator: ",\n") + "\n}\n" }

    /// Returns an array as a file, with one object per line.
    package static func file(_ objects: [JSONText]) -> String { text(.lines(objects)) + "\n" }

    private static func text(_ value: Value) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .integer(let number): String(number)
        case .boolean(let flag): flag ? "true" : "false"
        case .null: "null"
        case .number(let number): number.isFinite ? "\(number)" : "null"
        case .decimal(let digits): digits
        case .array(let values): "[" + values.map { text($0) }.joined(separator: ",") + "]"
        case .object(let object): object.text
        case .lines(let objects):
            objects.isEmpty ? "[]" : "[\n" + objects.map(\.text).joined(separator: ",\n") + "\n]"
        }
    }

    /// Returns a string in quotation marks (RFC 8259, section 7). Swift's strings are valid Unicode, so no lone
    /// surrogate can be written. For a file's name, use ``SystemName/unicode(_:)``.
    private static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case _ where mustBeEscaped(scalar):
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    out += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
                }
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    /// Returns whether a character must be escaped, either in JSON or because ``Swift/String/shownLines`` would replace
    /// it on output to a terminal. This way, the printed text and the written text are the same.
    private static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0x10_FF80...0x10_FFFF: true
        default: false
        }
    }
}
