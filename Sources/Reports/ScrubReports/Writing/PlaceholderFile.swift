package import ScrubBase
package import ScrubFileIO

/// A file that another program has created only to reserve the name, and keeps open.
///
/// Tumbler, the thumbnail service of Thunar, reads a thumbnail from the file that it created, and does not see another
/// file of the same name.
package enum PlaceholderFile {
    /// Writes a file atomically and creates its parent folders. An existing empty file is filled instead.
    ///
    /// - Throws: `inputOutput` if it cannot be written. In this case, a file that was empty is empty again.
    package static func write(_ bytes: [UInt8], to output: OutputFile) throws(ScrubError) {
        guard let facts = FileFacts(path: output.path, followsLinks: false), facts.kind == .file, facts.byteCount == 0
        else {
            try output.makeFolders()
            return try AtomicFile.write(bytes, to: output)
        }
        try output.fill(bytes)
    }
}
