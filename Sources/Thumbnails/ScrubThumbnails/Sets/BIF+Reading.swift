internal import ScrubFileIO
internal import ScrubStoryboards

extension Storyboard.BIF {
    /// Reads the header of a BIF file, without its pictures.
    ///
    /// - Throws: the errors of ``init(parsing:byteCount:)``.
    init(readingHeadOf file: FileSource) throws(ScrubError) {
        let start = try file.read(
            at: 0, count: Int(min(file.byteCount, Int64(Storyboard.BIF.headerByteCount(pictures: 0)))))
        // The header's claims never cost more memory than the file has bytes.
        let pictures = Int(start.littleEndian(at: 12) ?? 0)
        let head = try file.read(
            at: 0, count: Int(min(file.byteCount, Int64(Storyboard.BIF.headerByteCount(pictures: pictures)))))
        try self.init(parsing: head, byteCount: Int(file.byteCount))
    }
}
