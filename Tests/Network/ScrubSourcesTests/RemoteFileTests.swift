import ScrubSourcesLogic
import Foundation
import ScrubHTTPTransport
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubSources

/// A remote file over a server without a network.
struct RemoteFixture {
    let url: RemoteURL
    let client: FakeClient
    var options = NetworkOptions()

    init(_ respond: @escaping @Sendable (FakeClient.Asked) -> FakeClient.Answer) throws {
        url = try RemoteURL("http://user:secret@host/film.mp4?signature=secret")
        client = try FakeClient(url, respond: respond)
        options.readTimeout = .seconds(120)
    }

    init(_ content: FakeContent) throws { try self.init { content.answer($0) } }

    func open() throws(ScrubError) -> RemoteFile {
        try RemoteFile(url, options: options, cache: nil, client: client, seed: 1)
    }
}

@Suite("Files on the network")
struct RemoteFileTests {
    private func error(_ body: () throws -> Void) -> ScrubError? {
        do {
            try body()
            return nil
        } catch {
            return error as? ScrubError
        }
    }

    @Test func openingCostsOneRequestAndItsBytesAreUsed() throws {
        let content = FakeContent(count: 1_000_000)
        let fixture = try RemoteFixture(content)
        let file = try fixture.open()
        #expect(file.byteCount == 1_000_000)
        #expect(try file.read(at: 0, count: 12288) == Array(content.bytes[..<12288]))
        #expect(fixture.client.asked.map(\.range) == [0..<12288])
        #expect(file.cost.requestCount == 1)
        #expect(file.cost.fetchedByteCount == 12288)
        #expect(file.contentIdentifier != nil)
        #expect(file.contentIdentifier?.contains("secret@") == false)
    }

    @Test func smallAndEmptyFiles() throws {
        for count in [1, 12287, 12288, 12289, 65535, 65536, 65537] {
            let content = FakeContent(count: count)
            let file = try RemoteFixture(content).open()
            #expect(try file.read(at: 0, count: count) == content.bytes)
            var byte: UInt8 = 0
            let behind = try withUnsafeMutableBytes(of: &byte) {
                try file.read(fromAbsoluteOffset: Int64(count), into: $0)
            }
            #expect(behind == 0)
        }
        let empty = try RemoteFixture { _ in FakeClient.Answer(status: 416, fields: ["Content-Range": "bytes */0"]) }
            .open()
        #expect(empty.byteCount == 0)
        let none = try RemoteFixture { _ in FakeClient.Answer(status: 200, fields: ["Content-Length": "0"]) }.open()
        #expect(none.byteCount == 0)
    }

    @Test func announcedBytesComeInFewRequests() throws {
        let content = FakeContent(count: 5_000_000)
        let fixture = try RemoteFixture(content)
        let file = try fixture.open()
        let packets = (0..<40).map { number -> Range<Int64> in
            let start = Int64(1_000_000 + number * 20_000)
            return start..<start + 18_000
        }
        file.prefetch(packets)
        for packet in packets {
            #expect(
                try file.read(at: packet.lowerBound, count: packet.count)
                    == Array(content.bytes[Int(packet.lowerBound)..<Int(packet.upperBound)]))
        }
        #expect(fixture.client.asked.count <= 3)
        #expect(file.cost.fetchedByteCount == 12288 + 798_000)
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func whateverIsReadIsRight(seed: UInt64) throws {
        // Every kind of trouble that passes, at random.
        let content = FakeContent(count: 3_000_000)
        let chance = Locked(SplitMix(seed))
        var fixture = try RemoteFixture { asked in
            var answer = content.answer(asked)
            guard asked.number > 0 else { return answer }
            return chance.withLock { random in
                switch Int.random(in: 0..<12, using: &random) {
                case 0:
                    answer.failure = (
                        Int.random(in: -1...200_000, using: &random), .connectionLost(beforeFirstByte: false)
                    )
                case 1: answer = FakeClient.Answer(status: 503, fields: ["Retry-After": "0"])
                case 2 where !answer.body.isEmpty && answer.status == 206:
                    // A shorter part, which is legal.
                    let range = (asked.range ?? 0..<0).clamped(to: 0..<3_000_000)
                    let end = Int64.random(in: range.lowerBound + 1...range.upperBound, using: &random)
                    answer = content.answer(
                        FakeClient.Asked(range: range.lowerBound..<end, ifRange: asked.ifRange, number: 1))
                case 3 where asked.number % 5 == 0: answer.failure = (100, .timedOut)
                default: break
                }
                return answer
            }
        }
        fixture.options.memoryByteLimit = 4 << 20
        let file = try fixture.open()
        var random = SplitMix(seed &+ 77)
        for _ in 0..<60 {
            let start = Int64.random(in: 0..<3_000_000, using: &random)
            let range = start..<min(3_000_000, start + Int64.random(in: 1...120_000, using: &random))
            if random.isOne(in: 3) {
                let more = Int64.random(in: 0..<2_900_000, using: &random)
                file.prefetch([range, more..<more + 50_000])
            }
            do {
                let bytes = try file.read(at: range.lowerBound, count: range.count)
                #expect(bytes == Array(content.bytes[Int(range.lowerBound)..<Int(range.upperBound)]), "seed \(seed)")
            } catch {
                // Four bad tries in a row are possible; a wrong byte is not.
                #expect(error.code == .inputOutput, "seed \(seed): \(error)")
            }
        }
    }

    @Test func withoutRangesTheBodyIsReadInOrder() throws {
        var content = FakeContent(count: 2_000_000)
        content.answersRanges = false
        let fixture = try RemoteFixture(content)
        let file = try fixture.open()
        #expect(try file.read(at: 1_900_000, count: 1000) == Array(content.bytes[1_900_000..<1_901_000]))
        #expect(try file.read(at: 5, count: 1000) == Array(content.bytes[5..<1005]))
        #expect(!file.answersRanges)
        #expect(fixture.client.asked.count == 1)
    }

    @Test func withoutRangesAndWithoutRoomItSaysSo() throws {
        var content = FakeContent(count: 5 << 20)
        content.answersRanges = false
        var fixture = try RemoteFixture(content)
        fixture.options.memoryByteLimit = 4 << 20
        let error = error { _ = try fixture.open() }
        #expect(error?.code == .unavailable)
        #expect(error?.description.contains("support ranges") == true)
    }

    @Test func bodiesOfUnknownLengthAreReadToTheirEnd() throws {
        let content = FakeContent(count: 700_000)
        let whole = try RemoteFixture { asked in
            var answer = content.answer(FakeClient.Asked(range: nil, ifRange: nil, number: 0))
            answer.fields["Content-Length"] = nil
            return answer
        }
        let file = try whole.open()
        #expect(file.byteCount == 700_000)
        #expect(try file.read(at: 0, count: 700_000) == content.bytes)
    }

    @Test func totalsThatAreNotSaidAreAskedFor() throws {
        let content = FakeContent(count: 700_000)
        let fixture = try RemoteFixture { asked in
            var answer = content.answer(asked)
            if let range = asked.range {
                answer.fields["Content-Range"] = "bytes \(range.clamped(to: 0..<700_000).text)/*"
            }
            return answer
        }
        let file = try fixture.open()
        #expect(file.byteCount == 700_000)
        #expect(try file.read(at: 600_000, count: 100_000) == Array(content.bytes[600_000...]))
        #expect(try file.read(at: 0, count: 65536) == Array(content.bytes[..<65536]))
        #expect(file.answersRanges)
        #expect(file.cost.fetchedByteCount < 400_000)
    }

    @Test func changedContentIsAnErrorAndNothingIsMixed() throws {
        let old = FakeContent(count: 1_000_000)
        var new = FakeContent(count: 1_000_000, salt: 99)
        new.tag = "\"two\""
        let isNew = Locked(false)
        let fixture = try RemoteFixture { [new] asked in isNew.withLock { $0 } ? new.answer(asked) : old.answer(asked) }
        let file = try fixture.open()
        #expect(try file.read(at: 0, count: 100) == Array(old.bytes[..<100]))
        isNew.withLock { $0 = true }
        let error = error { _ = try file.read(at: 500_000, count: 10) }
        #expect(error?.code == .badData)
        #expect(error?.cause.contains("changed") == true)
        // The bytes in memory are of one version, and stay readable.
        #expect(try file.read(at: 0, count: 100) == Array(old.bytes[..<100]))
        #expect(try fixture.open().read(at: 500_000, count: 10) == Array(new.bytes[500_000..<500_010]))
    }

    @Test func errorsHaveCodesAndNoSecrets() throws {
        let expected: [(Int, ScrubError.Code)] = [
            (401, .noInput), (403, .noInput), (404, .noInput), (410, .noInput), (416, .badData), (418, .inputOutput),
        ]
        for (status, code) in expected {
            let fixture = try RemoteFixture { _ in FakeClient.Answer(status: status) }
            let error = error { _ = try fixture.open() }
            #expect(error?.code == code, "\(status)")
            #expect(error?.description.contains("secret") == false)
            #expect(error?.file == "http://host/film.mp4?\u{2026}")
            #expect(fixture.client.asked.count == 1)
        }
        let failures: [(HTTPFailure, ScrubError.Code)] = [
            (.refused, .noInput), (.forbiddenAddress(AddressRefusal("no", remedy: "allow it")), .unavailable),
            (.tls("wrong name"), .inputOutput),
            (.badResponse("no"), .inputOutput),
        ]
        for (failure, code) in failures {
            let fixture = try RemoteFixture { _ in FakeClient.Answer(failure: (-1, failure)) }
            #expect(error { _ = try fixture.open() }?.code == code)
            #expect(fixture.client.asked.count == 1)
        }
        let coded = try RemoteFixture { asked in
            var answer = FakeContent(count: 1000).answer(asked)
            answer.fields["Content-Encoding"] = "gzip"
            return answer
        }
        #expect(error { _ = try coded.open() }?.code == .badData)
    }

    @Test func temporaryFailuresAreTriedThreeTimesMore() throws {
        let fixture = try RemoteFixture { _ in FakeClient.Answer(status: 503) }
        let error = error { _ = try fixture.open() }
        #expect(error?.code == .inputOutput)
        #expect(fixture.client.asked.count == 4)
    }

    @Test func falseContentRangesAreErrors() throws {
        let content = FakeContent(count: 1_000_000)
        for lie in ["bytes 500001-600000/1000000", "bytes 500000-600000/999999", "bytes 0-99/1000000", "nonsense", ""] {
            let fixture = try RemoteFixture { asked in
                var answer = content.answer(asked)
                if asked.number > 0 { answer.fields["Content-Range"] = lie.isEmpty ? nil : lie }
                return answer
            }
            let file = try fixture.open()
            #expect(error { _ = try file.read(at: 500_000, count: 10) } != nil, "\(lie)")
        }
    }

    @Test func anUnansweredReadTimesOut() throws {
        let content = FakeContent(count: 1_000_000)
        var fixture = try RemoteFixture { asked in
            asked.range?.lowerBound == 0 ? content.answer(asked) : FakeClient.Answer(isSilent: true)
        }
        fixture.options.readTimeout = .milliseconds(40)
        // A busy machine may take longer than that for the opening too.
        var opened: RemoteFile?
        while opened == nil { opened = try? fixture.open() }
        let file = try #require(opened)
        let error = error { _ = try file.read(at: 500_000, count: 10) }
        #expect(error?.code == .inputOutput)
        #expect(error?.place?.description == "byte 500000")
    }

    @Test func cancellingLetsEveryReaderGo() throws {
        let content = FakeContent(count: 1_000_000)
        let fixture = try RemoteFixture { asked in
            asked.number == 0 ? content.answer(asked) : FakeClient.Answer(isSilent: true)
        }
        let file = try fixture.open()
        let failed = Locked(0)
        let threads = try (0..<4).map { index in
            try DedicatedThread {
                do { _ = try file.read(at: Int64(200_000 * (index + 1)), count: 10) } catch {
                    failed.withLock { $0 += 1 }
                }
            }
        }
        while fixture.client.asked.count < 4 { Thread.sleep(forTimeInterval: 0.001) }
        file.cancel()
        for thread in threads { thread.join() }
        #expect(failed.withLock { $0 } == 4)
        #expect(error { _ = try file.read(at: 0, count: 10) } != nil)
    }

    @Test func severalThreadsReadAtOnce() throws {
        let content = FakeContent(count: 4_000_000)
        let fixture = try RemoteFixture(content)
        let file = try fixture.open()
        let wrong = Locked(0)
        let threads = try (0..<8).map { index in
            try DedicatedThread {
                var random = SplitMix(UInt64(index))
                for _ in 0..<40 {
                    let start = Int64.random(in: 0..<3_900_000, using: &random)
                    let bytes = try? file.read(at: start, count: 30_000)
                    if bytes != Array(content.bytes[Int(start)..<Int(start) + 30_000]) { wrong.withLock { $0 += 1 } }
                    if random.isOne(in: 4) { file.prefetch([start..<start + 90_000]) }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrong.withLock { $0 } == 0)
    }
}
