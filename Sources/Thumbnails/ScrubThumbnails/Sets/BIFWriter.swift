internal import ScrubFileIO
internal import ScrubStoryboards

/// Writes a BIF file picture by picture, with its header last. Memory: only the picture being written.
struct BIFWriter: ~Copyable {
    private var file: AtomicFileWriter

    /// Creates a writer.
    ///
    /// - Parameter count: the number of pictures.
    init(path: String, count: Int) throws(ScrubError) {
        file = try AtomicFileWriter(.staged(path), headByteCount: Storyboard.BIF.headerByteCount(pictures: count))
    }

    /// Appends the next picture, a JPEG file.
    mutating func append(_ picture: [UInt8]) throws(ScrubError) { try file.append(picture.span) }

    /// Appends the next picture from another file.
    mutating func append(_ picture: ParsedPicture) throws(ScrubError) { try file.append(picture.file, picture.range) }

    /// Writes the file's header and gives the file its name.
    ///
    /// - Throws: `usage` if BIF cannot represent the set.
    consuming func commit(_ board: Storyboard) throws(ScrubError) {
        try file.replaceHead(try Storyboard.BIF(board).header.span)
        try file.commit()
    }
}
