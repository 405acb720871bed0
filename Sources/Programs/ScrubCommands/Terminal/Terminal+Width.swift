#if CommandLine
internal import Glibc

extension Terminal {
    /// Columns of the terminal on standard error; 80 for one that doesn't tell.
    static var width: Int {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
#endif
