/// One thing that a server does wrong, or unusually: a change of the correct answer.
package struct Fault: Sendable, CustomStringConvertible {
    package let description: String
    let change: @Sendable (inout FaultAnswer, FaultRequest) -> Void

    package init(_ description: String, _ change: @escaping @Sendable (inout FaultAnswer, FaultRequest) -> Void) {
        (self.description, self.change) = (description, change)
    }

    // MARK: Ranges

    /// The whole content with 200, whatever is asked for.
    package static let ignoredRange = Fault("range ignored") { answer, _ in
        if answer.status == 206 { answer.makeWhole() }
    }
    /// Fewer bytes than were asked for, and it says so.
    package static func shorterRange(to count: Int64) -> Fault {
        Fault("range cut to \(count)") { answer, _ in
            guard let part = answer.part, part.count > count else { return }
            answer.makePart(part.lowerBound..<part.lowerBound + count)
        }
    }
    /// More bytes at the end than were asked for, and it says so.
    package static func longerRange(by count: Int64) -> Fault {
        Fault("range longer by \(count)") { answer, _ in
            guard let part = answer.part else { return }
            answer.makePart(part.lowerBound..<part.upperBound + count)
        }
    }
    /// Another part than was asked for, and it says so.
    package static func shiftedRange(by count: Int64) -> Fault {
        Fault("range shifted by \(count)") { answer, _ in
            guard let part = answer.part else { return }
            answer.makePart(part.lowerBound + count..<part.upperBound + count)
        }
    }
    /// 206 with a part, although the whole was asked for.
    package static func unaskedPart(_ range: Range<Int64>) -> Fault {
        Fault("206 without range") { answer, request in
            if request.value("Range") == nil { answer.makePart(range) }
        }
    }
    /// 416 that says how long the content is now.
    package static func unsatisfiable(total: Int64) -> Fault {
        Fault("416 */\(total)") { answer, _ in
            answer.status = 416
            answer.body = []
            answer.set("Content-Range", "bytes */\(total)")
        }
    }

    // MARK: What the head says of the body

    /// Any text as `Content-Range`; `nil` leaves it out.
    package static func contentRange(_ text: String?) -> Fault {
        Fault("Content-Range \(text ?? "missing")") { answer, _ in
            if answer.status == 206 { answer.set("Content-Range", text) }
        }
    }
    /// The part's start and end as if they were elsewhere, over the bytes that were asked for.
    package static func lyingStart(by count: Int64) -> Fault {
        Fault("Content-Range's start off by \(count)") { answer, _ in
            guard let part = answer.part else { return }
            let total = answer.content.byteCount
            answer.set("Content-Range", "bytes \(part.lowerBound + count)-\(part.upperBound - 1 + count)/\(total)")
        }
    }
    /// A total that is not the content's; `nil` is `*`.
    package static func lyingTotal(_ total: Int64?) -> Fault {
        Fault("Content-Range's total \(total.map(String.init) ?? "*")") { answer, _ in
            guard let part = answer.part else { return }
            let text = total.map(String.init) ?? "*"
            answer.set("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(text)")
        }
    }
    /// A number that no integer holds.
    package static let overflowingRange = contentRange("bytes 0-99999999999999999999/99999999999999999999")
    /// A length that is off: the body ends before it, or goes on behind it.
    package static func contentLength(offBy count: Int64) -> Fault {
        Fault("Content-Length off by \(count)") { answer, _ in
            answer.contentLengths = ["\(max(0, answer.bodyByteCount + count))"]
        }
    }
    package static let noContentLength = Fault("no Content-Length") { answer, _ in answer.contentLengths = [] }
    package static let twoContentLengths = Fault("two Content-Lengths") { answer, _ in
        answer.contentLengths = ["\(answer.bodyByteCount)", "\(answer.bodyByteCount + 1)"]
    }
    /// The body in chunks, with no length before.
    package static let chunked = Fault("chunked") { answer, _ in answer.isChunked = true }
    /// An unrequested content coding, over bytes that are not encoded.
    package static let gzip = Fault("Content-Encoding gzip") { answer, _ in answer.set("Content-Encoding", "gzip") }
    /// One field of that many bytes.
    package static func hugeHeader(_ byteCount: Int64) -> Fault {
        Fault("header of \(byteCount) bytes") { answer, _ in answer.paddingByteCount = byteCount }
    }
    package static func manyHeaders(_ count: Int) -> Fault {
        Fault("\(count) header lines") { answer, _ in
            answer.fields += (0..<count).map { FaultField("X-Line-\($0)", "\($0)") }
        }
    }
    /// Any field; `nil` leaves it out.
    package static func header(_ name: String, _ value: String?) -> Fault {
        Fault("\(name): \(value ?? "missing")") { answer, _ in answer.set(name, value) }
    }
    /// Any bytes where the head should be.
    package static func rawHead(_ text: String) -> Fault {
        Fault("head \(text.prefix(30))") { answer, _ in answer.rawHead = Array(text.utf8) }
    }
}
