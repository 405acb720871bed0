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
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

/// The browser that the desktop has.
enum Browser {
    /// Shows an address; where there is no desktop, nothing happens but a line that says so.
    static func open(_ url: String) {
        var child = pid_t()
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("xdg-open"), strdup(url), nil]
        defer { for word in words { free(word) } }
        let status = posix_spawnp(&child, "xdg-open", nil, nil, &words, environ)
        if status != 0 { Output.complain("no browser can be opened here: open \(url) yourself") }
    }
}
