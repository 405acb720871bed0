#if CommandLine
internal import Glibc
internal import Scrub

/// Keeps commands from writing over the video that they read.
enum OwnInput {
    /// - Throws: `usage` when an output is one of the files that are read, by whatever name.
    static func check(_ output: String?, against inputs: [MediaName]) throws(ScrubError) {
        guard let output, output != "-", let written = identity(of: output) else { return }
        for input in inputs where !input.isRemote && identity(of: input.typed) == written {
            throw ScrubError(
                .usage, "is the video itself, which would be written over", file: output,
                advice: "give the output another name")
        }
    }

    private struct Identity: Equatable {
        let device: dev_t
        let number: ino_t
    }

    /// Returns the file that a name stands for; `nil` if it does not exist yet, and for names that are not those of
    /// files.
    private static func identity(of path: String) -> Identity? {
        var facts = stat()
        guard unsafe fstatat(AT_FDCWD, path, &facts, 0) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return Identity(device: facts.st_dev, number: facts.st_ino)
    }
}
#endif
