import ScrubSourcesLogic
import ScrubTestSupport
import Testing

/// A body of several parts, written as the tests want it.
private struct MultipartBody {
    var boundary = "gap"
    var newline = "\r\n"
    var bytes: [UInt8] = []

    static func content(_ place: Int64) -> UInt8 { UInt8(truncatingIfNeeded: (place &* 2_654_435_761) >> 7) }

    mutating func text(_ text: String) { bytes += Array(text.utf8) }

    mutating func part(_ range: Range<Int64>, total: String = "100000", fields: String = "Content-Type: video/mp4") {
        text("\(newline)--\(boundary)\(newline)\(fields)\(newline)")
        text("Content-Range: bytes \(range.text)/\(total)\(newline)\(newline)")
        bytes += range.map(Self.content)
    }

    mutating func close(_ tail: String = "\r\n") { text("\(newline)--\(boundary)--\(tail)") }
}

@Suite struct MultipartRangesTests {
    private struct Outcome: Equatable {
        var step = MultipartRanges.Step.more
        var got = ByteRanges()
        var isClosed = false
        var isRight = true
    }

    /// Feeds a body in pieces of so many bytes.
    private func read(
        _ body: [UInt8], asked: [Range<Int64>], piece: Int = .max, boundary: String = "gap", tag: String? = nil
    ) -> Outcome {
        var parser = MultipartRanges(
            boundary: boundary, asked: ByteRanges(asked), total: 100_000, entityTag: tag)
        var outcome = Outcome()
        var place = 0
        while place < body.count, outcome.step == .more {
            let end = place + min(piece, body.count - place)
            outcome.step = body[place..<end].withUnsafeBytes { bytes in
                parser.take(bytes) { piece, start in
                    let right = piece.enumerated().allSatisfy {
                        $0.element == MultipartBody.content(start + Int64($0.offset))
                    }
                    outcome.isRight = outcome.isRight && right
                    outcome.got.insert(start..<start + Int64(piece.count))
                    return true
                }
            }
            place = end
        }
        parser.end()
        outcome.isClosed = parser.isClosed
        return outcome
    }

    @Test(
        arguments: [
            ("multipart/byteranges; boundary=abc", "abc"), ("Multipart/ByteRanges;BOUNDARY=\"a b;c\"", "a b;c"),
            ("multipart/byteranges; charset=x; boundary=\"a\\\"b\" ; x=y", "a\"b"),
            ("multipart/byteranges;; boundary=00000000000000000017 ", "00000000000000000017"),
            ("multipart/byteranges", nil), ("multipart/mixed; boundary=abc", nil),
            ("multipart/byteranges; boundary=", nil),
            ("multipart/byteranges; boundary=\"abc", nil), ("multipart/byteranges; boundary=a; boundary=b", nil),
            ("multipart/byteranges; boundary", nil), ("multipart/byteranges; boundary=\"ab \"", nil),
            ("multipart/byteranges; boundary=\(String(repeating: "x", count: 70))", String(repeating: "x", count: 70)),
            ("multipart/byteranges; boundary=\(String(repeating: "x", count: 71))", nil), ("", nil), ("video/mp4", nil),
        ] as [(String, String?)])
    func boundaries(_ type: String, _ boundary: String?) {
        #expect(MultipartBoundary.named(by: type) == boundary)
    }

    @Test(arguments: [1, 2, 3, 7, 64, 4096, .max])
    func anyPieces(_ piece: Int) {
        let asked: [Range<Int64>] = [10..<20, 500..<1500, 99_000..<100_000]
        var body = MultipartBody()
        for range in [asked[2], asked[0], asked[1]] { body.part(range) }
        body.close()
        let outcome = read(body.bytes, asked: asked, piece: piece)
        #expect(outcome == Outcome(got: ByteRanges(asked), isClosed: true))
        // Without a line's end behind the last boundary, and with bare line feeds.
        var bare = MultipartBody(newline: "\n")
        for range in asked { bare.part(range, total: "*") }
        bare.close("")
        #expect(read(bare.bytes, asked: asked, piece: piece) == Outcome(got: ByteRanges(asked), isClosed: true))
    }

    @Test func joinedOverlappingShorterAndFewer() {
        let asked: [Range<Int64>] = [10..<200, 300..<500, 900..<1000]
        var body = MultipartBody()
        body.part(10..<400)
        body.part(350..<450)
        body.close()
        let outcome = read(body.bytes, asked: asked)
        #expect(outcome == Outcome(got: [10..<450], isClosed: true))
        var cut = body.bytes
        cut.removeLast(200)
        #expect(!read(cut, asked: asked).isClosed)
        #expect(read(cut, asked: asked).step == .more)
    }

    @Test func mistakes() {
        let asked: [Range<Int64>] = [10..<200, 300..<500]
        func body(_ make: (inout MultipartBody) -> Void) -> [UInt8] {
            var body = MultipartBody()
            make(&body)
            return body.bytes
        }
        let cases: [(String, [UInt8])] = [
            ("another part", body { $0.part(600..<700) }),
            ("begins before", body { $0.part(5..<100) }),
            ("ends behind", body { $0.part(300..<501) }),
            ("another total", body { $0.part(10..<200, total: "100001") }),
            ("no range", body { $0.text("--gap\r\nContent-Type: x\r\n\r\nabc") }),
            ("no number", body { $0.text("--gap\r\nContent-Range: bytes x-y/z\r\n\r\nabc") }),
            ("unsatisfied", body { $0.text("--gap\r\nContent-Range: bytes */100000\r\n\r\nabc") }),
            ("two ranges", body { $0.part(10..<200, fields: "Content-Range: bytes 10-199/100000") }),
            ("coded", body { $0.part(10..<200, fields: "Content-Encoding: gzip") }),
            ("another tag", body { $0.part(10..<200, fields: "ETag: \"two\"") }),
            ("no field", body { $0.part(10..<200, fields: "no colon") }),
            ("huge line", body { $0.part(10..<200, fields: "X: " + String(repeating: "x", count: 2000)) }),
            (
                "huge head",
                body { $0.part(10..<200, fields: (0..<500).map { "X-\($0): 12345678" }.joined(separator: "\r\n")) }
            ),
            ("preamble", body { $0.text(String(repeating: "words\r\n", count: 1000)) }),
            (
                "one byte more",
                body {
                    $0.part(10..<200)
                    $0.text("x")
                    $0.close()
                }
            ),
            (
                "another boundary",
                body {
                    $0.part(10..<200)
                    $0.boundary = "other"
                    $0.part(300..<500)
                }
            ),
            (
                "no end of line",
                body {
                    $0.part(10..<200)
                    $0.text("\r\n\r\n")
                    $0.close()
                }
            ),
            (
                "epilogue",
                body {
                    $0.part(10..<200)
                    $0.close(String(repeating: "x", count: 5000))
                }
            ),
            ("too many parts", body { for _ in 0..<9 { $0.part(10..<11) } }),
        ]
        for (name, bytes) in cases {
            for piece in [1, 50, Int.max] {
                let outcome = read(bytes, asked: asked, piece: piece, tag: "\"one\"")
                #expect(outcome.step != .more, "\(name)")
                #expect(outcome.isRight, "\(name)")
                #expect(ByteRanges([10..<500]).contains(outcome.got.span ?? 10..<10), "\(name)")
            }
        }
    }

    @Test func partsBeyondTheRequestAreRefused() {
        let asked: [Range<Int64>] = [0..<10, 99_000..<99_010]
        var body = MultipartBody()
        body.part(0..<99_010)
        #expect(read(body.bytes, asked: asked).step != .more)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func damagedBodiesGiveNothingWrong(seed: UInt64) {
        var random = SplitMix(seed)
        var asked: [Range<Int64>] = []
        var place: Int64 = 0
        while place < 90_000, asked.count < 20 {
            let start = place + Int64.random(in: 1...5000, using: &random)
            let end = start + Int64.random(in: 1...3000, using: &random)
            asked.append(start..<end)
            place = end
        }
        var body = MultipartBody(boundary: random.isOne(in: 2) ? "0001" : "=_x'()+,-./:?")
        for range in asked.shuffled(using: &random) {
            let start = Int64.random(in: range.lowerBound..<range.upperBound, using: &random)
            body.part(random.isOne(in: 5) ? start..<range.upperBound : range)
        }
        body.close()
        var bytes = body.bytes
        let isWhole = random.isOne(in: 3)
        switch Int.random(in: 0..<3, using: &random) {
        case _ where isWhole: break
        case 0: bytes.removeSubrange(Int.random(in: 0..<bytes.count, using: &random)...)
        case 1: bytes.remove(at: Int.random(in: 0..<200, using: &random))
        default: bytes.insert(0x2D, at: Int.random(in: 0..<bytes.count, using: &random))
        }
        let outcome = read(
            bytes, asked: asked, piece: Int.random(in: 1...2000, using: &random), boundary: body.boundary)
        #expect(ByteRanges(asked).contains(outcome.got.span?.lowerBound ?? asked[0].lowerBound), "seed \(seed)")
        #expect(outcome.got.subtracting(ByteRanges(asked)).isEmpty, "seed \(seed)")
        if isWhole { #expect(outcome.isClosed && outcome.isRight && outcome.step == .more, "seed \(seed)") }
    }
}
