/// The kind of a response, determined from its header before any of its bytes is used.
package enum AnswerKind: Hashable, Sendable {
    /// The body contains these bytes of the content: the requested ones, or the start of them.
    case part(Range<Int64>)
    /// The body contains several parts of the content, separated by this boundary.
    case parts(boundary: String)
    /// The body is the whole content, because the server ignored the range.
    case whole
    /// The content is not the known one; with the new one's size and validator.
    case changed(total: Int64?, Validator)
    /// There are no such bytes; with the total size, if the response has it.
    case pastEnd(total: Int64?)
    /// A status other than success.
    case status(Int, retryAfter: Int64?)
    /// The body has a content coding, so its bytes are not the content's.
    case coded(String)
    /// The response is invalid; with the reason.
    case wrong(String)
}

/// The content as first described, which every response must match.
package struct KnownContent: Hashable, Sendable {
    /// The size in bytes; `nil` until a response has it.
    package var total: Int64?
    package var validator: Validator
    /// Whether tags count. A server pool with different tags is recognized by time and length instead.
    package private(set) var trustsTags = true

    package init(total: Int64?, validator: Validator) {
        self.total = total
        self.validator = validator
    }

    /// The validator that a request may send in `If-Range`.
    package var requestValidator: Validator? { trustsTags && validator.isStrong ? validator : nil }

    /// Checks a response to a request for `asked`, or for the whole content.
    package mutating func judge(_ head: HTTPHead, asked: Range<Int64>?) -> AnswerKind {
        switch head.status {
        case 206:
            guard let asked else { return .wrong("it contains only a part of the file") }
            guard let field = head.contentRange, let range = field.range else {
                return .wrong("its range is missing or invalid")
            }
            if let coding = head.contentCoding { return .coded(coding) }
            if let change = change(in: head, total: field.total) { return change }
            guard range.lowerBound == asked.lowerBound, range.upperBound <= asked.upperBound else {
                return .wrong("it contains bytes \(range.text) instead of \(asked.text)")
            }
            if let total = total ?? field.total, range.upperBound > total {
                return .wrong("it contains bytes \(range.text), but the total is \(total) bytes")
            }
            if let length = head.contentLength, length != Int64(range.upperBound - range.lowerBound) {
                return .wrong("its body has \(length) bytes, but its range is \(range.text)")
            }
            return .part(range)
        case 200:
            if let coding = head.contentCoding { return .coded(coding) }
            if let change = change(in: head, total: head.contentLength) { return change }
            return .whole
        case 416:
            let said = head.contentRange?.total
            if let said, let total, said != total { return .changed(total: said, head.validator) }
            return .pastEnd(total: said)
        default:
            return .status(head.status, retryAfter: head.retryAfter)
        }
    }

    /// Checks a response to a request for several ranges: parts of them, one of them, or the whole content.
    package mutating func judge(_ head: HTTPHead, asked: ByteRanges) -> AnswerKind {
        guard head.status == 206 else { return judge(head, asked: asked.span) }
        if let type = head.single("content-type"), type.lowercased().hasPrefix("multipart/") {
            if let coding = head.contentCoding { return .coded(coding) }
            if let change = change(in: head, total: nil) { return change }
            guard let boundary = MultipartBoundary.named(by: type) else {
                return .wrong("its multipart body has no valid boundary")
            }
            return .parts(boundary: boundary)
        }
        guard let part = head.contentRange?.range, asked.contains(part) else {
            return .wrong("it contains a part that was not requested")
        }
        return judge(head, asked: part)
    }

    private mutating func change(in head: HTTPHead, total said: Int64?) -> AnswerKind? {
        let other = head.validator
        let changed = AnswerKind.changed(total: said, other)
        if let said, let total, said != total { return changed }
        switch validator.agreement(with: other) {
        case .same: return nil
        case .different: return changed
        case .tagsAlone:
            // Equal times and lengths prove equality if the content cannot have changed within the second that the time
            // names.
            guard validator.isTimeStrong, total != nil, said == total else { return changed }
            trustsTags = false
            return nil
        case .unknown:
            // A server that sent a validator before and now sends none, or one of another kind, may have other content
            // of the same length. A part requested under a condition belongs to the content that the condition names.
            if validator != .none, head.status != 206 || requestValidator == nil { return changed }
            // A whole body of unknown length without validators may be any content, unless it is the first response.
            guard head.status == 200, total != nil || validator != .none, said == nil else { return nil }
            return .wrong("it may have different content, because it has no length")
        }
    }
}

extension Range where Bound == Int64 {
    /// The range as in header fields: first and last byte.
    package var text: String { "\(lowerBound)-\(upperBound &- 1)" }
}
