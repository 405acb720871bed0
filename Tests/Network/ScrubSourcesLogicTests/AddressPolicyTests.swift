import ScrubSourcesLogic
import ScrubBase
import Testing

@Suite struct NetworkAddressTests {
    @Test(arguments: [
        ("1.2.3.4", "1.2.3.4"), ("1.2.3", "1.2.0.3"), ("1.2", "1.0.0.2"), ("1", "0.0.0.1"), ("1.65535", "1.0.255.255"),
        ("1.2.65535", "1.2.255.255"), ("0x7f000001", "127.0.0.1"), ("0X7F.0x0.1", "127.0.0.1"), ("0177.1", "127.0.0.1"),
        ("00.00.00.00", "0.0.0.0"), ("4294967295", "255.255.255.255"), ("037777777777", "255.255.255.255"),
        ("0x", "0.0.0.0"), ("::", "::"), ("::1", "::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("::ffff:127.0.0.1", "::ffff:127.0.0.1"), ("FE80::1", "fe80::1"),
    ])
    func reads(_ text: String, _ canonical: String) {
        #expect(NetworkAddress(text)?.description == canonical)
    }

    @Test(arguments: [
        "", ".", "1.", ".1", "1..2", "1.2.3.4.5", "256.1.1.1", "1.256.1.1", "1.2.3.256", "1.16777216", "1.2.65536",
        "4294967296", "-1", "+1", "1.2.3.-4", "1.2.3.+4", "0x+1", "08", "0x1g", "a", "1a", " 1.2.3.4", "1.2.3.4 ",
        "１.2.3.4", "::1::", ":::", "1::2::3", "12345::", "::1%eth0", "1:2:3:4:5:6:7", "::256.1.1.1", "[::1]",
        "99999999999999999999", "0x11111111111111111111",
    ])
    func refuses(_ text: String) { #expect(NetworkAddress(text) == nil) }

    @Test(arguments: [
        "127.0.0.1", "127.255.255.255", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "0.0.0.0", "0.1.2.3", "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.2.1", "198.18.0.1",
        "::1", "::", "fe80::1", "febf::1", "fc00::1", "fdff::1", "ff02::1", "2001:db8::1", "fec0::1",
    ])
    func isInner(_ text: String) throws {
        #expect(try #require(NetworkAddress(text)).innerKind != nil)
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "169.253.255.255",
        "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "223.255.255.255", "2606:4700::1111",
        "2a00::1",
        "2001:4860:4860::8888",
    ])
    func isPublic(_ text: String) throws {
        #expect(try #require(NetworkAddress(text)).innerKind == nil)
    }
}

@Suite struct AddressPolicyTests {
    private func refuses(_ policy: AddressPolicy, _ address: String, host: String? = nil) throws -> Bool {
        let address = try #require(NetworkAddress(address))
        return policy.refusal(of: address, host: host ?? address.description) != nil
    }

    @Test func everything() throws {
        for text in ["127.0.0.1", "169.254.169.254", "::1", "1.1.1.1"] {
            #expect(try !refuses(.everything, text))
        }
    }

    /// A packet to an address of version 6 may end at the address inside of it.
    @Test(arguments: [
        "127.0.0.1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::",
        "2002:0a00:0001::1", "::ffff:169.254.169.254", "::", "::1", "64:ff9b:1::1", "fe80::1",
        "::ffff:0:127.0.0.1", "::ffff:0:10.0.0.1", "2001:0:101:101::f5ff:fffe", "2606:4700::5efe:10.0.0.1",
        "2606:4700::200:5efe:192.168.0.1",
    ])
    func publicOnly(_ text: String) throws { #expect(try refuses(.publicOnly, text)) }

    @Test(arguments: [
        "1.1.1.1", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2002:101:101::", "2606:4700::1111", "::ffff:0:1.1.1.1",
    ])
    func publicAddresses(_ text: String) throws { #expect(try !refuses(.publicOnly, text)) }

    @Test func rules() throws {
        let policy = try AddressPolicy(
            allow: ["example.com", "*.films.example", "10.0.0.0/8", "2001:db8::/32"],
            deny: ["10.9.0.0/16", "bad.films.example"])
        #expect(try !refuses(policy, "93.184.216.34", host: "example.com"))
        #expect(try !refuses(policy, "93.184.216.34", host: "example.com."))
        #expect(try refuses(policy, "93.184.216.34", host: "sub.example.com"))
        #expect(try refuses(policy, "93.184.216.34", host: "notexample.com"))
        #expect(try !refuses(policy, "93.184.216.34", host: "a.b.films.example"))
        #expect(try refuses(policy, "93.184.216.34", host: "films.example"))
        #expect(try refuses(policy, "93.184.216.34", host: "bad.films.example"))
        #expect(try !refuses(policy, "10.1.2.3", host: "anything.example"))
        #expect(try !refuses(policy, "10.1.2.3"))
        #expect(try refuses(policy, "10.9.2.3", host: "example.com"))
        #expect(try refuses(policy, "11.1.2.3", host: "anything.example"))
        #expect(try !refuses(policy, "2001:db8:1::1"))
        #expect(try refuses(policy, "2001:db9::1"))
        // A mapped address is what it stands for.
        #expect(try refuses(policy, "::ffff:10.9.0.1", host: "example.com"))
    }

    @Test func judgesSpellings() throws {
        let denied = try AddressPolicy(allow: [], deny: ["bad.example", "127.0.0.0/8"])
        #expect(denied.refusal(of: try RemoteURL("http://BAD.example/")) != nil)
        #expect(denied.refusal(of: try RemoteURL("http://bad.example./")) != nil)
        #expect(denied.refusal(of: try RemoteURL("http://0x7f.1/")) != nil)
        #expect(denied.refusal(of: try RemoteURL("http://[::ffff:127.0.0.1]/")) != nil)
        #expect(denied.refusal(of: try RemoteURL("http://good.example/")) == nil)
        let named = try AddressPolicy(allow: ["good.example"], deny: [])
        #expect(named.refusal(of: try RemoteURL("http://good.example/")) == nil)
        #expect(named.refusal(of: try RemoteURL("http://other.example/")) != nil)
        #expect(named.refusal(of: try RemoteURL("http://1.1.1.1/")) != nil)
        // With networks allowed, a name is judged by its address.
        let networks = try AddressPolicy(allow: ["1.0.0.0/8"], deny: [])
        #expect(networks.refusal(of: try RemoteURL("http://other.example/")) == nil)
        #expect(networks.refusal(of: try RemoteURL("http://1.1.1.1/")) == nil)
        #expect(networks.refusal(of: try RemoteURL("http://2.1.1.1/")) != nil)
    }

    @Test func namesOpenNoInnerAddresses() throws {
        let policy = try AddressPolicy(allow: ["example.com", "10.0.0.0/8"], deny: [], publicOnly: true)
        #expect(try refuses(policy, "127.0.0.1", host: "example.com"))
        #expect(try !refuses(policy, "10.0.0.1", host: "example.com"))
        #expect(try !refuses(policy, "93.184.216.34", host: "example.com"))
        #expect(try refuses(policy, "93.184.216.34", host: "other.example"))
    }

    @Test(arguments: [
        "", "/", "a/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "::/129", "http://a", "a b", "*", "*.", ".", "a..b",
        "a*b", "ü.example", "a:80", "user@a", "10.0.0.0/8/8", "300.1.1.1",
    ])
    func invalidRulesAreRefused(_ text: String) {
        #expect(throws: ScrubError.self) { try AddressPolicy(allow: [text], deny: []) }
        #expect(throws: ScrubError.self) { try AddressPolicy(allow: [], deny: [text]) }
    }

    /// A denied address is denied in each form that packets to it may be written in, and a rule may be written so too.
    @Test(arguments: [
        "127.0.0.2", "::ffff:127.0.0.2", "[::ffff:7f00:2]", "::ffff:127.0.0.0/120", "127.0.0.0/8", "0x7f.2",
        "0177.0.0.2",
        "2130706434", "127.0.0.2.", "64:ff9b::127.0.0.2", "2002:7f00:2::", "::ffff:0:127.0.0.2", "::127.0.0.2",
    ])
    func rulesOfAddressesInAddresses(_ rule: String) throws {
        let policy = try AddressPolicy(allow: [], deny: [rule])
        for text in [
            "127.0.0.2", "[::ffff:127.0.0.2]", "[::ffff:0:127.0.0.2]", "[::127.0.0.2]", "[64:ff9b::127.0.0.2]",
            "[64:ff9b:1::127.0.0.2]", "[64:ff9b:1:7f00:0:200::]", "[2002:7f00:2::1]", "[2001::80ff:fffd]",
            "[2001:0:7f00:2::]", "[2606:4700::5efe:127.0.0.2]", "0x7f.2", "0177.0.0.2", "2130706434", "127.0.0.2.",
        ] { #expect(policy.refusal(of: try RemoteURL("http://\(text)/")) != nil, "\(text)") }
        for text in ["128.0.0.2", "[::ffff:128.0.0.2]", "[2606:4700::1111]", "[64:ff9b::128.0.0.2]"] {
            #expect(policy.refusal(of: try RemoteURL("http://\(text)/")) == nil, "\(text)")
        }
    }

    /// A mapped network that is allowed is one of version 4, and opens no other form.
    @Test func allowedAddressesInAddresses() throws {
        let policy = try AddressPolicy(allow: ["::ffff:10.0.0.0/104"], deny: [], publicOnly: true)
        #expect(try !refuses(policy, "10.1.2.3"))
        #expect(try !refuses(policy, "::ffff:10.1.2.3"))
        #expect(try refuses(policy, "11.1.2.3"))
        #expect(try refuses(policy, "64:ff9b::10.1.2.3"))
        let narrow = try AddressPolicy(allow: ["64:ff9b::10.1.2.3"], deny: [], publicOnly: true)
        #expect(try !refuses(narrow, "64:ff9b::10.1.2.3"))
        #expect(try refuses(narrow, "10.1.2.3"))
    }

    @Test func wholeNetworks() throws {
        #expect(try refuses(try AddressPolicy(allow: [], deny: ["::/0"]), "::ffff:1.2.3.4"))
        #expect(try refuses(try AddressPolicy(allow: [], deny: ["::ffff:0:0/96"]), "1.2.3.4"))
        #expect(try refuses(try AddressPolicy(allow: [], deny: ["0.0.0.0/0"]), "1.2.3.4"))
        #expect(try !refuses(try AddressPolicy(allow: [], deny: ["0.0.0.0/0"]), "2a00::1"))
        #expect(try refuses(try AddressPolicy(allow: [], deny: ["[::1]"]), "::1"))
        #expect(try refuses(try AddressPolicy(allow: [], deny: ["10.0.0.1/31"]), "10.0.0.0"))
        #expect(try !refuses(try AddressPolicy(allow: [], deny: ["10.0.0.1/31"]), "10.0.0.2"))
    }
}

@Suite struct ProxyRulesTests {
    @Test func environment() throws {
        let rules = ProxyRules(environment: [
            "http_proxy": "http://lower:1", "HTTP_PROXY": "http://upper:1", "HTTPS_PROXY": "http://secure:1",
            "no_proxy": "example.com, .films.example,10.0.0.0/8 [::1],host:8080,192.0.2.1",
        ])
        func proxy(_ text: String) throws -> String? { rules.proxy(for: try RemoteURL(text)) }
        #expect(try proxy("http://a/") == "http://lower:1")
        #expect(try proxy("https://a/") == "http://secure:1")
        for text in [
            "http://example.com/", "http://sub.example.com/", "http://films.example/", "http://a.films.example/",
            "http://10.1.2.3/", "http://[::1]/", "http://host:8080/", "http://192.0.2.1/",
        ] { #expect(try proxy(text) == nil, "\(text)") }
        for text in [
            "http://notexample.com/", "http://11.1.2.3/", "http://host/", "http://host:80/", "http://192.0.2.11/",
        ] {
            #expect(try proxy(text) != nil, "\(text)")
        }
        // Upper case alone: not for http, where a server's client sets it.
        #expect(ProxyRules(environment: ["HTTP_PROXY": "x"]).proxy(for: try RemoteURL("http://a/")) == nil)
        #expect(ProxyRules(environment: ["ALL_PROXY": "x"]).proxy(for: try RemoteURL("http://a/")) == "x")
        #expect(
            ProxyRules(environment: ["ALL_PROXY": "x", "NO_PROXY": "*"]).proxy(for: try RemoteURL("http://a/")) == nil)
        #expect(ProxyRules.none.proxy(for: try RemoteURL("http://a/")) == nil)
        #expect(ProxyRules("socks5h://b:1").proxy(for: try RemoteURL("https://a/")) == "socks5h://b:1")
    }
}
