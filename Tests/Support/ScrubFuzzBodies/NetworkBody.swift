import ScrubSourcesLogic
import ScrubBase
import ScrubViewerLogic

/// The answers of servers, and the requests to ours.
enum NetworkBody {
    static func checkHead(_ bytes: [UInt8]) throws(Finding) {
        var parser = HTTPHeadParser(byteLimit: 4096, lineLimit: 64)
        var rest = bytes[...]
        var steps = 0
        reading: while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            let line = Array(rest[..<end])
            rest = rest[end...]
            steps += 1
            switch line.withUnsafeBytes({ parser.take($0) }) {
            case .more: try expect(steps <= 64, "more lines than the limit")
            case .head(let status, let fields):
                try expect((200...999).contains(status), "status \(status)")
                for field in fields { try checkField(field) }
            case .wrong(let why), .tooLarge(let why):
                try expect(!why.isEmpty, "no reason")
                break reading
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if let range = ContentRange(text)?.range { try expect(range.lowerBound >= 0, "a range at \(range)") }
        _ = HTTPDate.seconds(text)
    }

    private static func checkField(_ field: HTTPHead.Field) throws(Finding) {
        try expect(field.value.utf8.allSatisfy { $0 >= 0x20 || $0 == 9 }, "a control character in a field")
        _ = (ContentRange(field.value), HTTPDate.seconds(field.value))
        _ = Validator(entityTag: field.value, lastModified: field.value, date: field.value)
    }

    static func checkAddress(_ bytes: [UInt8]) throws(Finding) {
        let text = String(decoding: bytes, as: UTF8.self)
        _ = ProxyRules(text)
        if let address = NetworkAddress(text) {
            try expect(NetworkAddress("\(address)") == address, "\(address) is another address")
        }
        guard let url = answer({ () throws(ScrubError) in try RemoteURL(text) }) else { return }
        let again = answer { () throws(ScrubError) in try RemoteURL(url.key) }
        try expect(again?.key == url.key, "\(url.key) is read as \(again?.key ?? "none")")
        try expect(url.key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(url.key) has what no address has")
        let base = answer { () throws(ScrubError) in try RemoteURL("http://a.example/b/c?d") }
        if let moved = answer({ () throws(ScrubError) in try base?.resolving(text) }) ?? nil {
            try expect(moved.key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(moved.key) has what no address has")
        }
    }

    static func checkTarget(_ bytes: [UInt8]) throws(Finding) {
        let text = String(decoding: bytes, as: UTF8.self)
        _ = HostNames(host: "localhost", port: 80).allows(text)
        _ = HostNames(host: text, port: 80).allows("localhost")
        guard let target = RequestTarget(text) else { return }
        try expect(target.parts.allSatisfy { !$0.isEmpty && !$0.contains("/") }, "a part with a slash")
        try expect(target.path.utf8.first == 0x2F, "a path without a slash")
        _ = (target["at"], target["width"], target[""])
    }
}
