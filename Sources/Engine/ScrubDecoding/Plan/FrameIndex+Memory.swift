internal import ScrubBitstream
internal import ScrubLibAV
package import ScrubBase
package import ScrubIndex

extension FrameIndex {
    /// About the bytes of one decoded picture.
    package var pictureByteCount: Int { facts.descriptions.map { pictureByteCount($0) }.max() ?? 0 }

    /// The most bytes of one picture's buffer: rows and columns beyond the edges that decoders write to, rows of whole
    /// 64-byte lines (`avcodec_align_dimensions2`), buffers of whole pages.
    package var pictureBufferByteCount: Int {
        facts.descriptions.map { description in
            let (width, height) = FrameIndex.size(description)
            let (columns, rows) = ((width + 127) / 64 * 64, (height + 63) / 32 * 32)
            return Int(
                Double(pictureByteCount(description)) * Double(columns) / Double(width) * Double(rows) / Double(height))
                + 8192
        }.max() ?? 0
    }

    /// The size of the first sequence's pictures, 16 samples or more each way.
    package var pictureShape: (width: Int, height: Int) { facts.descriptions.first.map(FrameIndex.size) ?? (16, 16) }

    /// Returns about the bytes of a picture that is reduced to a size.
    package func byteCount(ofPictureReducedTo size: (width: Int, height: Int)) -> Int {
        let shape = pictureShape
        // Rows are padded to 64 samples, and buffers to whole pages.
        let area = (size.width + 63) / 64 * 64 * (size.height + 16)
        return area * (pictureByteCount / (shape.width * shape.height) + 1) + 4096
    }

    /// The most decoded pictures that a decoder holds for reference and output. It is the value of the container's
    /// parameter sets, else the limits of the format and its level.
    var heldPictureLimit: Int {
        facts.descriptions.map { description in
            var described = description
            let told = PictureBuffering(codec: facts.codec, extradata: description.extradata)
            if described.level < 0, let level = told?.level { described.level = Int32(clamping: level) }
            return min(16, max(told?.pictureLimit ?? described.decodedPictureLimit, 1, reorderDelay))
        }.max() ?? 16
    }

    /// Refuses a stream whose decoder would hold more than it may.
    ///
    /// - Throws: `badData` with the limit's name.
    package func checkDecoder(_ limits: MediaLimits, path: String) throws(ScrubError) {
        // Codecs whose headers are not parsed here may hold any number; most hold one or two.
        guard facts.codec != .other else { return }
        do throws(ScrubError) {
            try limits.check(
                .decoderBytes, FrameEngine.workingByteCount(self, threadCount: 1),
                "the bytes of \(heldPictureLimit) pictures that its decoder holds, and three on their way")
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
        // Containers that don't tell the format hold 4:2:0 with 8 bits, mostly.
        return told?.byteCount(width: width, height: height) ?? width * height * 3 / 2
    }
}
