/// The kind of an answer, judged by its head before one byte of it is used.
package enum AnswerKind: Hashable, Sendable {
    /// The body is these bytes of the content: the requested ones, or their beginning.
    case part(Range<Int64>)
    /// The body is several parts of the content, with this between them.
    case parts(boundary: String)
    /// The body is the whole content: the server ignored the range.
    case whole
    /// The content is not the one known: these are the new one's.
    case changed(total: Int64?, Validator)
    /// There are no such bytes; the total, where it is said.
    case pastEnd(total: Int64?)
    /// A status other than success.
    case status(Int, retryAfter: Int64?)
    /// A body in a content coding: its bytes are not the content's.
    case coded(String)
    /// An answer that cannot be: why.
    case wrong(String)
}

/// The content that was described first; every answer must be of it.
package struct KnownContent: Hashable, Sendable {
    /// `nil` as long as no answer says it.
    package var total: Int64?
    package var validator: Validator
    /// Whether tags count: a pool whose servers make tags of their own is known by time and length instead.
    package private(set) var trustsTags = true

    package init(total: Int64?, validator: Validator) {
        self.total = total
        self.validator = validator
    }

    /// The validator that a request may send in `If-Range`.
    package var requestValidator: Validator? { trustsTags && validator.isStrong ? validator : nil }

    /// Judges an answer to a request for `asked`, or for the whole.
    package mutating func judge(_ head: HTTPHead, asked: Range<Int64>?) -> AnswerKind {
        switch head.status {
        case 206:
            guard let asked else { return .wrong("a part, where the whole was asked for") }
            guard let field = head.contentRange, let range = field.range else {
                return .wrong("a part without a range")
            }
            if let coding = head.contentCoding { return .coded(coding) }
            if let change = change(in: head, total: field.total) { return change }
            guard range.lowerBound == asked.lowerBound, range.upperBound <= asked.upperBound else {
                return .wrong("bytes \(range.text) where \(asked.text) was asked for")
            }
            if let total = total ?? field.total, range.upperBound > total {
                return .wrong("bytes \(range.text) of \(total)")
            }
            if let length = head.contentLength, length != Int64(range.upperBound - range.lowerBound) {
                return .wrong("\(length) bytes for bytes \(range.text)")
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

    /// Judges an answer to a request for several ranges: parts of them, one of them, or the whole.
    package mutating func judge(_ head: HTTPHead, asked: ByteRanges) -> AnswerKind {
        guard head.status == 206 else { return judge(head, asked: asked.span) }
        if let type = head.single("content-type"), type.lowercased().hasPrefix("multipart/") {
            if let coding = head.contentCoding { return .coded(coding) }
            if let change = change(in: head, total: nil) { return change }
            guard let boundary = MultipartBoundary.named(by: type) else {
                return .wrong("parts without a boundary between them")
            }
            return .parts(boundary: boundary)
        }
        guard let part = head.contentRange?.range, asked.contains(part) else {
            return .wrong("a part that was not asked for")
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
            // Equal times and lengths prove it where nothing can have changed within the second that the time names.
            guard validator.isTimeStrong, total != nil, said == total else { return changed }
            trustsTags = false
            return nil
        case .unknown:
            // A server that answered before with a validator and does not now, or with another kind, may have another
            // content of the same length. A part that was asked for under a condition is of the content that the
            // condition names.
            if validator != .none, head.status != 206 || requestValidator == nil { return changed }
            // A whole body of unknown length without validators may be anything, if it is not the first answer.
            guard head.status == 200, total != nil || validator != .none, said == nil else { return nil }
            return .wrong("nothing that identifies its content")
        }
    }
}

extension Range where Bound == Int64 {
    /// As header fields write it: first and last.
    package var text: String { "\(lowerBound)-\(upperBound &- 1)" }
}
