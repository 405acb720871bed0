import ScrubBatchLogic
import Testing

/// Answers to collectors: by the bytes of a request, however they came.
@Suite struct MetricsAnswerTests {
    private func status(_ request: String) -> String? {
        MetricsAnswer.answer(to: Array(request.utf8)) { "scrub 1\n" }
            .map { String(decoding: $0.dropFirst(9).prefix(3), as: UTF8.self) }
    }

    @Test(arguments: [
        ("GET /metrics HTTP/1.1\r\nHost: x", "200"), ("GET /metrics?x=1 HTTP/1.0", "200"),
        ("HEAD /metrics HTTP/1.1", "200"),
        ("GET / HTTP/1.1", "404"), ("POST /metrics HTTP/1.1", "405"), ("rubbish", "400"),
        ("GET /metrics HTTP/1.1\r\nContent-Length: 5", "413"), ("GET /metrics HTTP/1.1\r\nContent-Length: 0", "200"),
    ])
    func heads(_ head: String, _ expected: String) {
        #expect(status(head + "\r\n\r\n") == expected)
        #expect(status(head + "\r\n") == nil)
    }

    /// A long head is refused when it came in one piece too, and one of the most bytes is not.
    @Test func lengths() {
        let begin = "GET /metrics HTTP/1.1\r\nX: "
        for (count, expected) in [(-1, "200"), (0, "200"), (1, "431"), (4000, "431")] {
            let filling = String(repeating: "0", count: MetricsAnswer.requestLimit - begin.utf8.count - 4 + count)
            #expect(status(begin + filling + "\r\n\r\n") == expected, "\(count)")
        }
        #expect(status(String(repeating: "0", count: MetricsAnswer.requestLimit)) == "431")
        #expect(status(String(repeating: "0", count: MetricsAnswer.requestLimit - 1)) == nil)
        // Bytes that are not UTF-8 count once.
        let bytes = Array(begin.utf8) + [UInt8](repeating: 0xFF, count: 8000) + Array("\r\n\r\n".utf8)
        #expect(MetricsAnswer.answer(to: bytes) { "" }?.starts(with: Array("HTTP/1.1 200".utf8)) == true)
    }
}
