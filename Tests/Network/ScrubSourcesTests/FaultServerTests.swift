import Foundation
import ScrubTestSupport
import Testing

/// The server of all other tests: by itself it is right, and its faults are those that it was told.
@Suite struct FaultServerTests {
    private static let film = (0..<100_000).map { FaultContent.madeByte($0, seed: 1) }

    @Test(arguments: [FaultServer.Family.ipv4, .ipv6, .otherLoopback(9)])
    func rangesAndKeepAlive(_ family: FaultServer.Family) throws {
        let server = try FaultServer(family)
        server.serve(Self.film, as: "film.mp4")
        let client = try RawClient(server)
        let whole = try client.get("film.mp4")
        #expect(whole.status == 200 && whole.body == Self.film)
        let part = try client.get("film.mp4", ["Range: bytes=10-19"])
        #expect(part.status == 206 && part.body == Array(Self.film[10..<20]))
        #expect(part.fields["content-range"] == "bytes 10-19/100000")
        let tag = try #require(part.fields["etag"])
        #expect(try client.get("film.mp4", ["Range: bytes=-5"]).body == Array(Self.film.suffix(5)))
        #expect(try client.get("film.mp4", ["Range: bytes=99990-"]).body == Array(Self.film[99_990...]))
        #expect(try client.get("film.mp4", ["Range: bytes=99990-200000"]).body == Array(Self.film[99_990...]))
        let behind = try client.get("film.mp4", ["Range: bytes=100000-"])
        #expect(behind.status == 416 && behind.fields["content-range"] == "bytes */100000")
        let several = try client.get("film.mp4", ["Range: bytes=0-1, 5-6"])
        #expect(several.status == 206 && several.fields["content-type"]?.hasPrefix("multipart/byteranges") == true)
        #expect(try client.get("film.mp4", ["Range: bytes=0-1", "If-Range: \(tag)"]).status == 206)
        #expect(try client.get("film.mp4", ["Range: bytes=0-1", "If-Range: \"other\""]).status == 200)
        #expect(try client.get("film.mp4", ["Range: bytes=0-1", "If-Range: W/\(tag)"]).status == 200)
        #expect(try client.get("nothing").status == 404)
        #expect(server.waitUntilIdle())
        #expect(server.connectionCount == 1)
        let log = server.log
        #expect(log[1].contentRanges == [10..<20] && log[1].isWhole && log[1].range == "bytes=10-19")
        #expect(log.of("film.mp4").distinctContentBytes == 100_000)
        #expect(log.contentBytes > 300_000 && log.bytesWritten > log.contentBytes)
    }

    @Test func faultsChangeWhatTheySay() throws {
        let server = try FaultServer()
        func answer(_ fault: Fault, _ lines: [String] = ["Range: bytes=10-19"]) throws -> RawClient.Answer {
            server.serve(Self.film, as: "film.mp4", etag: "\"one\"")
            server.heal("film.mp4")
            server.fail("film.mp4", fault)
            return try RawClient(server).get("film.mp4", lines)
        }
        #expect(try answer(.ignoredRange).body == Self.film)
        #expect(try answer(.shorterRange(to: 3)).fields["content-range"] == "bytes 10-12/100000")
        #expect(try answer(.longerRange(by: 3)).body == Array(Self.film[10..<23]))
        #expect(try answer(.shiftedRange(by: 3)).body == Array(Self.film[13..<23]))
        #expect(try answer(.lyingStart(by: 5)).fields["content-range"] == "bytes 15-24/100000")
        #expect(try answer(.lyingStart(by: 5)).body == Array(Self.film[10..<20]))
        #expect(try answer(.lyingTotal(nil)).fields["content-range"] == "bytes 10-19/*")
        #expect(try answer(.contentRange(nil)).fields["content-range"] == nil)
        #expect(try answer(.unaskedPart(0..<5), []).status == 206)
        #expect(try answer(.unsatisfiable(total: 7)).fields["content-range"] == "bytes */7")
        #expect(try answer(.weakETag).fields["etag"] == "W/\"one\"")
        #expect(try answer(.contentLength(offBy: 4)).isCut)
        #expect(try answer(.contentLength(offBy: -4)).body.count == 6)
        #expect(try answer(.noContentLength).body.count == 10)
        #expect(try answer(.chunked).body.count > 10)
        #expect(try answer(.close(.inBody(4))).body.count == 4)
        #expect(try answer(.reset(.inBody(4))).isCut)
        #expect(try answer(.reset(.beforeHead)).status == 0)
        #expect(try answer(.close(.inHead(20))).status == 0)
        #expect(
            try answer(.swapped(after: 5, FaultContent([UInt8](repeating: 0, count: 100_000)))).body
                == Array(Self.film[10..<15]) + [0, 0, 0, 0, 0])
        #expect(try answer(.status(503, retryAfter: "1")).fields["retry-after"] == "1")
        #expect(try answer(.authorization("Basic eA==")).status == 401)
        #expect(try answer(.authorization("Basic eA=="), ["Authorization: Basic eA=="]).status == 200)
        #expect(try answer(.hugeHeader(1 << 20)).headByteCount > 1 << 20)
        #expect(try answer(.manyHeaders(500)).fields.count > 500)
        #expect(try answer(.drip(.inBody(2), milliseconds: 1)).body.count == 10)
        #expect(try answer(.redirect(to: "file:///etc/passwd")).fields["location"] == "file:///etc/passwd")
    }

    @Test func stallsEndOnDemandOrWhenTheClientLeaves() throws {
        let server = try FaultServer()
        server.serve(Self.film, as: "film.mp4")
        for place in [FaultAnswer.Place.beforeHead, .inHead(5), .beforeBody, .inBody(7)] {
            let gate = StallGate()
            server.heal("film.mp4")
            server.fail("film.mp4", .stall(place, gate))
            let client = try RawClient(server)
            let waiting = Guard()
            Thread.detachNewThread {
                waiting.set((try? client.get("film.mp4", ["Range: bytes=0-9"]).body.count) ?? -1)
            }
            #expect(gate.waitForArrivals())
            #expect(server.log.last?.isOver == false)
            gate.release()
            #expect(waiting.value() == 10)
        }
        let gate = StallGate()
        server.heal("film.mp4")
        server.fail("film.mp4", .stall(.inBody(7), gate))
        var leaving: RawClient? = try RawClient(server)
        try leaving?.send("film.mp4")
        #expect(gate.waitForArrivals())
        leaving = nil
        #expect(server.waitUntilIdle())
        #expect(server.log.last?.contentBytes == 7)
    }

    @Test func generationsAndOccasions() throws {
        let server = try FaultServer()
        server.serve([1, 2, 3], as: "a")
        let client = try RawClient(server)
        let first = try client.get("a")
        server.serve([4, 5], as: "a")
        let second = try client.get("a")
        #expect(second.body == [4, 5] && first.fields["etag"] != second.fields["etag"])
        #expect(first.fields["last-modified"] != second.fields["last-modified"])
        #expect(server.waitUntilIdle())
        #expect(server.log.distinctContentBytes == 5)
        server.clearLog()
        server.fail("a", .status(503), on: .every(2))
        #expect(try [0, 1, 2, 3].map { _ in try client.get("a").status } == [503, 200, 503, 200])
        server.heal("a")
        let chain = server.redirectChain("go", count: 3, to: "a")
        #expect(try client.get(chain).fields["location"] == "/go-1")
        #expect(try client.get("go-2").fields["location"] == "/a")
        server.stop()
        #expect(throws: (any Error).self) { try RawClient(server).get("a") }
    }
}
