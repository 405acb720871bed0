internal import ScrubBitstream
package import ScrubFileIO
package import ScrubLibAV
internal import ScrubBase

extension SampleHead {
    /// Returns whether a picture of a codec that may inherit tables has all of its own, and so does not depend on
    /// earlier pictures of the decoder. Tables that cannot be read count as missing.
    ///
    /// Cost: reads the picture's first bytes, or all of a picture that has several scans.
    package static func standsAlone(
        _ number: Int, of pictures: CodedPictures, _ codec: CodecDescription, _ file: MediaSource
    ) -> Bool {
        guard pictures.offsets.indices.contains(number) else { return false }
        return standsAlone(offset: pictures.offsets[number], size: pictures.sizes[number], codec, file)
    }

    /// - Parameters:
    ///   - offset: the beginning of the picture's bytes in the file.
    ///   - size: the number of its bytes.
    package static func standsAlone(offset: Int64, size: UInt32, _ codec: CodecDescription, _ file: MediaSource) -> Bool
    {
        guard var head = SampleHead(offset: offset, size: size, firstRead: 4 << 10, file: file) else { return false }
        while true {
            let tables = codec.tables(of: head.bytes.span)
            // Without its own Huffman tables, it uses those of the last picture that had any.
            let isOwn = tables.defined == .huffman
            if let isWhole = tables.onlyScanIsWhole { return isWhole && isOwn }
            if head.isWhole { return tables.isWhole && isOwn }
            guard head.readMore() else { return false }
        }
    }
}

extension CodedPictures {
    /// The number of pictures whose headers are read: some at the beginning, and some spread over the video.
    private static let probed = (first: 8, others: 24)
    /// The same for videos longer than ``shortFilm``. All headers of the first pictures are read, which show whether
    /// all are alike. For the others, only the bytes before the tables are read (comments, color transforms).
    private static let probedOfLong = (first: 2, others: 24)
    private static let shortFilm = 64
    /// The number of bytes that are read of each picture of a short video, of the first pictures of a longer one, and
    /// of its others.
    private static let (headSize, firstHeadSize, commentSize) = (4 << 10, 768, 96)

    /// For codecs that may inherit tables, returns whether the headers of some pictures show that the decoder keeps
    /// other state too (``DecoderMemory``). If so, all other pictures must be read.
    ///
    /// An encoder usually writes such state into the first picture or into all pictures. State in other places is not
    /// found.
    func hintAtState(_ codec: CodecDescription, _ file: MediaSource) -> Bool {
        guard var memory = DecoderMemory(codec), count > 0 else { return false }
        // JPEG-LS has palettes, which are longer than comments.
        let isLong = count > CodedPictures.shortFilm && !file.isRemote && codec.codecName != "jpegls"
        let probed = isLong ? CodedPictures.probedOfLong : CodedPictures.probed
        let others = file.isRemote ? [] : (1...probed.others).map { $0 * (count - 1) / probed.others }
        let first = 0..<min(count, file.isRemote ? 1 : probed.first)
        for picture in Set(first).union(others).sorted() where !flags[picture].contains(.missing) {
            var size = CodedPictures.headSize
            if isLong { size = first.contains(picture) ? CodedPictures.firstHeadSize : CodedPictures.commentSize }
            guard sizes[picture] > 0,
                let head = SampleHead(offset: offsets[picture], size: sizes[picture], firstRead: size, file: file)
            else { continue }
            if !memory.take(head.bytes.span).beginsAlike || memory.varies { return true }
        }
        return false
    }
}

extension CodecDescription {
    /// Returns the tables in a picture of a codec that ``mayInheritTables``.
    func tables(of bytes: Span<UInt8>) -> JPEGTables {
        // Motion JPEG B has its segments after a header with their offsets, without markers: their positions are not
        // searched.
        JPEGTables(bytes)
    }
}
