#if CommandLine
internal import Glibc

extension Terminal {
    /// The columns of the terminal on standard error; 80 if it does not report them.
    static var width: Int {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
#endif
