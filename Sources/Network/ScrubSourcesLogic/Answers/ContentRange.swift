/// The value of a `Content-Range` field: which bytes of the whole content a body contains.
package struct ContentRange: Hashable, Sendable {
    /// The bytes; `nil` in a response without any (`bytes */1234`).
    package let range: Range<Int64>?
    /// The size of the whole content; `nil` for `*`.
    package let total: Int64?

    package init(range: Range<Int64>?, total: Int64?) {
        self.range = range
        self.total = total
    }

    /// Parses `bytes 0-65535/1234567`, `bytes 0-65535/*` or `bytes */1234567`. `nil` for anything else, such as a range
    /// that is reversed or not inside its total.
    package init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        if halves[1] == "*" {
            total = nil
        } else {
            guard let number = DecimalText.int64(halves[1]) else { return nil }
            total = number
        }
        if halves[0] == "*" {
            guard total != nil else { return nil }
            range = nil
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = DecimalText.int64(ends[0]), let last = DecimalText.int64(ends[1]),
            first <= last, last < Int64.max, last < total ?? Int64.max
        else { return nil }
        range = first..<last + 1
    }
}
