internal import ScrubFileIO
internal import ScrubPictures

/// A reader of still pictures in sets that recognizes their format by their bytes, whatever the file's name.
enum StillFile {
    /// The maximum number of bytes of a decoded sheet: a hundred tiles of 1920 x 1080 have 600 MB.
    static let byteLimit = 1 << 30
    /// The maximum size of a sheet's file in bytes.
    ///
    /// A hundred tiles of 1920 x 1080 at the best quality take half of that.
    static let fileLimit = 256 << 20

    /// Returns a still picture's pixels, 8-bit RGB; `nil` if it cannot be decoded or exceeds the limits.
    ///
    /// - Parameter mostWidth: the maximum width; a wider picture is reduced. A poster may have the video's own size,
    ///   and a comparison needs no more than a thumbnail's.
    /// - Throws: `inputOutput` if reading fails, because another way of decoding might then give different pixels.
    static func image(_ file: FileSource, mostWidth: Int = .max) throws(ScrubError) -> RasterImage? {
        if mostWidth == .max, let bytes = try jpeg(file) { return image(ofJPEG: bytes) }
        return try withPicture(file) { picture in
            try? picture.small(width: picture.width > mostWidth ? mostWidth : nil).image
        }
    }

    /// Returns a still picture's size in pixels; `nil` if it cannot be decoded or exceeds the limits.
    ///
    /// - Throws: `inputOutput` if reading fails.
    static func size(_ file: FileSource) throws(ScrubError) -> (width: Int, height: Int)? {
        // A header alone does not prove that the rest can be decoded.
        if let bytes = try jpeg(file) { return image(ofJPEG: bytes).map { ($0.width, $0.height) } }
        return try withPicture(file) { try? $0.asset.uprightShape() }
    }

    /// Returns a JPEG picture's pixels, 8-bit RGB; `nil` in the same cases as for ``image(_:mostWidth:)``.
    static func image(ofJPEG bytes: [UInt8]) -> RasterImage? { try? JPEG.decode(bytes, byteLimit: byteLimit) }

    /// Returns the bytes of a JPEG file.
    private static func jpeg(_ file: FileSource) throws(ScrubError) -> [UInt8]? {
        try readable { () throws(ScrubError) in
            guard file.byteCount > 4, JPEG.isJPEG(try file.read(at: 0, count: 4)) else { return nil }
            return try file.contents(limit: fileLimit)
        }
    }

    /// Reports a failed read as an error, and any other fault as no picture.
    private static func readable<R>(_ body: () throws(ScrubError) -> R?) throws(ScrubError) -> R? {
        do throws(ScrubError) {
            return try body()
        } catch  where error.code != .inputOutput {
            return nil
        }
    }

    /// Calls a closure with a picture of another format, decoded as a video of one frame.
    private static func withPicture<R>(_ file: FileSource, _ body: (FramePicture) -> R?) throws(ScrubError) -> R? {
        // By its descriptor: the name could refer to another file by now, and one with digits would be a pattern to
        // libavformat.
        defer { withExtendedLifetime(file) {} }
        var options = VideoAsset.OpenOptions(cache: .none)
        options.pictureByteLimit = byteLimit
        let picture = try readable { () throws(ScrubError) in
            var reader = FrameReader(try VideoAsset(path: file.descriptorPath, options: options))
            return try reader.frame(at: .first).picture
        }
        return picture.flatMap(body)
    }
}
