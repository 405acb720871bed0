import ScrubSourcesLogic
import ScrubHTTPTransport
import ScrubTestSupport
import Testing

@Suite struct RedirectTests {
    private static let content = madeOnce(10_000, seed: 6)

    @Test func leadToTheRange() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "films/a")
        server.redirect("old/a", to: "../films/a?x=1", status: 307)
        let client = try testClient()
        let collector = Collector()
        let transfer = client.start(
            HTTPRequest(
                url: try RemoteURL(server.url("old/a").replacing("//", with: "//u:p@")), range: 10..<20,
                headers: [("X-Mine", "1")]), collector)
        #expect(collector.succeeded)
        #expect(collector.bytes == Self.content.read(10..<20))
        #expect(collector.head?.url.key == server.url("films/a?x=1"))
        #expect(transfer.measurements.requestCount == 2)
        // The same origin: fields and credentials go along, on one connection.
        let last = try #require(server.log.last).request
        #expect(
            last.value("X-Mine") == "1" && last.value("Authorization") != nil && last.value("Range") == "bytes=10-19")
        #expect(server.connectionCount == 1)
    }

    @Test func nothingOfTheCallersGoesToAnotherOrigin() throws {
        let (first, second) = (try FaultServer(), try FaultServer(.otherLoopback(3)))
        second.serve(Self.content, as: "a")
        second.redirect("back", to: first.url("b"))
        first.serve(Self.content, as: "b")
        first.redirect("a", to: second.url("a"))
        first.redirect("with-name", to: second.url("a").replacing("//", with: "//x:y@"))
        first.redirect("there-and-back", to: second.url("back"))
        let client = try testClient()
        for name in ["a", "with-name", "there-and-back"] {
            let url = first.url(name).replacing("//", with: "//u:p@")
            let answer = try client.get(url, headers: [("X-Mine", "1"), ("Cookie", "c=1"), ("User-Agent", "mine")])
            #expect(answer.succeeded)
            let last = try #require((name == "there-and-back" ? first : second).log.last).request
            #expect(last.value("X-Mine") == nil && last.value("Authorization") == nil && last.value("Cookie") == nil)
            #expect(last.value("User-Agent") == "scrub-tests")
        }
    }

    @Test func fiveAndNotSix() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        let five = server.redirectChain("five", count: 5, to: "a")
        let six = server.redirectChain("six", count: 6, to: "a")
        server.redirect("loop", to: "/loop")
        let client = try testClient()
        #expect(try client.get(server.url(five)).succeeded)
        for name in [six, "loop"] {
            #expect(try client.get(server.url(name)).failure == .badResponse("there are more than 5 redirects"))
        }
        #expect(server.log.of("loop").count == 6)
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "javascript:alert(1)", "data:,x",
        "http://", "http://a b/", "//", "http:a",
    ])
    func forbiddenLocationsAreRefused(_ location: String) throws {
        let server = try FaultServer()
        server.redirect("a", to: location)
        let failure = try testClient().get(server.url("a")).failure
        guard case .forbiddenAddress? = failure else {
            Issue.record("\(location): \(String(describing: failure))")
            return
        }
    }

    @Test func contradictingOrMissingLocations() throws {
        let server = try FaultServer()
        server.fail("two", .rawHead("HTTP/1.1 302 F\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"))
        server.serve([], as: "two")
        server.serve([], as: "none")
        server.fail("none", .status(302))
        let client = try testClient()
        #expect(try client.get(server.url("two")).failure == .badResponse("it redirects to several addresses"))
        #expect(try client.get(server.url("none")).head?.status == 302)
    }

    /// A body behind a redirect that is long, without end or never comes holds nothing up.
    @Test func bodiesOfRedirects() throws {
        let server = try FaultServer()
        server.serve(Self.content, as: "a")
        for name in ["long", "stalled", "chunked"] {
            server.serve(madeOnce(1 << 20, seed: 1), as: name)
            server.fail(name, .header("Location", "/a"))
        }
        let gate = StallGate()
        server.fail("stalled", .stall(.inBody(0), gate))
        server.fail("chunked", .chunked)
        for name in ["long", "stalled", "chunked"] {
            server.fail(name, Fault("302") { answer, _ in answer.status = 302 })
            #expect(try testClient().get(server.url(name)).bytes == Self.content.read(0..<10_000), "\(name)")
        }
    }

    @Test func addressesAreJudgedEachTime() throws {
        let (first, second) = (try FaultServer(), try FaultServer(.otherLoopback(4)))
        second.serve(Self.content, as: "a")
        first.redirect("a", to: second.url("a"))
        first.redirect("inner", to: "http://169.254.169.254/latest/meta-data/")
        let client = try testClient { $0.policy = try AddressPolicy(allow: [], deny: ["127.0.0.4", "169.254.0.0/16"]) }
        for name in ["a", "inner"] {
            guard case .forbiddenAddress? = try client.get(first.url(name)).failure else {
                Issue.record("\(name) was asked")
                continue
            }
        }
        #expect(second.log.isEmpty)
    }
}
