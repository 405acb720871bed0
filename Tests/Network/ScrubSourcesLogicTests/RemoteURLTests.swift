import ScrubSourcesLogic
import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct RemoteURLTests {
    /// Found by the fuzzer: three bytes for each one that must be escaped.
    @Test func theLimitHoldsForWhatIsAsked() throws {
        let path = String(repeating: "é", count: 4000)
        #expect(throws: ScrubError.self) { try RemoteURL("http://a.example/" + path) }
        let base = try RemoteURL("http://a.example/" + String(repeating: "b/", count: 5000) + "c")
        #expect(throws: ScrubError.self) { try base.resolving(String(repeating: "d", count: 8000)) }
        let long = try RemoteURL("http://a.example/" + path.prefix(2000))
        #expect(try RemoteURL(long.key) == long)
    }

    @Test(arguments: [
        ("http://example.com", "http://example.com/"),
        ("HTTP://EXAMPLE.com:80/a", "http://example.com/a"),
        ("https://example.com:443/", "https://example.com/"),
        ("https://example.com:80/", "https://example.com:80/"),
        ("http://example.com:/a", "http://example.com/a"),
        ("http://example.com:0080/a", "http://example.com/a"),
        ("http://example.com?x=1", "http://example.com/?x=1"),
        ("http://example.com/a?", "http://example.com/a?"),
        ("http://example.com/a#b", "http://example.com/a"),
        ("http://example.com#b?c/d", "http://example.com/"),
        ("http://example.com/a?b=#c", "http://example.com/a?b="),
        ("http://example.com/a?b?c/../d", "http://example.com/a?b?c/../d"),
        ("http://user:word@example.com/a", "http://example.com/a"),
        ("http://user@example.com/a", "http://example.com/a"),
        ("http://@example.com/a", "http://example.com/a"),
        ("http://example.com/a b", "http://example.com/a%20b"),
        ("http://example.com/ä", "http://example.com/%C3%A4"),
        ("http://example.com/%c3%a4%2f", "http://example.com/%c3%a4%2f"),
        ("http://example.com/a\\b", "http://example.com/a%5Cb"),
        ("http://example.com/\"<>^`{|}", "http://example.com/%22%3C%3E%5E%60%7B%7C%7D"),
        ("http://example.com/a@b:c", "http://example.com/a@b:c"),
        ("http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/../../a", "http://example.com/a"),
        ("http://example.com/a/..", "http://example.com/"),
        ("http://example.com/a/.", "http://example.com/a/"),
        ("http://example.com//a//b", "http://example.com//a//b"),
        ("http://example.com/%2e%2e/a", "http://example.com/%2e%2e/a"),
        ("http://example.com./a", "http://example.com./a"),
        ("http://a_b.example.com/", "http://a_b.example.com/"),
        ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
        ("http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://0177.0.0.01/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://127.0.0.1./", "http://127.0.0.1/"),
        ("http://[::1]/", "http://[::1]/"),
        ("http://[0:0:0:0:0:0:0:1]:80/", "http://[::1]/"),
        ("http://[2001:DB8::A]:8080/a", "http://[2001:db8::a]:8080/a"),
        ("http://[::ffff:1.2.3.4]/", "http://[::ffff:1.2.3.4]/"),
    ])
    func reads(_ text: String, _ key: String) throws {
        let url = try RemoteURL(text)
        #expect(url.key == key)
        #expect(url.description == key)
        #expect(try RemoteURL(key).key == key)
    }

    @Test(arguments: [
        "", " ", "a", "/a", "//example.com/a", "file:///etc/passwd", "ftp://example.com/", "http:", "http:/a",
        "http:///a", "http://:80/", "http://user@/", "http://?a", "https:example.com", "ttp://a", "1http://a/",
        "http://a b/", "http://exa mple.com/", "http://example.com:0/", "http://example.com:65536/",
        "http://example.com:99999999999999999999/", "http://example.com:8o/", "http://example.com:-1/",
        "http://example.com:+80/", "http://a:80:81/",
        "http://bücher.example/", "http://a..b/", "http://.a/", "http://a%2eb/", "http://a%00b/", "http://./",
        "http://..", "http://[::1", "http://::1/", "http://[::1]a/", "http://[fe80::1%25eth0]/", "http://[v1.a]/",
        "http://[127.0.0.1]/", "http://[]/", "http://[::1]:x/", "http://256.0.0.1/", "http://1.2.3.4.5/",
        "http://08.0.0.1/", "http://x.0x1g/", "http://4294967296/", "http://1.2.3/4.256.999.1.2/\u{0}",
        "http://a@b@c/", "http://us\u{1}er@a/", "http://a:%0d%0a@b/", "http://a:%zz@b/", "http://a%3ab:c@d/",
        "http://a/%", "http://a/%2", "http://a/%zz", "http://a/?%", "http://a/\r\nX: 1", "http://a/\u{0}",
        "http://a/\tb", "http://a\\b/", "http://a/\u{7F}", "http://exa<mple/", "http://a'b/",
        "http://\(String(repeating: "a", count: 64)).com/", "http://a/" + String(repeating: "a", count: 16_400),
        "http://" + String(repeating: "a.", count: 130) + "b/",
    ])
    func refuses(_ text: String) {
        #expect(throws: ScrubError.self, "\(text.debugDescription)") { try RemoteURL(text) }
    }

    @Test func parts() throws {
        let url = try RemoteURL("https://us%40er:p%3Aw%20d@Example.com:8443/films/a%20b.mp4?sig=x%2Fy#t=5")
        #expect(url.scheme == .https && url.host == "example.com" && url.port == 8443)
        #expect(url.path == "/films/a%20b.mp4" && url.query == "sig=x%2Fy")
        #expect(url.userInfo == RemoteURL.UserInfo(user: "us@er", password: "p:w d"))
        #expect(url.lastPathComponent == "a b.mp4")
        #expect(url.address == nil)
        #expect(try RemoteURL("http://1.2.3.4/").address == NetworkAddress(bytes: [1, 2, 3, 4]))
        #expect(try RemoteURL("http://a/").lastPathComponent == "")
        #expect(!"\(url)".contains("p:w") && !"\(url)".contains("us@er"))
    }

    /// A combining mark joins the sign before it to one character, and an address is bytes.
    @Test func marksJoinNoSigns() throws {
        let mark = "\u{301}"
        #expect(try RemoteURL("http://a/b#\(mark)c").key == "http://a/b")
        let asked = try RemoteURL("http://a/b?\(mark)c=1")
        #expect(asked.path == "/b" && asked.query == "%CC%81c=1")
        #expect(try RemoteURL("http://a/\(mark)b").path == "/%CC%81b")
        let named = try RemoteURL("http://u:\(mark)p@a/")
        #expect(named.userInfo == RemoteURL.UserInfo(user: "u", password: "\(mark)p") && named.host == "a")
        #expect(try RemoteURL("http://a/b").resolving("../\(mark)c").key == "http://a/%CC%81c")
        #expect(throws: ScrubError.self) { try RemoteURL("http://u@\(mark)a/") }
    }

    /// No message shows a password, however wrong the address is.
    @Test(arguments: [
        "http://user:secret@exa mple.com/", "http://user:secret@b:99999/", "http://user:secret@[::1/",
        "ftp://user:secret@a/", "http://user:secret@x@y/", "http://user:secret%zz@a/", "http://user:secret@a/%",
        "http://user:secret@300.1.1.1/", "http://user:secret@ü/",
    ])
    func messagesHaveNoPasswords(_ text: String) {
        do throws(ScrubError) {
            _ = try RemoteURL(text)
            Issue.record("read")
        } catch {
            #expect(!"\(error)".contains("secret"))
        }
    }

    // RFC 3986, 5.4, with the base's path and query.
    @Test(arguments: [
        ("g", "b/c/g"), ("./g", "b/c/g"), ("g/", "b/c/g/"), ("/g", "g"), ("?y", "b/c/d;p?y"), ("g?y", "b/c/g?y"),
        ("#s", "b/c/d;p?q"), ("g#s", "b/c/g"), ("g?y#s", "b/c/g?y"), (";x", "b/c/;x"), ("g;x", "b/c/g;x"),
        ("g;x?y#s", "b/c/g;x?y"), ("", "b/c/d;p?q"), (".", "b/c/"), ("./", "b/c/"), ("..", "b/"), ("../", "b/"),
        ("../g", "b/g"), ("../..", ""), ("../../", ""), ("../../g", "g"),
        ("../../../g", "g"), ("../../../../g", "g"), ("/./g", "g"), ("/../g", "g"), ("g.", "b/c/g."),
        (".g", "b/c/.g"), ("g..", "b/c/g.."), ("..g", "b/c/..g"), ("./../g", "b/g"), ("./g/.", "b/c/g/"),
        ("g/./h", "b/c/g/h"), ("g/../h", "b/c/h"), ("g;x=1/./y", "b/c/g;x=1/y"), ("g;x=1/../y", "b/c/y"),
        ("g?y/./x", "b/c/g?y/./x"), ("g?y/../x", "b/c/g?y/../x"), ("g#s/./x", "b/c/g"), ("g#s/../x", "b/c/g"),
        ("seg 1.ts", "b/c/seg%201.ts"), ("a:b/c", nil), ("1:2", "b/c/1:2"), ("./a:b", "b/c/a:b"),
    ])
    func resolves(_ reference: String, _ path: String?) throws {
        let base = try RemoteURL("http://u:p@a:8080/b/c/d;p?q")
        guard let path else {
            #expect(throws: ScrubError.self) { try base.resolving(reference) }
            return
        }
        let url = try base.resolving(reference)
        #expect(url.key == "http://a:8080/" + path)
        #expect(url.userInfo == base.userInfo)
    }

    @Test func resolvesToOtherHosts() throws {
        let base = try RemoteURL("https://u:p@a/b/c")
        let other = try base.resolving("//g/h/../i?x")
        #expect(other.key == "https://g/i?x" && other.userInfo == nil)
        #expect(try base.resolving("http://g").key == "http://g/")
        #expect(try base.resolving("https://v:w@g").userInfo?.user == "v")
        for text in ["g:h", "file:///a", "http:g", "//", "///a", "data:,a", "JAVASCRIPT:1"] {
            #expect(throws: ScrubError.self, "\(text)") { try base.resolving(text) }
        }
    }

    @Test func originsAndKeys() throws {
        let one = try RemoteURL("http://a/x"), two = try RemoteURL("HTTP://u:p@A:80/y")
        #expect(one.origin == two.origin)
        for text in ["https://a/x", "http://a:81/x", "http://b/x"] {
            #expect(try RemoteURL(text).origin != one.origin)
        }
    }

    /// Whatever is read can be read again and is the same; nothing traps.
    @Test func anyText() throws {
        let seed = SplitMix.seed()
        var random = SplitMix(seed)
        let pieces = [
            "http", "https", ":", "//", "/", "?", "#", "@", "[", "]", "::1", "127.0.0.1", "0x", "a", "Ü", "%41", "%",
            ".",
            "..", "80", "99999", " ", "\u{0}", "\n", "\\", "e\u{301}", "xn--",
        ]
        var count = 0
        for _ in 0..<20_000 {
            var text = random.isOne(in: 2) ? "http://" : ""
            for _ in 0..<Int(random.next() % 8) { text += pieces[Int(random.next() % UInt64(pieces.count))] }
            guard let url = try? RemoteURL(text) else { continue }
            count += 1
            #expect(try RemoteURL(url.key).key == url.key, "seed \(seed): \(text.debugDescription)")
            #expect(url.key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "seed \(seed): \(text.debugDescription)")
        }
        #expect(count > 100)
    }
}
