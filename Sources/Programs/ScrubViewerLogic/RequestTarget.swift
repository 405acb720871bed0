internal import ScrubBase

/// The target of a request: the parts of its path, and its query.
///
/// Parts are compared with names that the server knows and never become a path: an encoded, doubled or upward part does
/// not match any name.
package struct RequestTarget: Sendable {
    /// The parts between slashes, as written; empty ones are omitted.
    package let parts: [Substring]
    private let query: [(name: String, value: String)]
    /// The path as written, without its query.
    package let path: Substring

    /// - Parameter text: the target in the request line. The result is `nil` if it is not a path.
    package init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 4096 else { return nil }
        let whole = text.prefix { $0 != "#" }
        path = whole.prefix { $0 != "?" }
        parts = path.split(separator: "/")
        query = whole.dropFirst(path.count + 1).split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            return (RequestTarget.decoded(name), RequestTarget.decoded(pair.dropFirst(name.count + 1)))
        }
    }

    /// The first value for a name.
    package subscript(name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns text with percent escapes decoded; a percent sign that does not begin an escape stands for itself, as in
    /// `42%`.
    private static func decoded(_ text: Substring) -> String {
        String(decoding: PercentEncoding.bytes(of: text, keepsBroken: true) ?? [], as: UTF8.self)
    }
}
