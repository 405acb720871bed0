internal import ScrubFileIO
internal import ScrubPictures

/// A picture as a file's bytes, and the instructions that could not be followed.
public struct EncodedPicture: Sendable {
    /// The file.
    public let bytes: [UInt8]
    /// Columns of the encoded picture.
    public let width: Int
    /// Rows of the encoded picture.
    public let height: Int
    /// Sentences for people: a colour matrix that had to be replaced, an absurd aspect ratio.
    public let warnings: [String]

    package init(bytes: [UInt8], width: Int, height: Int, warnings: [String]) {
        (self.bytes, self.width, self.height, self.warnings) = (bytes, width, height, warnings)
    }

    /// Writes the file atomically. Its folder must exist.
    ///
    /// - Parameter replacesFiles: whether to replace a file that no earlier call wrote. A file that is being read as a
    ///   video is never replaced.
    /// - Throws: `usage` if the name belongs to a file that must not be replaced; `inputOutput` if writing fails, such
    ///   as on a full disk.
    public func write(to path: String, replacesFiles: Bool = false) throws(ScrubError) {
        try AtomicFile.write(bytes, to: try OutputFile(path, .picture, replacesFiles: replacesFiles))
    }

    /// Writes the file into a working folder. It gets its final name later, together with other files.
    package func write(staged path: String) throws(ScrubError) { try AtomicFile.write(bytes, to: .staged(path)) }
}

extension FramePicture {
    /// Returns the picture as a file in memory, converted by the matrix and range that the stream's tags name. It is
    /// upright and has square pixels unless the options say otherwise.
    ///
    /// PNG has 8 bits per channel and 16 for deeper sources, AVIF 8 and 10; gray stays gray in PNG and JPEG. PNG, WebP
    /// and AVIF keep alpha, straight; JPEG shows ``FramePicture/Options/background`` behind it.
    ///
    /// Cost: for 1080p of 8 bits, on one thread, 12 ms as JPEG, 51 ms as PNG, 87 ms as WebP, 270 ms as AVIF. The pixels
    /// are 9 ms of that (``pixels(_:alpha:options:)``). All processors share the work on a large PNG, on threads that
    /// are started for it. Memory: the picture's pixels twice, and the file.
    ///
    /// - Parameter quality: 1 to 100 on the encoder's own scale; without effect on PNG, which loses nothing.
    /// - Throws: `usage` for another quality, a side that is not in 1...16384, or high dynamic range that is to be kept
    ///   in JPEG or WebP. `unavailable` for AVIF if libavif is not installed.
    public func encoded(
        as format: ImageFormat, options: FramePicture.Options = .init(), quality: Int = 90
    ) throws(ScrubError) -> EncodedPicture {
        try encoded(as: format, options: options, quality: quality, threads: Processors.count)
    }

    /// As the public one, with the threads that may be at work on a PNG, the calling one among them.
    package func encoded(
        as format: ImageFormat, options: FramePicture.Options, quality: Int, threads: Int
    ) throws(ScrubError) -> EncodedPicture {
        // Before the work, not after it.
        try ImageFormat.check(quality: quality)
        let (image, warnings) = try rendered(options)
        guard format.holdsHighDynamicRange || !ToneMapper.isNeeded(for: image.color) else {
            throw ScrubError(
                .usage, "\(format.rawValue) cannot say what the numbers of high dynamic range mean",
                advice: "write PNG or AVIF, or have it tone-mapped")
        }
        let bytes = try format.encode(
            image, quality: quality, ground: options.background ?? .black, threads: threads)
        return EncodedPicture(bytes: bytes, width: image.width, height: image.height, warnings: warnings)
    }

    /// Returns the picture as a PNG: ``encoded(as:options:quality:)``, which loses nothing of its pixels.
    ///
    /// Cost: some 50 ms of a processor for 1080p, most of it compression, on all processors. Memory: the RGB picture
    /// and the file.
    public func png(_ options: FramePicture.Options = .init()) throws(ScrubError) -> EncodedPicture {
        try encoded(as: .png, options: options)
    }

    /// Writes the picture as a PNG file atomically. Its folder must exist.
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
