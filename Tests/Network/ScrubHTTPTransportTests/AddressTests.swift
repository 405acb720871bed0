import ScrubSourcesLogic
import ScrubHTTPTransport
import ScrubTestSupport
import Testing

@Suite struct ConnectedAddressTests {
    private func isForbidden(_ collector: Collector) -> Bool {
        if case .forbiddenAddress? = collector.failure { true } else { false }
    }

    /// A name is harmless until it is resolved.
    @Test(arguments: [
        "127.0.0.1", "localhost", "LOCALHOST", "0x7f.1", "2130706433", "0177.0.0.1", "[::ffff:127.0.0.1]", "0",
    ])
    func publicOnly(_ host: String) throws {
        let server = try FaultServer()
        server.serve([1], as: "a")
        let url = "http://\(host):\(server.port)/a"
        let client = try testClient { $0.policy = .publicOnly }
        #expect(isForbidden(try client.get(url)))
        #expect(server.connectionCount == 0)
        // The same without the policy gets there.
        #expect(try testClient().get(url).bytes == [1])
    }

    @Test func namesByTheirAddresses() throws {
        let server = try FaultServer()
        server.serve([1], as: "a")
        let url = "http://localhost:\(server.port)/a"
        let denied = try testClient { $0.policy = try AddressPolicy(allow: [], deny: ["127.0.0.0/8", "::1"]) }
        #expect(isForbidden(try denied.get(url)))
        let allowed = try testClient {
            $0.policy = try AddressPolicy(allow: ["127.0.0.0/8"], deny: [], publicOnly: true)
        }
        #expect(try allowed.get(url).bytes == [1])
        let byName = try testClient { $0.policy = try AddressPolicy(allow: ["localhost"], deny: []) }
        #expect(try byName.get(url).bytes == [1])
        #expect(isForbidden(try byName.get(server.url("a"))))
        // A name opens no inner address by itself.
        let byNameOnly = try testClient {
            $0.policy = try AddressPolicy(allow: ["localhost"], deny: [], publicOnly: true)
        }
        #expect(isForbidden(try byNameOnly.get(url)))
    }
}

@Suite struct ProxyTests {
    @Test func wholeAddressesGoToTheProxy() throws {
        let proxy = try FaultServer()
        let client = try testClient { $0.proxies = ProxyRules("http://me:secret@127.0.0.1:\(proxy.port)") }
        _ = try client.get("http://films.invalid/a?b=1")
        let request = try #require(proxy.log.last).request
        #expect(request.target == "http://films.invalid/a?b=1")
        #expect(request.value("Proxy-Authorization") != nil && request.value("Authorization") == nil)
        // Over https the proxy is asked for a tunnel, which this one does not give.
        let failure = try #require(try client.get("https://films.invalid/a", headers: [("X-Mine", "1")]).failure)
        #expect(failure == .other("the proxy refused the request (status 404)"))
        let tunnel = try #require(proxy.log.last).request
        #expect(tunnel.method == "CONNECT" && tunnel.target == "films.invalid:443" && tunnel.value("X-Mine") == nil)
        #expect(!"\(failure.error(for: try RemoteURL("https://films.invalid/a")))".contains("secret"))
    }

    @Test func exceptionsGoDirectly() throws {
        let (proxy, server) = (try FaultServer(), try FaultServer())
        server.serve([1], as: "a")
        let environment = ["http_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": "localhost,127.0.0.0/8"]
        let client = try testClient { $0.proxies = ProxyRules(environment: environment) }
        #expect(try client.get(server.url("a")).bytes == [1])
        #expect(try client.get("http://localhost:\(server.port)/a").bytes == [1])
        #expect(proxy.connectionCount == 0)
    }

    /// The policy's rule about inner addresses is not about the proxy, but the host is still judged by its spelling.
    @Test func proxyAndPolicy() throws {
        let proxy = try FaultServer()
        let client = try testClient {
            $0.proxies = ProxyRules("http://127.0.0.1:\(proxy.port)")
            $0.policy = try AddressPolicy(allow: [], deny: ["denied.invalid"], publicOnly: true)
        }
        #expect(try client.get("http://films.invalid/a").head?.status == 404)
        for host in ["denied.invalid", "169.254.169.254", "0xa9fea9fe"] {
            guard case .forbiddenAddress? = try client.get("http://\(host)/a").failure else {
                Issue.record("\(host) was asked")
                continue
            }
        }
        #expect(proxy.log.count == 1)
    }
}
