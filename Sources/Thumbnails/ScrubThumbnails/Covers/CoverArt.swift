package import ScrubFileIO
internal import ScrubLibAV
internal import ScrubPictures
public import ScrubStoryboards

/// A still that comes with a file: MP4's `covr`, Matroska's attached images, the pictures of MP3 and FLAC. It is never
/// taken for the file's video.
///
/// Thread safety: a value. Memory: the picture's bytes, and its pixels while one is made.
public struct CoverArt: Sendable {
    /// The stream's place in the file, as ffmpeg's `-map 0:N` counts.
    public let stream: Int
    /// The codec's short name, such as `mjpeg` or `png`.
    public let codec: String
    /// Pixels; 0 when it cannot be decoded.
    public let width: Int
    /// Pixels; 0 when it cannot be decoded.
    public let height: Int
    /// The picture as it is in the file.
    public let bytes: [UInt8]
    private let description: CodecDescription
    private let shared: SharedFrame?

    /// Returns the covers of a file, with or without video. Reads the container's header, and decodes the stills.
    ///
    /// - Throws: `noInput` if the file does not exist, `inputOutput` if it cannot be read. A file that libavformat does
    ///   not know has no covers. `CancellationError` when the task was cancelled.
    public static func all(in path: String) async throws -> [CoverArt] {
        try await BlockingWork.run(.brief) { try all(in: path) }
    }

    /// As the asynchronous one, on the calling thread.
    package static func all(in path: String) throws(ScrubError) -> [CoverArt] {
        try all(in: try MediaSource(path: path))
    }

    /// Returns the covers of a source.
    ///
    /// - Throws: as ``all(in:)-(String)``.
    package static func all(in source: MediaSource) throws(ScrubError) -> [CoverArt] {
        guard let input = try? Input(source, name: source.path) else {
            // What cannot be read may have covers all the same.
            if let failure = source.lastFailure { throw failure }
            return []
        }
        return input.streams.filter(\.isCover).compactMap { stream in
            input.coverBytes(ofStream: stream.index).map { CoverArt(stream, bytes: $0) }
        }
    }

    private init(_ stream: StreamDescription, bytes: [UInt8]) {
        (self.stream, self.bytes, codec, description) = (stream.index, bytes, stream.codec.codecName, stream.codec)
        shared = SharedFrame.still(bytes, stream.codec)
        (width, height) = (shared?.frame.width ?? 0, shared?.frame.height ?? 0)
    }

    /// The format that the bytes are in; `nil` for one that is not written here, such as GIF or BMP.
    public var format: ImageFormat? { codec == "mjpeg" ? .jpeg : ImageFormat(rawValue: codec) }

    /// The usual suffix of a file with these bytes, without a dot.
    public var fileExtension: String { format?.fileExtension ?? (codec == "tiff" ? "tif" : codec) }

    /// The size upright with square pixels; `nil` when it cannot be decoded.
    var shape: (width: Int, height: Int)? {
        guard let shared, width > 0, height > 0 else { return nil }
        return PictureRenderer.geometry(of: shared, codec: description, containerAspect: nil, displayMatrix: nil)
            .outputSize(width: width, height: height)
    }

    /// Returns the picture as a file.
    ///
    /// - Parameters:
    ///   - format: the file's; the one that the bytes are in already, without a size, gives the very bytes.
    ///   - width: in pixels; `nil` for the picture's own.
    ///   - side: the longer side that it may have at most, in pixels; it is not made larger for it.
    ///   - quality: the encoder's, 1 to 100; without effect on PNG.
    /// - Throws: `badData` when it cannot be decoded, `usage` for another quality or when a side would not be in
    ///   1...16384.
    public func encoded(
        as format: ImageFormat, width: Int? = nil, fittingSide side: Int? = nil, quality: Int = 90
    ) throws(ScrubError) -> EncodedPicture {
        if format == self.format, width == nil, side == nil {
            return EncodedPicture(bytes: bytes, width: self.width, height: height, warnings: [])
        }
        try ImageFormat.check(quality: quality)
        if let side { try PictureSize.check(side, "side") }
        guard let shape else {
            throw ScrubError(.badData, "the cover art of stream \(stream) cannot be decoded")
        }
        var size = PictureSize(width: shape.width, height: shape.height)
        if let side { size = PictureSize(side: min(side, max(shape.width, shape.height)), shape: shape) }
        if let width { size = try PictureSize(givenWidth: width, shape: shape) }
        let (image, warnings) = try image(size)
        return EncodedPicture(
            bytes: try format.encode(image, quality: quality), width: image.width, height: image.height,
            warnings: warnings)
    }

    func image(_ size: PictureSize) throws(ScrubError) -> (image: RasterImage, warnings: [String]) {
        guard let shared else { throw ScrubError(.badData, "the cover art of stream \(stream) cannot be decoded") }
        let (images, warnings) = try ThumbnailRenderer(
            sizes: [size], codec: description, displayMatrix: nil, cleanAperture: nil
        )
        .render(shared)
        guard let image = images.first else { throw ScrubError(.badData, "the cover art cannot be shown") }
        return (image.shown(on: .black), warnings)
    }
}
