internal import ScrubBitstream
package import ScrubFileIO
package import ScrubLibAV
internal import ScrubBase

extension SampleHead {
    /// Whether a picture of a codec that may inherit tables has all of its own. Then it does not depend on the pictures
    /// that a decoder has seen before. If they cannot be read they count as missing.
    ///
    /// Cost: reads the picture's first bytes; all of one that has several scans.
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
            // Without Huffman tables of its own it has those of the last picture that brought any.
            let isOwn = tables.defined == .huffman
            if let isWhole = tables.onlyScanIsWhole { return isWhole && isOwn }
            if head.isWhole { return tables.isWhole && isOwn }
            guard head.readMore() else { return false }
        }
    }
}

extension CodedPictures {
    /// Pictures whose heads are looked at: some of the first ones, and some all over the film.
    private static let probed = (first: 8, others: 24)
    /// The same of a longer film than ``shortFilm``, whose first ones show whether all are alike: with all headers of
    /// the first ones, and what lies before the tables of the others (comments, kinds of color).
    private static let probedOfLong = (first: 2, others: 24)
    private static let shortFilm = 64
    /// Read of pictures of a short film, of the first ones of a longer one, and of its others.
    private static let (headSize, firstHeadSize, commentSize) = (4 << 10, 768, 96)

    /// Whether heads of some pictures of a codec that may inherit tables show that its decoder keeps more than those
    /// (``DecoderMemory``). All others have to be looked at then.
    ///
    /// An encoder that says such a thing says it in the first picture, or in all alike. One that says it anywhere else
    /// alone is not found.
    func hintAtState(_ codec: CodecDescription, _ file: MediaSource) -> Bool {
        guard var memory = DecoderMemory(codec), count > 0 else { return false }
        // JPEG-LS has palettes, which are longer than a comment.
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
    /// Returns the tables that a picture of a codec that ``mayInheritTables`` brings along.
    func tables(of bytes: Span<UInt8>) -> JPEGTables {
        // Motion JPEG B has its segments behind a header of their places, without markers: which lie where is not
        // looked for.
        JPEGTables(bytes)
    }
}
