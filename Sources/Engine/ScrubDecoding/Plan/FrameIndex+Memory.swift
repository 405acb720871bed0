internal import ScrubBitstream
internal import ScrubLibAV
package import ScrubBase
package import ScrubIndex

extension FrameIndex {
    /// The approximate size of one decoded picture in bytes.
    package var pictureByteCount: Int { facts.descriptions.map { pictureByteCount($0) }.max() ?? 0 }

    /// The maximum size in bytes of one picture's buffer: rows and columns beyond the edges, to which decoders write;
    /// rows of whole 64-byte lines (`avcodec_align_dimensions2`); buffers of whole pages.
    package var pictureBufferByteCount: Int {
        facts.descriptions.map { description in
            let (width, height) = FrameIndex.size(description)
            let (columns, rows) = ((width + 127) / 64 * 64, (height + 63) / 32 * 32)
            return Int(
                Double(pictureByteCount(description)) * Double(columns) / Double(width) * Double(rows) / Double(height))
                + 8192
        }.max() ?? 0
    }

    /// The size of the first sequence's pictures, at least 16 samples in each dimension.
    package var pictureShape: (width: Int, height: Int) { facts.descriptions.first.map(FrameIndex.size) ?? (16, 16) }

    /// Returns the approximate size in bytes of a reduced picture.
    package func byteCount(ofPictureReducedTo size: (width: Int, height: Int)) -> Int {
        let shape = pictureShape
        // Rows are padded to 64 samples, and buffers to whole pages.
        let area = (size.width + 63) / 64 * 64 * (size.height + 16)
        return area * (pictureByteCount / (shape.width * shape.height) + 1) + 4096
    }

    /// The maximum number of decoded pictures that a decoder holds for reference and output: the value in the
    /// container's parameter sets, or else the limits of the format and its level.
    var heldPictureLimit: Int {
        facts.descriptions.map { description in
            var described = description
            let told = PictureBuffering(codec: facts.codec, extradata: description.extradata)
            if described.level < 0, let level = told?.level { described.level = Int32(clamping: level) }
            return min(16, max(told?.pictureLimit ?? described.decodedPictureLimit, 1, reorderDelay))
        }.max() ?? 16
    }

    /// Rejects a stream whose decoder would hold more than allowed.
    ///
    /// - Throws: `badData` with the limit's name.
    package func checkDecoder(_ limits: MediaLimits, path: String) throws(ScrubError) {
        // Codecs whose headers are not parsed here may hold any number; most hold one or two.
        guard facts.codec != .other else { return }
        do throws(ScrubError) {
            try limits.check(
                .decoderBytes, FrameEngine.workingByteCount(self, threadCount: 1),
                "the size of the \(heldPictureLimit) pictures that its decoder holds and of three pictures in transit")
        } catch {
            throw error.inFile(path)
        }
    }

    private static func size(_ description: CodecDescription) -> (width: Int, height: Int) {
        (Int(max(16, description.width)), Int(max(16, description.height)))
    }

    private func pictureByteCount(_ description: CodecDescription) -> Int {
        let (width, height) = FrameIndex.size(description)
        let named = PixelFormat(rawValue: description.pixelFormat).byteCount(width: width, height: height)
        if named > 0 { return named }
        let told = PictureBuffering(codec: facts.codec, extradata: description.extradata)
        // Containers that do not specify the format usually contain 8-bit 4:2:0.
        return told?.byteCount(width: width, height: height) ?? width * height * 3 / 2
    }
}
