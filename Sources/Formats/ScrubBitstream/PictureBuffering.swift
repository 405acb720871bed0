/// The pictures of a stream that a decoder must hold, and their sample format, according to the stream's configuration.
package struct PictureBuffering: Sendable, Hashable {
    /// The maximum number of decoded pictures held for reference and output; `nil` if only the level limits them.
    package let pictureLimit: Int?
    /// H.264 `level_idc`.
    package let level: Int?
    /// `chroma_format_idc`: 0 for gray, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
    package let chromaFormat: Int
    /// The bits per sample.
    package let bitDepth: Int

    /// Reads a stream's out-of-band configuration: avcC, hvcC, av1C, or parameter sets in Annex B.
    ///
    /// - Returns: `nil` if the configuration does not specify this or is not understood.
    package init?(codec: VideoCodec, extradata: [UInt8]) {
        if codec == .av1 {
            // AV1 Codec ISO Media File Format Binding, 2.3.3: marker and version, profile and level, then flags.
            guard extradata.count >= 4, extradata[0] == 0x81 else { return nil }
            let flags = extradata[2]
            let isGray = flags & 0x10 != 0
            let (isNarrow, isLow) = (flags & 0x08 != 0, flags & 0x04 != 0)
            self.init(
                pictureLimit: 8, level: nil, chromaFormat: isGray ? 0 : isLow ? 1 : isNarrow ? 2 : 3,
                bitDepth: flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12)
            return
        }
        guard let found = PictureParser(codec: codec, extradata: extradata).buffering else { return nil }
        self = found
    }

    init(pictureLimit: Int?, level: Int?, chromaFormat: Int, bitDepth: Int) {
        (self.pictureLimit, self.level) = (pictureLimit, level)
        (self.chromaFormat, self.bitDepth) = (chromaFormat, bitDepth)
    }

    /// Returns the size in bytes of a picture's samples.
    ///
    /// - Precondition: the sides are those of a picture, at most 2^28 each.
    package func byteCount(width: Int, height: Int) -> Int {
        let halves = [2, 3, 4, 6][min(3, max(0, chromaFormat))]
        return width * height * halves / 2 * (bitDepth > 8 ? 2 : 1)
    }
}
