internal import FileIO
internal import ScrubPictures

/// Reads still pictures of sets, whatever their files are called: what a file is, its bytes say.
enum StillFile {
    /// The most bytes of a decoded sheet: a hundred tiles of 1920 x 1080 have 600 MB.
    static let byteLimit = 1 << 30
    /// The most bytes of a sheet's file.
    static let fileLimit = 1 << 30

    /// A still picture's pixels, 8-bit RGB; `nil` when it cannot be decoded or is beyond the limits.
    ///
    /// - Parameter mostWidth: a wider one is made smaller. A poster may have the video's own size, and a comparison needs no
    ///   more than a thumbnail's.
    static func image(_ file: FileSource, mostWidth: Int = .max) -> RasterImage? {
        if mostWidth == .max, let bytes = jpeg(file) { return image(ofJPEG: bytes) }
        return withPicture(file) { picture in
            try? picture.small(width: picture.width > mostWidth ? mostWidth : nil).image
        }
    }

    /// A still picture's sides in pixels; `nil` when it cannot be decoded or is beyond the limits.
    static func size(_ file: FileSource) -> (width: Int, height: Int)? {
        // A header alone would not tell whether the rest can be decoded.
        if let bytes = jpeg(file) { return image(ofJPEG: bytes).map { ($0.width, $0.height) } }
        return withPicture(file) { try? $0.asset.uprightShape() }
    }

    /// A JPEG picture's pixels, 8-bit RGB; `nil` as for ``image(_:mostWidth:)``.
    static func image(ofJPEG bytes: [UInt8]) -> RasterImage? { try? JPEG.decode(bytes, byteLimit: byteLimit) }

    /// The bytes of a file that is JPEG.
    private static func jpeg(_ file: FileSource) -> [UInt8]? {
        guard file.byteCount > 4, let head = try? file.read(at: 0, count: 4), JPEG.isJPEG(head) else { return nil }
        return try? file.contents(limit: fileLimit)
    }

    /// Lends a picture of another format, decoded as a video of one frame.
    private static func withPicture<R>(_ file: FileSource, _ body: (Picture) -> R?) -> R? {
        // By its descriptor: the name could lead elsewhere by now, and one with digits in it would be a pattern to libavformat.
        defer { withExtendedLifetime(file) {} }
        var options = OpenOptions(cache: .none)
        options.pictureByteLimit = byteLimit
        guard let asset = try? VideoAsset(path: file.descriptorPath, options: options) else { return nil }
        var reader = FrameReader(asset)
        guard let picture = try? reader.frame(at: .first).picture else { return nil }
        return body(picture)
    }
}
