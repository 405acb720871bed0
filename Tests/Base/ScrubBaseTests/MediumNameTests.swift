import ScrubBase
import Testing

/// Names that are paths, and names that are addresses.
@Suite struct MediumNameTests {
    @Test(arguments: ["http://a/b.mp4", "HTTPS://a", "hTTp://", "https://[::1]:8080/x"])
    func addresses(_ text: String) { #expect(text.isNetworkAddress) }

    @Test(arguments: [
        "", "film.mp4", "./http://a", "http:/a", "http:", "http", "ftp://a/b", "file:///a", " http://a", "hxtp://a",
        "httpsx://a",
        "/http://a", "HTTP:", "http;//a", "http:\u{2044}\u{2044}a",
    ])
    func paths(_ text: String) {
        #expect(!text.isNetworkAddress)
        #expect(text.withoutUserInformation == text)
        #expect(text.publicName == text)
    }

    @Test(arguments: [
        ("http://u:p@h/a.mp4", "http://h/a.mp4"), ("https://u@h", "https://h"),
        ("http://u:p@x@h:80/a@b", "http://h:80/a@b"),
        ("http://h/a@b", "http://h/a@b"), ("http://h?u:p@x", "http://h?u:p@x"), ("http://h#u@x", "http://h#u@x"),
        ("http://@h/", "http://h/"), ("http://u:p@", "http://"), ("HTTP://U:P@H/", "HTTP://H/"),
    ])
    func passwordsAreHidden(_ text: String, _ expected: String) { #expect(text.withoutUserInformation == expected) }

    @Test func queriesAreNotForOthers() {
        #expect("https://u:p@h/a/b.mp4?sig=1#t".publicName == "https://h/a/b.mp4")
        #expect("https://h?sig=1".publicName == "https://h")
        #expect("a?b#c".publicName == "a?b#c")
        #expect("https://u:p@h/a/b.mp4?sig=1#t".saidName == "https://h/a/b.mp4?…")
        #expect("https://h/a#?t".saidName == "https://h/a" && "https://h?".saidName == "https://h?…")
        #expect("a?b#c".saidName == "a?b#c")
    }

    @Test(arguments: [
        ("http://h/films/a%20b.mp4?x=/y.mkv", "a b.mp4"), ("http://h/a.mp4/", "a.mp4"), ("http://h", "h"),
        ("http://u:p@h:81/", "h:81"),
        ("http://h/..", "h"), ("http://h/%2e%2e", "h"), ("http://h/a%2Fb", "a%2Fb"), ("http://h/%00", "%00"),
        ("http://h/%ff", "%ff"),
        ("http://h/%", "%"), ("http://h/%4", "%4"), ("http://h/%+1", "%+1"), ("http://h/caf%C3%A9.mp4#x", "café.mp4"),
        ("/a/b.mp4", "b.mp4"), ("b.mp4", "b.mp4"), ("a%20b", "a%20b"), ("http:/x/y", "y"),
    ])
    func namesForFiles(_ text: String, _ expected: String) { #expect(text.mediumName == expected) }
}
