/// One line of a head.
package struct FaultField: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// One request as it came.
package struct FaultRequest: Sendable {
    package let method: String
    /// The target as it was sent, with its query.
    package let target: String
    package let fields: [FaultField]
    /// The number of its connection, from 0 in order of acceptance.
    package let connection: Int
    /// The number of earlier requests on its connection.
    package let placeOnConnection: Int
    /// The number of earlier requests for its resource.
    package internal(set) var number = 0

    /// The resource's name: the target without the first slash and without the query.
    package var name: String {
        String(target.drop { $0 == "/" }.prefix { $0 != "?" && $0 != "#" })
    }

    /// The first value of a field, by its name in any case.
    package func value(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The ranges asked for, in the content; `nil` without a range or with one that cannot be read. Those that begin
    /// behind the content's end are left out, as RFC 9110 says.
    package func ranges(in byteCount: Int64) -> [Range<Int64>]? {
        guard let text = value("Range"), text.lowercased().hasPrefix("bytes=") else { return nil }
        var ranges: [Range<Int64>] = []
        for part in text.dropFirst(6).split(separator: ",") {
            let ends = part.filter { $0 != " " }.split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2 else { return nil }
            if ends[0].isEmpty {
                guard let count = Int64(ends[1]) else { return nil }
                if count > 0 && byteCount > 0 { ranges.append(max(0, byteCount - count)..<byteCount) }
            } else {
                guard let first = Int64(ends[0]) else { return nil }
                let last = ends[1].isEmpty ? byteCount - 1 : Int64(ends[1])
                guard let last, last >= first || ends[1].isEmpty else { return nil }
                if first < byteCount { ranges.append(first..<min(last, byteCount - 1) + 1) }
            }
        }
        return ranges
    }

    /// Reads a head that ends with an empty line; `nil` when it is not one.
    init?(head: [UInt8], connection: Int, placeOnConnection: Int) {
        var lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: true)
        guard !lines.isEmpty else { return nil }
        let words = lines.removeFirst().split(separator: " ")
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
        method = String(words[0])
        target = String(words[1])
        fields = lines.compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return FaultField(
                String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
        self.connection = connection
        self.placeOnConnection = placeOnConnection
    }
}
