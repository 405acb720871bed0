internal import ScrubFileIO
internal import ScrubPictures

/// An encoded picture in memory, with warnings about options that could not be applied.
public struct EncodedPicture: Sendable {
    /// The file's bytes.
    public let bytes: [UInt8]
    /// The width of the encoded picture in pixels.
    public let width: Int
    /// The height of the encoded picture in pixels.
    public let height: Int
    /// Human-readable warnings, for example about a color matrix that had to be replaced or an implausible aspect
    /// ratio.
    public let warnings: [Wording]

    package init(bytes: [UInt8], width: Int, height: Int, warnings: [Wording]) {
        (self.bytes, self.width, self.height, self.warnings) = (bytes, width, height, warnings)
    }

    /// Writes the file atomically. Its folder must exist.
    ///
    /// - Parameter replacesFiles: whether to replace an existing file even if no earlier call wrote it. A file that is
    ///   being read is never replaced.
    /// - Throws: `usage` if the path leads to a file that must not be replaced; `inputOutput` if writing fails, for
    ///   example because the disk is full.
    public func write(to path: String, replacesFiles: Bool = false) throws(ScrubError) {
        try AtomicFile.write(bytes, to: try OutputFile(path, .picture, replacesFiles: replacesFiles))
    }

    /// Writes the file into a working folder. It gets its final name later, together with other files.
    package func write(staged path: String) throws(ScrubError) { try AtomicFile.write(bytes, to: .staged(path)) }
}

extension FramePicture {
    /// Encodes the picture as a file in memory. Colors are converted with the matrix and range in the stream's tags.
    /// The result is upright and has square pixels unless the options say otherwise.
    ///
    /// PNG has 8 bits per channel, or 16 for deeper sources; AVIF has 8 or 10. Grayscale pictures stay grayscale in PNG
    /// and JPEG. PNG, WebP and AVIF store straight alpha. For JPEG, the picture is composited over
    /// ``FramePicture/Options/background``.
    ///
    /// Cost for an 8-bit 1080p picture on one thread: 12 ms as JPEG, 51 ms as PNG, 87 ms as WebP, 270 ms as AVIF. Each
    /// time includes 9 ms for converting the pixels (``pixels(_:alpha:options:)``). A large PNG is compressed on all
    /// processors, by additional threads. Memory: twice the size of the picture's pixels, plus the file.
    ///
    /// - Parameter quality: from 1 to 100, on the encoder's scale. It has no effect on PNG, which is lossless.
    /// - Throws: `usage` if the quality is out of range, the width or height is outside 1...16384, or JPEG or WebP
    ///   would have to store high dynamic range. `unavailable` for AVIF if libavif is not installed.
    public func encoded(
        as format: ImageFormat, options: FramePicture.Options = .init(), quality: Int = 90
    ) throws(ScrubError) -> EncodedPicture {
        try encoded(as: format, options: options, quality: quality, threads: Processors.count)
    }

    /// Encodes like the public method, with the given number of threads for a PNG, including the calling one.
    package func encoded(
        as format: ImageFormat, options: FramePicture.Options, quality: Int, threads: Int
    ) throws(ScrubError) -> EncodedPicture {
        // Checked before the work rather than after it.
        try ImageFormat.check(quality: quality)
        let (image, warnings) = try rendered(options)
        guard format.holdsHighDynamicRange || !ToneMapper.isNeeded(for: image.color) else {
            throw ScrubError(
                .usage, "\(format.rawValue) cannot store high dynamic range",
                advice: "write PNG or AVIF, or tone-map the picture")
        }
        let bytes = try format.encode(
            image, quality: quality, ground: options.background ?? .black, threads: threads)
        return EncodedPicture(
            bytes: bytes, width: image.width, height: image.height, warnings: warnings.map { Wording($0) })
    }

    /// Returns the picture as a lossless PNG, like ``encoded(as:options:quality:)`` does.
    ///
    /// Cost: about 50 ms of processor time for 1080p, mostly compression, spread over all processors. Memory: the RGB
    /// picture and the file.
    package func png(_ options: FramePicture.Options = .init()) throws(ScrubError) -> EncodedPicture {
        try encoded(as: .png, options: options)
    }

    /// Writes the picture atomically as a PNG file. Its folder must exist.
    ///
    /// - Parameter replacesFiles: as for ``EncodedPicture/write(to:replacesFiles:)``.
    @discardableResult
    public func writePNG(
        to path: String, options: FramePicture.Options = .init(), replacesFiles: Bool = false
    ) throws(ScrubError) -> EncodedPicture {
        let output = try OutputFile(path, .picture, replacesFiles: replacesFiles)
        let encoded = try png(options)
        try AtomicFile.write(encoded.bytes, to: output)
        return encoded
    }
}
