import ScrubBase
import Testing

@Suite struct PathComponentsTests {
    /// A path is cut at slashes as the system cuts it, also before a combining mark.
    @Test(
        arguments: [
            ("a/b", ["a", "b"], "b", "a/"), ("/a//b/", ["a", "b"], "b", "/a//b/"), ("a", ["a"], "a", nil),
            ("sets/\u{301}film.mp4", ["sets", "\u{301}film.mp4"], "\u{301}film.mp4", "sets/"), ("", [], "", nil),
            ("/", [], "/", "/"),
        ] as [(String, [String], String, String?)])
    func pathsAreCutAtBytes(_ path: String, _ parts: [String], _ last: String, _ folder: String?) {
        #expect(path.pathComponents == parts)
        #expect(path.lastPathComponent == last)
        #expect(path.pathOfFolder == folder)
    }
}
