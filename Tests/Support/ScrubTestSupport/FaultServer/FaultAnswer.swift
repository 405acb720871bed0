/// The answer to one request, before faults change it: a correct answer of a server with ranges.
package struct FaultAnswer: Sendable {
    /// A part of the body.
    package enum Part: Sendable {
        case literal([UInt8])
        case content(Range<Int64>)

        var byteCount: Int64 {
            switch self {
            case .literal(let bytes): Int64(bytes.count)
            case .content(let range): Int64(range.count)
            }
        }
    }

    /// A place in an answer; bytes count from 0.
    package enum Place: Sendable, Hashable {
        case beforeHead
        case inHead(Int)
        case beforeBody
        case inBody(Int64)
    }

    /// An event at a place.
    package enum Event: Sendable {
        /// Stands still until the gate opens or the other side hangs up.
        case stall(StallGate)
        /// The connection ends with RST.
        case reset
        /// The connection ends with FIN.
        case close
        /// From here on so many bytes at once and then a pause.
        case drip(bytes: Int, milliseconds: Int32)
        /// From here on the content is another one.
        case swap(FaultContent)
        /// A test does something while the answer is on its way.
        case call(@Sendable () -> Void)
    }

    package var status: Int
    package var reason = "Fault"
    package var fields: [FaultField]
    package var body: [Part]
    package var content: FaultContent
    /// The `Content-Length` fields; `nil` is the one that is true.
    package var contentLengths: [String]?
    /// The whole head in place of status and fields.
    package var rawHead: [UInt8]?
    /// Bytes of one endless field that are sent in the head.
    package var paddingByteCount: Int64 = 0
    package var isChunked = false
    package var closesAfter = false
    package var events: [(place: Place, event: Event)] = []

    /// The length of the body that is sent.
    package var bodyByteCount: Int64 { body.reduce(0) { $0 + $1.byteCount } }

    package func value(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Sets a field to one value, or removes it.
    package mutating func set(_ name: String, _ value: String?) {
        fields.removeAll { $0.name.lowercased() == name.lowercased() }
        if let value { fields.append(FaultField(name, value)) }
    }

    /// An answer with a text and nothing of the content.
    package static func text(_ status: Int, _ words: String = "", content: FaultContent = FaultContent([]))
        -> FaultAnswer
    {
        FaultAnswer(
            status: status, fields: [FaultField("Content-Type", "text/plain")],
            body: words.isEmpty ? [] : [.literal(Array(words.utf8))], content: content)
    }

    /// The whole content.
    package mutating func makeWhole() {
        status = 200
        body = [.content(0..<content.byteCount)]
        set("Content-Range", nil)
    }

    /// Makes the answer one part of the content, with the field that says so; it is cut to the existing bytes.
    package mutating func makePart(_ range: Range<Int64>) {
        let range = range.clamped(to: 0..<content.byteCount)
        status = 206
        body = [.content(range)]
        set("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.byteCount)")
    }

    /// The part that a single range's answer has.
    package var part: Range<Int64>? {
        guard status == 206, body.count == 1, case .content(let range) = body[0] else { return nil }
        return range
    }

    /// Several parts as RFC 9110 has them.
    package mutating func makeMultipart(_ ranges: [Range<Int64>], boundary: String = "scrub-fault-part") {
        let type = value("Content-Type") ?? "application/octet-stream"
        status = 206
        body = []
        for range in ranges {
            let head =
                "\r\n--\(boundary)\r\nContent-Type: \(type)\r\n"
                + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.byteCount)\r\n\r\n"
            body += [.literal(Array(head.utf8)), .content(range)]
        }
        body.append(.literal(Array("\r\n--\(boundary)--\r\n".utf8)))
        set("Content-Range", nil)
        set("Content-Type", "multipart/byteranges; boundary=\(boundary)")
    }

    /// The head's bytes, without the padding and without the empty line at the end.
    func headBytes() -> [UInt8] {
        if let rawHead { return rawHead }
        var text = "HTTP/1.1 \(status) \(reason)\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        if isChunked {
            text += "Transfer-Encoding: chunked\r\n"
        } else {
            for length in contentLengths ?? (status == 304 ? [] : ["\(bodyByteCount)"]) {
                text += "Content-Length: \(length)\r\n"
            }
        }
        return Array(text.utf8)
    }

    /// Whether the connection can go on after it: its end is seen in its bytes.
    var keepsConnection: Bool {
        !closesAfter && rawHead == nil && (isChunked || contentLengths.map { $0 == ["\(bodyByteCount)"] } ?? true)
    }
}
