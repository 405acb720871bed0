import CScrubCurl
import ScrubSourcesLogic
import Foundation
import ScrubHTTPTransport
import ScrubTestSupport
import Testing

@Suite struct HTTPClientTests {
    private static let content = madeOnce(300_000, seed: 3)

    @Test func wholeAndRange() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "film.mp4")
        let client = try testClient()
        let whole = try client.get(server.url("film.mp4"))
        #expect(whole.succeeded)
        #expect(whole.head?.status == 200 && whole.head?.total == 300_000)
        #expect(whole.bytes == Self.content.read(0..<300_000))
        let part = try client.get(server.url("film.mp4"), 1000..<2000)
        #expect(part.succeeded)
        #expect(part.head?.status == 206 && part.head?.contentRange?.range == 1000..<2000)
        #expect(part.bytes == Self.content.read(1000..<2000))
        let request = try #require(server.log.last).request
        #expect(request.value("Range") == "bytes=1000-1999")
        #expect(request.value("Accept-Encoding") == "identity")
        #expect(request.value("User-Agent") == "scrub-tests")
        #expect(request.value("If-Range") == nil)
        #expect(server.connectionCount == 1)
    }

    @Test func measurements() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        let client = try testClient()
        var measured: [HTTPMeasurements] = []
        for _ in 0..<2 {
            let collector = Collector()
            let transfer = client.start(HTTPRequest(url: try RemoteURL(server.url("a"))), collector)
            #expect(collector.succeeded)
            #expect(transfer.byteCount == 300_000)
            measured.append(transfer.measurements)
        }
        #expect(measured.map(\.byteCount) == [300_000, 300_000])
        #expect(measured.map(\.requestCount) == [1, 1])
        #expect(measured.map(\.reusedConnection) == [false, true])
        #expect(measured.map { $0.connect != nil } == [true, false])
        #expect(measured.allSatisfy { $0.firstByte != nil && $0.total != nil })
    }

    @Test func ifRangeOnlyWhereStrong() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a", etag: "\"one\"")
        let client = try testClient()
        func ask(_ validator: Validator) throws -> (Collector, String?) {
            let collector = Collector()
            client.start(
                HTTPRequest(url: try RemoteURL(server.url("a")), range: 0..<10, validator: validator), collector)
            collector.wait()
            return (collector, server.log.last?.request.value("If-Range"))
        }
        let (same, sent) = try ask(Validator(entityTag: "\"one\"", lastModified: nil, date: nil))
        #expect(same.head?.status == 206 && sent == "\"one\"")
        let (changed, _) = try ask(Validator(entityTag: "\"two\"", lastModified: nil, date: nil))
        #expect(changed.head?.status == 200)
        let (weak, notSent) = try ask(Validator(entityTag: "W/\"one\"", lastModified: nil, date: nil))
        #expect(weak.head?.status == 206 && notSent == nil)
    }

    @Test func statusesAreHandedOn() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        let client = try testClient()
        #expect(try client.get(server.url("nothing")).head?.status == 404)
        let beyond = try client.get(server.url("a"), 400_000..<400_010)
        #expect(beyond.succeeded && beyond.head?.status == 416 && beyond.head?.total == 300_000)
        server.fail("a", .status(503, retryAfter: "3"))
        let busy = try client.get(server.url("a"))
        #expect(busy.head?.status == 503 && busy.head?.retryAfter == 3)
        #expect(server.connectionCount == 1)
    }

    @Test func aStoppedServerIsAnError() throws {
        let server = try FaultServer()
        let url = server.url("a")
        server.stop()
        let client = try testClient()
        #expect(try client.get(url).failure == .refused)
        #expect(try client.get("http://nothing.invalid/a").failure == .unknownHost)
    }

    @Test func version6() throws {
        guard let server = try? FaultServer(.ipv6) else { return }
        server.serve(Self.content, as: "a")
        let answer = try testClient().get(server.url("a"), 5..<10)
        #expect(answer.bytes == Self.content.read(5..<10))
        #expect(server.log.first?.request.value("Host") == "[::1]:\(server.port)")
    }

    @Test func fieldsOfTheCaller() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        let client = try testClient()
        _ = try client.get(
            server.url("a"), headers: [("Authorization", "Bearer x"), ("X-Empty", ""), ("User-Agent", "mine")])
        let request = try #require(server.log.last).request
        #expect(request.value("Authorization") == "Bearer x")
        #expect(request.value("X-Empty") == "")
        #expect(request.value("User-Agent") == "mine")
        // Name and password of the address, unless the caller has something better.
        let address = server.url("a").replacing("http://", with: "http://us%40er:p%3Aw@")
        _ = try client.get(address)
        #expect(
            server.log.last?.request.value("Authorization") == "Basic " + Data("us@er:p:w".utf8).base64EncodedString())
        _ = try client.get(address, headers: [("authorization", "Bearer y")])
        #expect(server.log.last?.request.value("Authorization") == "Bearer y")
        let count = server.log.count
        for (name, value) in [
            ("X", "a\r\nHost: b"), ("X", "a\0b"), ("X\r\nY", "a"), ("", "a"), ("X:", "a"), ("Range", "bytes=0-1"),
            ("host", "elsewhere"), ("Transfer-Encoding", "chunked"), ("X Y", "a"), ("Ü", "a"),
        ] {
            let failure = try client.get(server.url("a"), headers: [(name, value)]).failure
            guard case .other? = failure else {
                Issue.record("\(name) was sent")
                continue
            }
        }
        #expect(server.log.count == count)
    }

    @Test func emptyAndNegativeRanges() throws {
        let client = try testClient()
        #expect(try client.get("http://127.0.0.1:9/", 5..<5).failure == .other("an empty range"))
        #expect(try client.get("http://127.0.0.1:9/", -5..<5).failure == .other("an empty range"))
    }

    /// Tells a wrong number from a right one: libcurl knows its options by name, too.
    @Test func optionNumbers() throws {
        _ = try testClient()
        let numbers: [(String, Int)] = [
            ("WRITEDATA", CCURL_WRITEDATA), ("URL", CCURL_URL), ("PROXY", CCURL_PROXY),
            ("ERRORBUFFER", CCURL_ERRORBUFFER), ("USERAGENT", CCURL_USERAGENT), ("HTTPHEADER", CCURL_HTTPHEADER),
            ("HEADERDATA", CCURL_HEADERDATA), ("CAINFO", CCURL_CAINFO), ("OPENSOCKETDATA", CCURL_OPENSOCKETDATA),
            ("NOPROXY", CCURL_NOPROXY), ("WRITEFUNCTION", CCURL_WRITEFUNCTION),
            ("HEADERFUNCTION", CCURL_HEADERFUNCTION), ("OPENSOCKETFUNCTION", CCURL_OPENSOCKETFUNCTION),
            ("FOLLOWLOCATION", CCURL_FOLLOWLOCATION), ("HTTP_VERSION", CCURL_HTTP_VERSION),
            ("BUFFERSIZE", CCURL_BUFFERSIZE), ("NOSIGNAL", CCURL_NOSIGNAL),
            ("CONNECTTIMEOUT_MS", CCURL_CONNECTTIMEOUT_MS), ("HTTP_CONTENT_DECODING", CCURL_HTTP_CONTENT_DECODING),
            ("PROTOCOLS", CCURL_PROTOCOLS), ("TCP_KEEPALIVE", CCURL_TCP_KEEPALIVE),
            ("PATH_AS_IS", CCURL_PATH_AS_IS), ("PIPEWAIT", CCURL_PIPEWAIT),
            ("SUPPRESS_CONNECT_HEADERS", CCURL_SUPPRESS_CONNECT_HEADERS), ("HTTP09_ALLOWED", CCURL_HTTP09_ALLOWED),
            ("MAXAGE_CONN", CCURL_MAXAGE_CONN),
        ]
        for (name, number) in numbers where ccurl_option_number("NOSIGNAL") >= 0 {
            #expect(ccurl_option_number(name) == Int32(number), "\(name)")
        }
        if ccurl_version() >= 0x075700 { #expect(ccurl_option_number("QUICK_EXIT") == Int32(CCURL_QUICK_EXIT)) }
    }

    @Test func libraryThatIsNotThereOrIsAnother() {
        #expect(
            ccurl_check("libcurl-that-is-not-there.so.4").map { String(cString: $0) } == "libcurl.so.4 is not there")
        #expect(ccurl_check("libpthread.so.0") != nil)
        #expect(ccurl_check("libcurl.so.4") == nil)
    }
}
