#if Viewer
import Glibc
import ScrubBase

/// Lines for people and programs.
enum Output {
    /// Writes a line to standard output, at once.
    static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    /// Writes a line to standard error.
    static func complain(_ line: String) {
        let bytes = Array("scrub: \(line)\n".utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

/// The desktop's browser.
enum Browser {
    /// Opens an address; without a desktop, it only prints a line that says so.
    static func open(_ url: String) {
        var child = pid_t()
        var words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("xdg-open"), strdup(url), nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        // The browser receives signals, even if the calling thread blocks them.
        var (attributes, none) = (posix_spawnattr_t(), sigset_t())
        unsafe sigemptyset(&none)
        _ = unsafe posix_spawnattr_init(&attributes)
        defer { _ = unsafe posix_spawnattr_destroy(&attributes) }
        _ = unsafe posix_spawnattr_setsigmask(&attributes, &none)
        _ = unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let status = unsafe posix_spawnp(&child, "xdg-open", nil, &attributes, &words, environ)
        if status != 0 { Output.complain("the browser cannot be opened automatically: open \(url) yourself") }
    }
}
#endif
