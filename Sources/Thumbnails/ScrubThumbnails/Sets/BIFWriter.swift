internal import ScrubFileIO
internal import ScrubStoryboards

/// Writes a BIF file picture by picture: its head is filled in at the end. Memory: none but the picture that is
/// written.
struct BIFWriter: ~Copyable {
    private var file: AtomicFileWriter

    /// - Parameter count: the number of pictures that there will be.
    init(path: String, count: Int) throws(ScrubError) {
        file = try AtomicFileWriter(.staged(path), headByteCount: Storyboard.BIF.headerByteCount(pictures: count))
    }

    /// Writes the next picture, a JPEG file.
    mutating func append(_ picture: [UInt8]) throws(ScrubError) { try file.append(picture.span) }

    /// Writes the next picture, which is in another file.
    mutating func append(_ picture: FoundPicture) throws(ScrubError) { try file.append(picture.file, picture.range) }

    /// Gives the file its head and its name.
    ///
    /// - Throws: `usage` if BIF cannot hold the set.
    consuming func commit(_ board: Storyboard) throws(ScrubError) {
        try file.replaceHead(try Storyboard.BIF(board).header.span)
        try file.commit()
    }
}
