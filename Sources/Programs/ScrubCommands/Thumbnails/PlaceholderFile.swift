#if CommandLine
internal import Glibc
internal import Scrub
internal import ScrubFileIO
internal import SystemPackage

/// A file that another program has made for its name alone, and holds open.
///
/// Tumbler, the thumbnail service of Thunar, reads a thumbnail from the very file that it has made, and does not see
/// another one of the same name.
enum PlaceholderFile {
    /// Writes a file that appears whole or not at all. An empty one that is there is filled instead.
    ///
    /// - Throws: `inputOutput` when it cannot be written; what was empty is empty again then.
    static func write(_ bytes: [UInt8], to path: String) throws(ScrubError) {
        guard isEmptyFile(path) else { return try AtomicFile.write(bytes, to: path, makesFolders: true) }
        do {
            let file = try FileDescriptor.open(FilePath(systemName: path), .writeOnly, options: .closeOnExec)
            try file.closeAfter {
                do {
                    _ = try file.writeAll(bytes)
                } catch {
                    try? file.resize(to: 0)
                    throw error
                }
            }
        } catch {
            throw ScrubError(system: error, .inputOutput, doing: "cannot be written", file: path)
        }
    }

    private static func isEmptyFile(_ path: String) -> Bool {
        var facts = stat()
        let found = unsafe FilePath(systemName: path).withPlatformString { name in
            unsafe fstatat(AT_FDCWD, name, &facts, 0)
        }
        return found == 0 && facts.st_mode & S_IFMT == S_IFREG && facts.st_size == 0
    }
}
#endif
