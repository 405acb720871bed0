/// The members of a JSON object, accessed by name and type.
///
/// All accessors throw ``ScrubError/Code/badData`` with the path of a member that is missing or has another type.
package struct JSONObject: Sendable {
    /// The object's path in the file, such as `thumbnails[3]`; empty for the whole file.
    package let path: String
    private let members: [String: JSONValue]

    package init(_ value: JSONValue, path: String = "") throws(ScrubError) {
        guard case .object(let members) = value else {
            throw ScrubError(.badData, "it is not a JSON object", place: path.isEmpty ? nil : path)
        }
        (self.path, self.members) = (path, members)
    }

    package func has(_ key: String) -> Bool {
        switch members[key] {
        case .none, .null: false
        default: true
        }
    }

    package func string(_ key: String) throws(ScrubError) -> String {
        guard case .string(let text) = members[key] else { throw fault(key, "a string") }
        return text
    }

    package func boolean(_ key: String) throws(ScrubError) -> Bool {
        guard case .boolean(let flag) = members[key] else { throw fault(key, "true or false") }
        return flag
    }

    package func integer(_ key: String) throws(ScrubError) -> Int {
        guard case .number(let text) = members[key], let number = Int(text) else { throw fault(key, "an integer") }
        return number
    }

    /// Returns a number's digits as in the file; `nil` if the value is not a number.
    package func digits(_ key: String) -> String? {
        guard case .number(let text) = members[key] else { return nil }
        return text
    }

    package func strings(_ key: String) throws(ScrubError) -> [String] {
        guard case .array(let values) = members[key] else { throw fault(key, "an array") }
        var texts: [String] = []
        for value in values {
            guard case .string(let text) = value else { throw fault(key, "an array of strings") }
            texts.append(text)
        }
        return texts
    }

    package func objects(_ key: String) throws(ScrubError) -> [JSONObject] {
        guard case .array(let values) = members[key] else { throw fault(key, "an array") }
        return try JSONObject.objects(values, path: prefix + key)
    }

    /// Returns the objects of a file that is an array.
    package static func objects(_ value: JSONValue) throws(ScrubError) -> [JSONObject] {
        guard case .array(let values) = value else { throw ScrubError(.badData, "it is not a JSON array") }
        return try objects(values, path: "")
    }

    private static func objects(_ values: [JSONValue], path: String) throws(ScrubError) -> [JSONObject] {
        var objects: [JSONObject] = []
        for (place, value) in values.enumerated() {
            objects.append(try JSONObject(value, path: "\(path)[\(place)]"))
        }
        return objects
    }

    package func object(_ key: String) throws(ScrubError) -> JSONObject {
        guard let value = members[key] else { throw fault(key, "an object") }
        return try JSONObject(value, path: prefix + key)
    }

    package func fault(_ key: String, _ cause: String) -> ScrubError {
        ScrubError(.badData, "expected \(cause)", place: prefix + key)
    }

    private var prefix: String { path.isEmpty ? "" : path + "." }
}
