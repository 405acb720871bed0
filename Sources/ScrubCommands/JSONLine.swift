internal import Scrub

/// One JSON object on one line, keys in the order in which they were added (RFC 8259).
///
/// Foundation's encoder would cost the command line some milliseconds at every start and orders keys by chance.
struct JSONLine {
    /// A value.
    enum Value {
        case string(String), integer(Int64), number(Double), boolean(Bool), null
        case array([Value]), object(JSONLine)
    }

    private var members: [(key: String, value: Value)] = []

    init() {}

    mutating func add(_ key: String, _ value: Value) { members.append((key, value)) }
    mutating func add(_ key: String, _ value: String?) { add(key, value.map(Value.string) ?? .null) }
    mutating func add(_ key: String, _ value: Int?) { add(key, value.map { .integer(Int64($0)) } ?? .null) }
    mutating func add(_ key: String, _ value: Int64) { add(key, .integer(value)) }
    mutating func add(_ key: String, _ value: Double) { add(key, .number(value)) }
    mutating func add(_ key: String, _ value: Bool) { add(key, .boolean(value)) }

    /// The object without a line break.
    var text: String {
        "{" + members.map { PlainText.jsonString($0.key) + ":" + JSONLine.text($0.value) }.joined(separator: ",") + "}"
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .string(let text): PlainText.jsonString(text)
        case .integer(let number): String(number)
        // JSON has no infinities and no NaN.
        case .number(let number): number.isFinite ? "\(number)" : "null"
        case .boolean(let flag): flag ? "true" : "false"
        case .null: "null"
        case .array(let values): "[" + values.map { text($0) }.joined(separator: ",") + "]"
        case .object(let object): object.text
        }
    }
}
