import ScrubSourcesLogic
import ScrubBase
import Testing

@Suite("Judging answers by their heads")
struct KnownContentTests {
    private let url: RemoteURL
    private let known = KnownContent(
        total: 1000, validator: Validator(entityTag: "\"a\"", lastModified: nil, date: nil))

    init() throws { url = try RemoteURL("http://h/v.mp4") }

    private func head(_ status: Int, _ fields: KeyValuePairs<String, String>) -> HTTPHead {
        HTTPHead(status: status, fields: fields.map { HTTPHead.Field($0.key, $0.value) }, url: url)
    }

    private func judge(_ head: HTTPHead, _ asked: Range<Int64>? = 100..<200) -> AnswerKind {
        var known = known
        return known.judge(head, asked: asked)
    }

    @Test func aPartMustBeTheOneAskedForOrItsBeginning() {
        #expect(judge(head(206, ["Content-Range": "bytes 100-199/1000", "ETag": "\"a\""])) == .part(100..<200))
        #expect(judge(head(206, ["Content-Range": "bytes 100-149/1000"])) == .part(100..<150))
        #expect(judge(head(206, ["Content-Range": "bytes 100-199/*", "ETag": "\"a\""])) == .part(100..<200))
        for range in ["101-199/1000", "100-200/1000", "0-99/1000", "99-199/1000"] {
            guard case .wrong = judge(head(206, ["Content-Range": "bytes \(range)"])) else {
                Issue.record("\(range) was taken")
                continue
            }
        }
        guard case .wrong = judge(head(206, [:])) else {
            Issue.record("a part without a range was taken")
            return
        }
        guard case .wrong = judge(head(206, ["Content-Range": "bytes 100-199/1000", "Content-Length": "101"])) else {
            Issue.record("a wrong length was taken")
            return
        }
    }

    @Test func anotherTagOrTotalIsAnotherContent() {
        #expect(
            judge(head(206, ["Content-Range": "bytes 100-199/1000", "ETag": "\"b\""]))
                == .changed(total: 1000, Validator(entityTag: "\"b\"", lastModified: nil, date: nil)))
        #expect(judge(head(206, ["Content-Range": "bytes 100-199/999"])) == .changed(total: 999, .none))
        #expect(judge(head(416, ["Content-Range": "bytes */50"])) == .changed(total: 50, .none))
        #expect(judge(head(416, ["Content-Range": "bytes */1000"])) == .pastEnd(total: 1000))
        #expect(judge(head(200, ["Content-Length": "1000", "ETag": "\"a\""])) == .whole)
        // Nothing of the earlier facts: it may be any content of that length.
        #expect(judge(head(200, ["Content-Length": "1000"])) == .changed(total: 1000, .none))
        guard case .changed = judge(head(200, ["Content-Length": "1000", "ETag": "\"b\""])) else {
            Issue.record("new content taken for missing ranges")
            return
        }
    }

    @Test func codingsAreRefused() {
        #expect(
            judge(head(206, ["Content-Range": "bytes 100-199/1000", "Content-Encoding": "gzip"])) == .coded("gzip"))
        #expect(judge(head(200, ["Content-Encoding": "br"])) == .coded("br"))
        #expect(
            judge(head(200, ["Content-Encoding": "identity", "Content-Length": "1000", "ETag": "\"a\""])) == .whole)
    }

    @Test func aPoolsTagsAreLeftOutWhereTimeAndLengthProveTheContent() {
        let time = "Sun, 06 Nov 1994 08:49:37 GMT"
        var known = KnownContent(
            total: 1000,
            validator: Validator(entityTag: "\"a\"", lastModified: time, date: "Sun, 06 Nov 1994 08:59:37 GMT"))
        let answer = head(206, ["Content-Range": "bytes 100-199/1000", "ETag": "\"b\"", "Last-Modified": time])
        #expect(known.judge(answer, asked: 100..<200) == .part(100..<200))
        #expect(known.requestValidator == nil)
        var young = KnownContent(
            total: 1000, validator: Validator(entityTag: "\"a\"", lastModified: time, date: time))
        guard case .changed = young.judge(answer, asked: 100..<200) else {
            Issue.record("what may have changed within the second was taken")
            return
        }
    }

    @Test func statusesAreHandedOn() {
        #expect(judge(head(503, ["Retry-After": "7"])) == .status(503, retryAfter: 7))
        #expect(judge(head(404, [:])) == .status(404, retryAfter: nil))
    }
}
