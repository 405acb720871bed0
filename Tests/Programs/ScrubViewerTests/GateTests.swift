#if Viewer
import ScrubBase
import ScrubTestSupport
import Testing
import ScrubViewerLogic

@testable import ScrubViewer

/// Which requests are admitted, with their bytes on the wire.
@Suite(.timeLimit(.minutes(20))) struct GateTests {
    @Test func onlyTheServersOwnNamesAreAnswered() async throws {
        try await withViewer { viewer in
            let (port, own) = (viewer.port, "127.0.0.1:\(viewer.port)")
            for name in ["localhost", "localhost.", "LocalHost", "127.0.0.1", "[::1]"] {
                #expect(try await viewer.get("/", ["Host: \(name):\(port)"]).status == 200, "\(name)")
            }
            let foreign = [
                "evil.example", "evil.example:\(port)", "127.0.0.1", "127.0.0.1:\(port == 80 ? 81 : port - 1)",
                "127.0.0.1:\(port)@evil.example", "localhost:\(port).evil.example", "127.0.0.2:\(port)",
                "0.0.0.0:\(port)",
                "localhost..:\(port)", "127.0.0.1.:\(port)", "[::2]:\(port)", "[::1:\(port)", "2130706433:\(port)",
                ":\(port)",
                "127.0.0.1:0\(port)x", "localhost:\(port) ",
            ]
            for host in foreign {
                let answer = try await viewer.get("/api/media", ["Host: \(host)"])
                // Spaces around a header's value are not part of it.
                #expect(answer.status == (host.hasSuffix(" ") ? 200 : 403), "\(host)")
                #expect(answer["access-control-allow-origin"] == nil)
            }
            #expect(try await viewer.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
            #expect(try await viewer.send("GET / HTTP/1.0\r\n\r\n").contains(" 400 "))
            let two = "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
            #expect(try await viewer.send(two).hasPrefix("HTTP/1.1 400 "))
            // Of an address in full the name says nothing: the part that every request has to have decides.
            for (address, host, status) in [
                ("http://127.0.0.1:\(port)/api/media", "evil.example:\(port)", 403),
                ("http://evil.example/x/../y", own, 404),
                ("http://127.0.0.1:\(port)/api/status", own, 200), ("ftp://127.0.0.1/nothing", own, 404),
                ("http:nothing", own, 400), ("127.0.0.1:\(port)", own, 400), ("*", own, 400),
            ] {
                let answer = try await viewer.get(address, ["Host: \(host)"])
                #expect(
                    answer.status == status || status == 404 && answer.status == 400,
                    "\(address) \(host): \(answer.status)")
            }
            #expect(try await viewer.object("status")["decodesBegun"] as? Int == 0)
        }
    }

    @Test func pagesOfOtherSitesGetNothing() async throws {
        try await withViewer { viewer in
            let own = "http://127.0.0.1:\(viewer.port)"
            let cases: [(header: String, status: Int)] = [
                ("Sec-Fetch-Site: same-origin", 200), ("Sec-Fetch-Site: none", 200), ("Sec-Fetch-Site: same-site", 403),
                ("Sec-Fetch-Site: cross-site", 403), ("Sec-Fetch-Site: anything", 403), ("Origin: \(own)", 200),
                ("Origin: http://localhost:\(viewer.port)", 200), ("Origin: null", 403),
                ("Origin: https://127.0.0.1:\(viewer.port)", 403),
                ("Origin: http://127.0.0.1:\(viewer.port + 1)", 403), ("Origin: http://evil.example", 403),
                ("Origin: \(own).evil.example", 403),
            ]
            for (header, status) in cases {
                #expect(try await viewer.get("/api/media", [header]).status == status, "\(header)")
            }
            for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"] {
                let answer = try await viewer.get("/api/media", ["Connection: close"], method: method)
                #expect(answer.status == 405 && answer["allow"] == "GET, HEAD", "\(method)")
                #expect(!answer.headers.keys.contains { $0.hasPrefix("access-control") })
            }
        }
    }

    @Test func everyAnswerCarriesWhatGuardsIt() async throws {
        try await withViewer { viewer in
            let id = try await viewer.id()
            for path in [
                "/", "/api/media", "/api/media/\(id)/frame?at=f1&width=64", "/nothing", "/api/media/\(id)/frame?at=x",
            ] {
                let answer = try await viewer.get(path)
                #expect(
                    answer["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self'") == true,
                    "\(path)")
                #expect(answer["x-content-type-options"] == "nosniff" && answer["referrer-policy"] == "no-referrer")
                #expect(answer["cross-origin-resource-policy"] == "same-origin" && answer["cache-control"] != nil)
                #expect(answer["server"] == nil)
            }
            let head = try await viewer.get("/api/media", method: "HEAD")
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    @Test func headersThatAreTooLargeEndTheConnection() async throws {
        try await withViewer { viewer in
            let start = "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(viewer.port)\r\n"
            let large = [
                "X: " + String(repeating: "a", count: 17 << 10), "X: " + String(repeating: "a", count: 9 << 10),
                (0..<65).map { "X\($0): 1" }.joined(separator: "\r\n"),
                (0..<20).map { "X\($0): " + String(repeating: "b", count: 1000) }.joined(separator: "\r\n"),
            ]
            for headers in large {
                // The answer, and then the end: nothing waits for more.
                let answer = try await viewer.send(start + headers + "\r\n\r\n")
                #expect(
                    answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 431 ") || answer.isEmpty,
                    "\(answer.prefix(99))")
                #expect(!answer.contains("200 OK"))
            }
            let path = String(repeating: "a", count: 5000)
            #expect(try await viewer.get("/" + path).status == 400)
            let nonsense = try await viewer.send("\u{0}\u{1}\u{2}nonsense\r\n\r\n")
            #expect(!nonsense.contains("200 OK"))
            #expect(try await viewer.get("/").status == 200)
        }
    }

    @Test func aBodyIsRefusedAndNotRead() async throws {
        try await withViewer { viewer in
            let head = "GET /api/media HTTP/1.1\r\nHost: 127.0.0.1:\(viewer.port)\r\n"
            // It ends although the body never comes.
            for rest in ["Content-Length: 1000000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\n"] {
                let answer = try await viewer.send(head + rest)
                #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(rest)")
            }
        }
    }

    @Test func withATokenNothingElseOpens() async throws {
        try await withViewer(["demo.mp4"]) {
            $0.usesToken = true
            $0.limits.penalty = .milliseconds(1)
        } _: { viewer in
            let token = try #require(viewer.address.token)
            #expect(token.utf8.count == 32)
            #expect(
                viewer.address.url.hasSuffix("/?token=\(token)") && viewer.address.api.hasSuffix("/token/\(token)/api/")
            )
            for path in ["/", "/api/media", "/api/status", "/index.html", "/api/events"] {
                #expect(try await viewer.get(path).status == 401, "\(path)")
            }
            let page = try await viewer.get("/?token=\(token)")
            #expect(page.status == 303 && page["location"] == "/")
            let cookie = try #require(page["set-cookie"])
            #expect(cookie == "scrub-\(viewer.port)=\(token); HttpOnly; SameSite=Strict; Path=/")
            #expect(try await viewer.get("/", ["Cookie: scrub-\(viewer.port)=\(token)"]).status == 200)
            #expect(try await viewer.get("/", ["Cookie: a=b; scrub-\(viewer.port)=\(token); c=d"]).status == 200)
            #expect(try await viewer.get("/", ["Cookie: scrub-\(viewer.port + 1)=\(token)"]).status == 401)
            #expect(try await viewer.get("/api/media", ["Authorization: Bearer \(token)"]).status == 200)
            #expect(try await viewer.get("/token/\(token)/api/media").status == 200)
            #expect(try await viewer.get("/token/\(token)/api//media").status == 200)
            // The token does not admit a foreign page, or under another name.
            #expect(try await viewer.get("/?token=\(token)", ["Sec-Fetch-Site: cross-site"]).status == 403)
            #expect(try await viewer.get("/?token=\(token)", ["Host: evil.example"]).status == 403)
            let seed = SplitMix.seed()
            var random = SplitMix(seed)
            for _ in 0..<200 {
                var guess = Array(token.utf8)
                let place = Int.random(in: guess.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: guess[place] ^= 1
                case 1: guess.remove(at: place)
                default: guess.append(0x30)
                }
                let text = String(decoding: guess, as: UTF8.self)
                let status = try await viewer.get("/api/media", ["Authorization: Bearer \(text)"]).status
                #expect([401, 429].contains(status), "seed \(seed)")
            }
            let guesses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<800 { group.addTask { try await viewer.get("/token/\(number)/api/media").status } }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(guesses.isSubset(of: [401, 429]))
            #expect(try await viewer.get("/token/\(token)/api/media").status == 200)
            let status = try await viewer.get("/token/\(token)/api/status").text
            #expect(status.contains("\"decodesBegun\":0"))
        }
    }

    @Test func tokensAreComparedWhole() {
        #expect(Gate.isSame("abc", "abc"))
        for wrong in ["", "ab", "abd", "abcd", "xbc"] { #expect(!Gate.isSame(wrong, "abc"), "\(wrong)") }
        #expect(Set((0..<100).map { _ in Gate.newToken() }).count == 100)
    }

    @Test func listeningOnAllAddressesNeedsAToken() {
        for host in ["127.0.0.1", "127.3.2.1", "localhost", "::1"] { #expect(HostNames.isLoopback(host), "\(host)") }
        for host in ["0.0.0.0", "::", "192.168.1.2", "127.0.0.1.evil.example", "127.evil.example", "*", ""] {
            #expect(!HostNames.isLoopback(host), "\(host)")
        }
        let all = HostNames(host: "0.0.0.0", port: 8000)
        #expect(all.allows("192.168.1.2:8000") && all.allows("[fe80::1]:8000") && all.allows("localhost:8000"))
        #expect(!all.allows("evil.example:8000") && !all.allows("192.168.1.2:8001") && !all.allows("1.2.3:8000"))
        let named = HostNames(host: "film.example", port: 80)
        #expect(named.allows("film.example") && named.allows("FILM.example:80") && !named.allows("other.example"))
    }
}
#endif
