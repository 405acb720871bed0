/// One name of the server: its present content, and its validators.
package struct FaultResource: Sendable {
    package var content: FaultContent
    package var etag: String?
    package var modified: String?
    package var type = "application/octet-stream"
    /// Counts contents, from 0.
    package internal(set) var generation = 0

    /// The correct answer to a request.
    func answer(to request: FaultRequest) -> FaultAnswer {
        var answer = FaultAnswer(
            status: 200, fields: [FaultField("Content-Type", type), FaultField("Accept-Ranges", "bytes")], body: [],
            content: content)
        // Not a clock's: years behind every content, so that its date is a strong one.
        answer.set("Date", "Thu, 01 Jan 2026 00:00:00 GMT")
        answer.set("ETag", etag)
        answer.set("Last-Modified", modified)
        guard request.method == "GET" || request.method == "HEAD" else {
            return .text(405, "GET and HEAD", content: content)
        }
        if let known = request.value("If-None-Match"), let etag, known == etag {
            answer.status = 304
            return answer
        }
        answer.makeWhole()
        if let ranges = request.ranges(in: content.byteCount), rangeStands(request) {
            switch ranges.count {
            case 0:
                answer = .text(416, "no such range", content: content)
                answer.set("Content-Range", "bytes */\(content.byteCount)")
            case 1: answer.makePart(ranges[0])
            default: answer.makeMultipart(ranges)
            }
        }
        return answer
    }

    /// Whether `If-Range`, if present, names this very content: a strong tag, or the date of a content without a tag.
    private func rangeStands(_ request: FaultRequest) -> Bool {
        guard let condition = request.value("If-Range") else { return true }
        if condition.hasPrefix("\"") { return condition == etag }
        return !condition.hasPrefix("W/") && condition == modified
    }
}
