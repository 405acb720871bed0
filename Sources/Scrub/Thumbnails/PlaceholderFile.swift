package import ScrubBase
package import ScrubFileIO

/// A file that another program has made for its name alone, and holds open.
///
/// Tumbler, the thumbnail service of Thunar, reads a thumbnail from the very file that it has made, and does not see
/// another one of the same name.
package enum PlaceholderFile {
    /// Writes a file atomically and creates its parent folders. An existing empty file is filled instead.
    ///
    /// - Throws: `inputOutput` if it cannot be written. A file that was empty is empty again then.
    package static func write(_ bytes: [UInt8], to output: OutputFile) throws(ScrubError) {
        guard let facts = FileFacts(path: output.path, followsLinks: false), facts.kind == .file, facts.byteCount == 0
        else {
            try output.makeFolders()
            return try AtomicFile.write(bytes, to: output)
        }
        try output.fill(bytes)
    }
}
