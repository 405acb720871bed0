internal import ScrubBase

/// Text of JSON objects (RFC 8259) whose members come in the order in which they were added.
struct JSONText {
    private var members: [String] = []

    mutating func add(_ key: String, _ value: String) { addRaw(key, PlainText.jsonString(value)) }
    mutating func add(_ key: String, _ value: Int) { addRaw(key, String(value)) }
    mutating func add(_ key: String, _ value: Bool) { addRaw(key, value ? "true" : "false") }
    /// Adds a value that is JSON text already.
    mutating func addRaw(_ key: String, _ text: String) { members.append(PlainText.jsonString(key) + ":" + text) }
    /// Adds an array with one element on a line.
    mutating func add(_ key: String, _ elements: [JSONText]) {
        addRaw(key, JSONText.array(elements))
    }

    private static func array(_ elements: [JSONText]) -> String {
        elements.isEmpty ? "[]" : "[\n" + elements.map(\.line).joined(separator: ",\n") + "\n]"
    }

    /// An array with one element on a line, as a whole file.
    static func text(_ elements: [JSONText]) -> String { array(elements) + "\n" }

    /// The object on one line, unless an array has lines of its own.
    var line: String { "{" + members.joined(separator: ",") + "}" }
    /// The object with each member on a line.
    var text: String { "{\n" + members.joined(separator: ",\n") + "\n}\n" }
}
