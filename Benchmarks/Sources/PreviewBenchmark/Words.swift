import Foundation

/// A command line: a word, files, and options with a value each.
struct Words {
    var what = ""
    var files: [String] = []
    private var options: [String: String] = [:]

    init(_ arguments: [String]) {
        var words = arguments.dropFirst()
        what = words.popFirst() ?? ""
        while let word = words.popFirst() {
            guard word.hasPrefix("--") else {
                files.append(word)
                continue
            }
            guard let value = words.popFirst() else { Words.stop("\(word) needs a value") }
            options[String(word.dropFirst(2))] = value
        }
    }

    /// Options that were not asked for.
    var unknown: [String] { options.keys.sorted() }

    mutating func number(_ name: String, _ standard: Double) -> Double {
        guard let text = options.removeValue(forKey: name) else { return standard }
        guard let value = Double(text), value >= 0, value < 1e9 else { Words.stop("--\(name) \(text) is not a number") }
        return value
    }

    mutating func list(_ name: String, _ standard: String) -> [String] {
        (options.removeValue(forKey: name) ?? standard).split(separator: ",").map(String.init)
    }

    mutating func choices<Choice: RawRepresentable & CaseIterable>(_ name: String, _ type: Choice.Type) -> [Choice]
    where Choice.RawValue == String {
        let known = Choice.allCases.map(\.rawValue).joined(separator: ",")
        return list(name, known).map { text in
            guard let choice = Choice(rawValue: text) else { Words.stop("--\(name): \(text) is not of \(known)") }
            return choice
        }
    }

    static func stop(_ text: String) -> Never {
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(64)
    }

    /// Writes a line of JSON.
    static func say(_ line: [String: Any]) throws {
        let data = try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys, .withoutEscapingSlashes])
        try FileHandle.standardOutput.write(contentsOf: data + Data("\n".utf8))
    }
}
