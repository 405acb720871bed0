/// A parser that assembles a response header line by line, within limits.
///
/// Informational responses (100, 103) before the final one are skipped, but their lines count. It is strict where
/// servers and intermediaries could interpret a header differently.
package struct HTTPHeadParser: Sendable {
    /// The result of a line.
    package enum Step: Hashable, Sendable {
        /// More lines follow.
        case more
        /// The header is complete.
        case head(status: Int, fields: [HTTPHead.Field])
        /// The header cannot be trusted; with the reason, a clause without a full stop.
        case wrong(String)
        /// A limit is exceeded; with the amount.
        case tooLarge(String)
    }

    private let byteLimit: Int
    private let lineLimit: Int
    private var byteCount = 0
    private var lineCount = 0
    private var status: Int?
    private var fields: [HTTPHead.Field] = []
    /// Whether the header is complete, so that the following lines are trailers.
    package private(set) var isComplete = false
    /// Whether any bytes have arrived.
    package var hasBegun: Bool { byteCount > 0 }

    package init(byteLimit: Int, lineLimit: Int) {
        self.byteLimit = byteLimit
        self.lineLimit = lineLimit
    }

    /// Handles a line including its line ending.
    package mutating func take(_ line: UnsafeRawBufferPointer) -> Step {
        byteCount += line.count
        lineCount += 1
        guard byteCount <= byteLimit else { return .tooLarge("its header has more than \(byteLimit) bytes") }
        guard lineCount <= lineLimit else { return .tooLarge("its header has more than \(lineLimit) lines") }
        guard !isComplete else { return .more }
        var bytes = unsafe line[...]
        while let last = unsafe bytes.last, last == 0x0A || last == 0x0D { unsafe bytes.removeLast() }
        guard unsafe !bytes.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
            return .wrong("its header contains control characters")
        }
        guard unsafe !bytes.isEmpty else { return end() }
        guard status != nil else { return unsafe takeStatus(String(decoding: bytes, as: UTF8.self)) }
        return unsafe takeField(bytes)
    }

    private mutating func takeStatus(_ text: String) -> Step {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard text.hasPrefix("HTTP/"), parts.count >= 2, parts[1].utf8.count == 3,
            let number = DecimalText.int64(parts[1]), number >= 100
        else { return .wrong("its first line is not a status line") }
        status = Int(number)
        return .more
    }

    private mutating func takeField(_ bytes: Slice<UnsafeRawBufferPointer>) -> Step {
        guard let colon = unsafe bytes.firstIndex(of: 0x3A), unsafe colon > bytes.startIndex,
            unsafe bytes[..<colon].allSatisfy(HTTPHeadParser.isTokenByte)
        else { return .wrong("its header contains a line that is not a field") }
        let value = unsafe bytes[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
        let length = unsafe value.reversed().drop { $0 == 0x20 || $0 == 0x09 }.count
        unsafe fields.append(
            HTTPHead.Field(
                String(decoding: bytes[..<colon], as: UTF8.self), String(decoding: value.prefix(length), as: UTF8.self))
        )
        return .more
    }

    private mutating func end() -> Step {
        guard let status else { return .wrong("its header is empty") }
        guard status >= 200 else {
            guard status != 101 else { return .wrong("it switches to another protocol") }
            self.status = nil
            fields = []
            return .more
        }
        isComplete = true
        return .head(status: status, fields: fields)
    }

    /// Returns whether a byte is allowed in a field's name (RFC 9110, 5.6.2).
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }
}
