package import ScrubFileIO
internal import ScrubLibAV
internal import ScrubPictures
public import ScrubStoryboards

/// A still picture embedded in a file, such as MP4's `covr`, Matroska's attached images, or the pictures in MP3 and
/// FLAC files. It is never treated as the file's video.
///
/// Thread safety: a value type. Memory: the picture's bytes and its decoded samples, plus its converted pixels during
/// encoding.
public struct CoverArt: Sendable {
    /// The stream's index in the file, as in ffmpeg's `-map 0:N`.
    public let stream: Int
    /// The codec's short name, such as `mjpeg` or `png`.
    public let codec: String
    /// The width in pixels; 0 if the picture cannot be decoded.
    public let width: Int
    /// The height in pixels; 0 if the picture cannot be decoded.
    public let height: Int
    /// The picture as stored in the file.
    public let bytes: [UInt8]
    private let description: CodecDescription
    private let shared: SharedFrame?

    /// Returns the cover art of a file, whether or not the file contains video. The call reads the container's header
    /// and decodes the cover art. A file that libavformat does not recognize has no cover art.
    ///
    /// - Throws: `noInput` if the file does not exist, `inputOutput` if it cannot be read, `CancellationError` if the
    ///   task was cancelled.
    public static func load(from path: String) async throws -> [CoverArt] {
        try await BlockingWork.run(.brief) { try load(from: path) }
    }

    /// Returns the cover art synchronously, on the calling thread. See the asynchronous method.
    package static func load(from path: String) throws(ScrubError) -> [CoverArt] {
        try load(from: try MediaSource(path: path))
    }

    /// Returns the cover art of a source.
    ///
    /// - Throws: the errors of ``load(from:)-(String)``.
    package static func load(from source: MediaSource) throws(ScrubError) -> [CoverArt] {
        guard let input = try? Input(source, name: source.path) else {
            // A read error is thrown; a file that libavformat cannot parse has no cover art.
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

    /// The format of the bytes; `nil` for a format that Scrub does not write, such as GIF or BMP.
    public var format: ImageFormat? { codec == "mjpeg" ? .jpeg : ImageFormat(rawValue: codec) }

    /// The usual file extension for these bytes, without a dot.
    public var fileExtension: String { format?.fileExtension ?? (codec == "tiff" ? "tif" : codec) }

    /// The upright size with square pixels; `nil` if the picture cannot be decoded.
    var shape: (width: Int, height: Int)? {
        guard let shared, width > 0, height > 0 else { return nil }
        return PictureRenderer.geometry(of: shared, codec: description, containerAspect: nil, displayMatrix: nil)
            .outputSize(width: width, height: height)
    }

    /// Returns the picture as an encoded file.
    ///
    /// - Parameters:
    ///   - format: the format of the encoded file. If the cover art already has this format and no size is given, its
    ///     bytes are returned unchanged.
    ///   - width: the width in pixels; `nil` to keep the picture's width.
    ///   - side: the maximum length of the longer side in pixels. A smaller picture is not enlarged.
    ///   - quality: the encoder's quality, from 1 to 100. It has no effect on PNG.
    /// - Throws: `badData` if the picture cannot be decoded, `usage` if the quality is out of range or a side would be
    ///   outside 1...16384.
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
            warnings: warnings.map { Wording($0) })
    }

    func image(_ size: PictureSize) throws(ScrubError) -> (image: RasterImage, warnings: [String]) {
        guard let shared else { throw ScrubError(.badData, "the cover art of stream \(stream) cannot be decoded") }
        let (images, warnings) = try ThumbnailRenderer(
            sizes: [size], codec: description, displayMatrix: nil, cleanAperture: nil
        )
        .render(shared)
        guard let image = images.first else { throw ScrubError(.badData, "the cover art cannot be converted") }
        return (image.shown(on: .black), warnings)
    }
}
