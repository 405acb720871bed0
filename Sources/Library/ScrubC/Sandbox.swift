#if compiler(>=6.3)
internal import CScrub
internal import Glibc
internal import ScrubMedia
internal import ScrubBase

@c @implementation func scrub_begin_sandbox(
    _ program: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        ForkWatch.begin()
        let program = try unsafe program.map { unsafe CText.read($0) } ?? SandboxProgram.found()
        try MediaSandbox.begin(program: program)
        try MediaSandbox.check()
    }
}

/// The program that a sandbox's processes run.
private enum SandboxProgram {
    /// Never the name `scrub`: Debian has a disk wiper with that name.
    static func found() throws(ScrubError) -> String {
        let path = unsafe getenv("PATH").map { unsafe CText.read($0) } ?? ""
        let folders = ["/usr/bin"] + path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        for folder in folders {
            let name = folder + "/scrub-video"
            if unsafe access(name, X_OK) == 0 { return name }
        }
        throw ScrubError(
            .unavailable, "the program scrub-video, which sandboxed processes run, is neither in /usr/bin nor in PATH",
            advice: "install the package scrub-video, or specify the program's path")
    }
}
#endif
