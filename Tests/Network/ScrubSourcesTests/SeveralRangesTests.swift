import ScrubSourcesLogic
import ScrubHTTPTransport
import ScrubMediaCache
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubSources

/// Requests of several ranges to servers that answer them in every way: the bytes that are read are right, and nothing
/// is lost.
@Suite("Several ranges in one request", .timeLimit(.minutes(10)))
struct SeveralRangesTests {
    private static let total: Int64 = 12_000_000
    /// As the heads of fragments.
    private static let heads = spaced(40, from: 20_000, every: 290_000, of: 2500)
    /// As a group with unneeded pictures.
    private static let group = spaced(100, from: 1_000_000, every: 85_000, of: 80_000)

    private static func spaced(_ count: Int64, from start: Int64, every step: Int64, of size: Int64) -> [Range<Int64>] {
        (0..<count).map { number -> Range<Int64> in
            let place = start + number * step
            return place..<place + size
        }
    }

    /// An answer to several ranges that is changed, and whether it may be asked for again.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var isRefusal = true
        let change: @Sendable (inout FaultAnswer, [Range<Int64>]) -> Void

        init(
            _ name: String, isRefusal: Bool = true,
            _ change: @escaping @Sendable (inout FaultAnswer, [Range<Int64>]) -> Void
        ) {
            (testDescription, self.isRefusal, self.change) = (name, isRefusal, change)
        }

        private static func literal(_ text: String) -> FaultAnswer.Part { .literal(Array(text.utf8)) }

        static let all: [Case] = [
            Case("nothing", isRefusal: false) { _, _ in },
            Case("quoted boundary", isRefusal: false) { answer, _ in
                answer.set("Content-Type", "multipart/byteranges; x=y; boundary=\"scrub-fault-part\"")
            },
            Case("out of order", isRefusal: false) { $0.makeMultipart($1.reversed()) },
            Case("chunked", isRefusal: false) { answer, _ in answer.isChunked = true },
            Case("overlapping", isRefusal: false) { answer, ranges in
                answer.makeMultipart(ranges.flatMap { [$0.lowerBound..<$0.lowerBound + 100, $0] })
            },
            Case("joined") { answer, ranges in
                answer.makeMultipart([ranges[0].lowerBound..<ranges[1].upperBound] + ranges.dropFirst(2))
            },
            Case("fewer") { $0.makeMultipart(Array($1.prefix(3))) },
            Case("one, as parts") { $0.makeMultipart([$1[1]]) },
            Case("one range") { $0.makePart($1[1]) },
            Case("the whole") { answer, _ in answer.makeWhole() },
            Case("416") { answer, _ in
                answer.status = 416
                answer.body = []
                answer.set("Content-Range", "bytes */\(answer.content.byteCount)")
            },
            Case("403") { answer, _ in answer = .text(403, "no", content: answer.content) },
            Case("500") { answer, _ in answer = .text(500, "no", content: answer.content) },
            Case("coded") { answer, _ in answer.set("Content-Encoding", "gzip") },
            Case("wrong boundary") { answer, _ in
                answer.set("Content-Type", "multipart/byteranges; boundary=other")
            },
            Case("no boundary") { answer, _ in answer.set("Content-Type", "multipart/byteranges") },
            Case("no last boundary", isRefusal: false) { answer, _ in _ = answer.body.popLast() },
            Case("extra bytes behind a part") { answer, _ in answer.body.insert(literal("xyz"), at: 2) },
            Case("extra bytes at the end") { answer, _ in
                answer.body.append(literal(String(repeating: "x", count: 3000)))
            },
            Case("another range") { answer, ranges in
                answer.makeMultipart([ranges[0], ranges[1].lowerBound - 7..<ranges[1].upperBound])
            },
            Case("huge part head") { answer, _ in
                answer.body.insert(
                    literal("\r\n--scrub-fault-part\r\nX: " + String(repeating: "x", count: 9000)), at: 2)
            },
            Case("another total") { answer, ranges in
                let words = "\r\n--scrub-fault-part\r\nContent-Range: bytes \(ranges[0].text)/99\r\n\r\n"
                answer.body[0] = literal(words)
            },
            Case("another tag in a part") { answer, ranges in
                let words =
                    "\r\n--scrub-fault-part\r\nContent-Range: bytes \(ranges[0].text)/\(answer.content.byteCount)\r\n"
                answer.body[0] = literal(words + "ETag: \"other\"\r\n\r\n")
            },
            Case("a part that says it is longer") { answer, ranges in
                let longer = ranges[0].lowerBound..<ranges[0].upperBound + 1
                let words =
                    "\r\n--scrub-fault-part\r\nContent-Range: bytes \(longer.text)/\(answer.content.byteCount)\r\n\r\n"
                answer.body[0] = literal(words)
            },
            Case("a part that says it is shorter") { answer, ranges in
                let shorter = ranges[0].lowerBound..<ranges[0].upperBound - 1
                let words =
                    "\r\n--scrub-fault-part\r\nContent-Range: bytes \(shorter.text)/\(answer.content.byteCount)\r\n\r\n"
                answer.body[0] = literal(words)
            },
            Case("too long") { answer, _ in answer.contentLengths = ["\(1 << 40)"] },
            Case("cut inside a part") { answer, _ in
                answer.contentLengths = ["\(answer.bodyByteCount)"]
                answer.events.append((.inBody(9000), .close))
            },
            Case("reset inside a part") { answer, _ in answer.events.append((.inBody(9000), .reset)) },
            Case("reset in a part's head") { answer, _ in answer.events.append((.inBody(20), .reset)) },
            Case("in drops", isRefusal: false) { answer, _ in
                answer.events.append((.inBody(0), .drip(bytes: 977, milliseconds: 0)))
            },
        ]
    }

    @Test(arguments: Case.all, [heads, group])
    func isRightWhateverIsAnswered(_ kind: Case, _ ranges: [Range<Int64>]) throws {
        let content = FaultContent(FakeContent.bytes(count: Int(Self.total), salt: 9))
        let server = try FaultServer()
        server.serve(content, as: "film.mp4")
        server.fail(
            "film.mp4",
            Fault(kind.testDescription) { answer, request in
                guard let asked = request.ranges(in: Self.total), asked.count > 1 else { return }
                kind.change(&answer, asked)
            }, on: .always)
        let folder = try TemporaryFolder()
        let client = try HTTPClient(options: NetworkOptions().clientOptions(environment: [:]))
        var options = NetworkOptions()
        options.readTimeout = .seconds(120)
        for place in 0..<2 {
            let cache = try MediaCache(path: folder.path, limits: MediaCacheLimits(freeSpaceFloor: 0))
            let file = try RemoteFile.open(server.url("film.mp4"), options: options, cache: cache, client: client)
            for half in [ranges.prefix(ranges.count / 2), ranges.suffix(ranges.count / 2)] {
                file.prefetch(Array(half))
                for range in half {
                    let bytes = try file.read(at: range.lowerBound, count: range.count)
                    #expect(areSame(bytes, content.read(range)[...]), "\(range)")
                }
            }
            file.close()
            cache.flush()
            let several = server.log.count { ($0.request.ranges(in: Self.total)?.count ?? 0) > 1 }
            if place == 0 {
                #expect(several > 0)
                // A lost connection is not a refusal until the second time.
                if kind.isRefusal { #expect(several <= 2, "\(several)") }
            } else {
                // All of it was kept, and is right.
                #expect(server.log.isEmpty, "\(server.log.count)")
            }
            let report = cache.verify()
            #expect(report.problems.isEmpty)
            server.clearLog()
        }
    }

    /// Parts of another content are an error, and nothing of them is taken.
    @Test func changedContentIsAnError() throws {
        let content = FaultContent(FakeContent.bytes(count: Int(Self.total), salt: 9))
        let server = try FaultServer()
        server.serve(content, as: "film.mp4")
        server.fail(
            "film.mp4",
            Fault("changed") { answer, request in
                if (request.ranges(in: Self.total)?.count ?? 0) > 1 { answer.set("ETag", "\"other\"") }
            }, on: .always)
        let client = try HTTPClient(options: NetworkOptions().clientOptions(environment: [:]))
        let file = try RemoteFile.open(
            server.url("film.mp4"), options: NetworkOptions(), cache: nil, client: client)
        file.prefetch(Self.heads)
        for head in Self.heads {
            #expect(throws: ScrubError.self) { try file.read(at: head.lowerBound, count: head.count) }
            #expect(file.availableByteCount(from: head.lowerBound) == 0)
        }
        file.close()
    }

    /// Every kind of trouble that passes, at random, over an origin without sockets.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func whateverIsReadIsRight(seed: UInt64) throws {
        let content = FakeContent(count: Int(Self.total))
        let chance = Locked(SplitMix(seed))
        let hasSeveral = Locked(0)
        let fixture = try RemoteFixture { asked in
            var answer = content.answer(asked)
            guard let several = asked.several else { return answer }
            hasSeveral.withLock { $0 += 1 }
            return chance.withLock { random in
                switch Int.random(in: 0..<8, using: &random) {
                case 0: answer.body = answer.body.dropLast(Int.random(in: 0...answer.body.count, using: &random))
                case 1:
                    let after = Int.random(in: -1...answer.body.count, using: &random)
                    answer.failure = (after, .connectionLost(beforeFirstByte: false))
                case 2: answer = content.answer(several.ranges.shuffled(using: &random))
                case 3: answer = content.answer(several.ranges.filter { _ in random.isOne(in: 2) })
                case 4: answer = FakeClient.Answer(status: 503, fields: ["Retry-After": "0"])
                default: break
                }
                answer.fields["Content-Length"] = nil
                answer.fields["ETag"] = content.tag
                return answer
            }
        }
        let file = try fixture.open()
        var random = SplitMix(seed &+ 5)
        for _ in 0..<12 {
            let from = Int.random(in: 0..<30, using: &random)
            let ranges = (random.isOne(in: 2) ? Self.heads : Self.group).dropFirst(from)
            file.prefetch(Array(ranges))
            for range in ranges where random.isOne(in: 3) {
                let bytes = try file.read(at: range.lowerBound, count: range.count)
                #expect(
                    areSame(bytes, content.bytes[Int(range.lowerBound)..<Int(range.upperBound)]), "seed \(seed)")
            }
        }
        #expect(hasSeveral.withLock { $0 } > 0, "seed \(seed)")
    }
}
