import ScrubSourcesLogic
import ScrubTestSupport
import Testing

@Suite struct HTTPHeadTests {
    private func parse(_ lines: [String], bytes: Int = 65536, count: Int = 100) -> [HTTPHeadParser.Step] {
        var parser = HTTPHeadParser(byteLimit: bytes, lineLimit: count)
        return lines.map { line in Array((line + "\r\n").utf8).withUnsafeBytes { parser.take($0) } }
    }

    @Test func puts() {
        let steps = parse(["HTTP/1.1 206 Partial Content", "ETag:\t \"x\" ", "X-Empty:", "x-EMPTY: 2", ""])
        #expect(steps.dropLast().allSatisfy { $0 == .more })
        #expect(
            steps.last
                == .head(
                    status: 206,
                    fields: [
                        HTTPHead.Field("etag", "\"x\""), HTTPHead.Field("x-empty", ""), HTTPHead.Field("x-empty", "2"),
                    ]))
        #expect(parse(["HTTP/2 200 ", ""]).last == .head(status: 200, fields: []))
        #expect(parse(["HTTP/1.0 404", ""]).last == .head(status: 404, fields: []))
    }

    @Test func informationalAnswersArePassedOver() {
        let steps = parse([
            "HTTP/1.1 103 Early Hints", "Link: x", "", "HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK", "",
        ])
        #expect(steps.dropLast().allSatisfy { $0 == .more })
        #expect(steps.last == .head(status: 200, fields: []))
    }

    @Test(arguments: [
        ["FTP/1.1 200 OK"], ["HTTP/1.1"], ["HTTP/1.1 20 OK"], ["HTTP/1.1 2000 OK"], ["HTTP/1.1 -20 OK"],
        ["HTTP/1.1 099 OK"],
        ["HTTP/1.1 abc"], [""], ["HTTP/1.1 200 OK", "no colon"], ["HTTP/1.1 200 OK", ": x"],
        ["HTTP/1.1 200 OK", "a b: x"],
        ["HTTP/1.1 200 OK", "a : x"], ["HTTP/1.1 200 OK", " folded"], ["HTTP/1.1 200 OK", "a: x\u{0}y"],
        ["HTTP/1.1 200 OK", "a: x\ry"], ["HTTP/1.1 101 Switching", ""],
    ])
    func refuses(_ lines: [String]) {
        guard case .wrong? = parse(lines).last else {
            Issue.record("\(lines) was taken")
            return
        }
    }

    @Test func limits() {
        let many = ["HTTP/1.1 200 OK"] + (0..<99).map { "X-\($0): 1" }
        guard case .tooLarge? = parse(many + [""]).last else {
            Issue.record("101 lines were taken")
            return
        }
        #expect(parse(many.dropLast() + [""]).last.map { if case .head = $0 { true } else { false } } == true)
        guard
            case .tooLarge? = parse(["HTTP/1.1 200 OK", "X: " + String(repeating: "a", count: 1000)], bytes: 1000).last
        else {
            Issue.record("too many bytes were taken")
            return
        }
        // Informational answers count, too.
        let hints = (0..<40).flatMap { _ in ["HTTP/1.1 103 Early Hints", "Link: x", ""] }
        guard case .tooLarge? = parse(hints).last else {
            Issue.record("hints without end were taken")
            return
        }
    }

    private func head(_ status: Int, _ fields: [(String, String)]) throws -> HTTPHead {
        HTTPHead(status: status, fields: fields.map { HTTPHead.Field($0.0, $0.1) }, url: try RemoteURL("http://a/"))
    }

    @Test func meanings() throws {
        let part = try head(206, [("Content-Range", "bytes 0-9/100"), ("Content-Length", "10"), ("ETag", "\"x\"")])
        #expect(part.total == 100 && part.contentLength == 10 && part.contentRange?.range == 0..<10)
        #expect(try head(200, [("Content-Length", "77")]).total == 77)
        #expect(try head(200, [("Content-Length", "77"), ("Content-Length", "77")]).contentLength == 77)
        #expect(try head(200, [("Content-Length", "77"), ("Content-Length", "78")]).contentLength == nil)
        #expect(try head(416, [("Content-Range", "bytes */50")]).total == 50)
        #expect(try head(404, [("Content-Length", "50")]).total == nil)
        #expect(try head(503, [("Retry-After", "7")]).retryAfter == 7)
        #expect(try head(503, [("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")]).retryAfter == nil)
        #expect(try head(200, [("Content-Encoding", "Identity")]).contentCoding == nil)
        #expect(try head(200, [("Content-Encoding", "br")]).contentCoding == "br")
        #expect(try head(200, [("Accept-Ranges", "none")]).refusesRanges)
        #expect(try !head(200, []).refusesRanges)
        #expect(try head(200, [("A", "1"), ("a", "2")]).values("a") == ["1", "2"])
        #expect(try head(200, [("A", "1"), ("a", "2")])["a"] == "1")
    }

    @Test(
        arguments: [
            ("bytes 0-9/100", 0..<10, 100), ("bytes 0-0/1", 0..<1, 1), ("bytes 5-9/*", 5..<10, nil),
            ("bytes */100", nil, 100),
            ("Bytes 0-9/10", 0..<10, 10),
            ("bytes 0-9223372036854775806/9223372036854775807", 0..<Int64.max, Int64.max),
        ] as [(String, Range<Int64>?, Int64?)])
    func contentRanges(_ text: String, _ range: Range<Int64>?, _ total: Int64?) {
        #expect(ContentRange(text) == ContentRange(range: range, total: total))
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-9", "bytes 0-9/", "bytes /100", "bytes -9/100", "bytes 9-/100", "bytes 9-0/100",
        "bytes 0-9/9",
        "bytes */*", "items 0-9/100", "bytes=0-9/100", "bytes 0-9/100/1", "bytes 0-9-10/100", "bytes +0-9/100",
        "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*", "bytes 0-9/-1", "bytes a-b/c",
        "bytes 0-9/100,",
        "bytes 0 -9/100", "bytes 10-19/10",
    ])
    func notContentRanges(_ text: String) { #expect(ContentRange(text) == nil) }

    @Test func dates() {
        #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.seconds("Thu, 29 Feb 2024 23:59:59 GMT") == 1_709_251_199)
        #expect(HTTPDate.seconds("Fri, 01 Mar 2024 00:00:00 GMT") == 1_709_251_200)
        #expect(HTTPDate.seconds("Wed, 31 Dec 1969 23:59:59 GMT") == -1)
        for text in [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37:00 GMT", "784111777",
        ] { #expect(HTTPDate.seconds(text) == nil, "\(text)") }
    }

    @Test func validators() {
        let changed = "Sun, 06 Nov 1994 08:49:37 GMT"
        let later = "Sun, 06 Nov 1994 08:49:38 GMT"
        #expect(Validator(entityTag: "\"x\"", lastModified: changed, date: later).ifRange == "\"x\"")
        #expect(Validator(entityTag: "W/\"x\"", lastModified: changed, date: later).ifRange == nil)
        #expect(Validator(entityTag: nil, lastModified: changed, date: later).ifRange == changed)
        #expect(Validator(entityTag: nil, lastModified: changed, date: changed).ifRange == nil)
        #expect(Validator(entityTag: nil, lastModified: changed, date: nil).ifRange == nil)
        #expect(Validator(entityTag: nil, lastModified: "yesterday", date: later).ifRange == nil)
        #expect(Validator.none.ifRange == nil && !Validator.none.isStrong)
        for tag in ["x", "\"", "\"x", "w/\"x\"", "\"x\"y\"", "\"x\r\nHost: a\"", "\"x y\"", ""] {
            #expect(Validator(entityTag: tag, lastModified: nil, date: nil).entityTag == nil, "\(tag)")
        }
        #expect(Validator(entityTag: "\"\"", lastModified: nil, date: nil).entityTag == "\"\"")
    }

    @Test func agreement() {
        func validator(_ tag: String?, _ time: String?) -> Validator {
            Validator(entityTag: tag, lastModified: time, date: nil)
        }
        #expect(validator("\"a\"", "t").agreement(with: validator("\"a\"", "t")) == .same)
        #expect(validator("\"a\"", nil).agreement(with: validator("\"a\"", "t")) == .same)
        #expect(validator(nil, "t").agreement(with: validator("\"a\"", "t")) == .same)
        #expect(validator("\"a\"", "t").agreement(with: validator("\"b\"", "t")) == .tagsAlone)
        #expect(validator("\"a\"", "t").agreement(with: validator("\"b\"", "u")) == .different)
        #expect(validator("\"a\"", "t").agreement(with: validator("\"a\"", "u")) == .same)
        #expect(validator("W/\"a\"", "t").agreement(with: validator("W/\"a\"", "u")) == .different)
        #expect(validator("\"a\"", nil).agreement(with: validator("\"b\"", nil)) == .different)
        #expect(validator("\"a\"", nil).agreement(with: validator(nil, "t")) == .unknown)
        #expect(validator(nil, nil).agreement(with: validator(nil, nil)) == .unknown)
    }

    @Test func basicAuthorization() {
        // RFC 7617, 2.
        #expect(
            RequestFields.basicAuthorization(.init(user: "Aladdin", password: "open sesame"))
                == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(RequestFields.basicAuthorization(.init(user: "", password: "")) == "Basic Og==")
        #expect(RequestFields.basicAuthorization(.init(user: "ab", password: "c")) == "Basic YWI6Yw==")
        #expect(RequestFields.basicAuthorization(.init(user: "ab", password: "")) == "Basic YWI6")
    }
}
