#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import Scrub

/// The format in which a picture is written.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case png, jpeg, webp, avif
    /// The stream's own picture, which ``FramePicture/streamMD5()`` hashes.
    case raw
    /// 8 bits each for red, green and blue, rows without padding; with alpha.
    case rgb, rgba

    /// `jpg` is `jpeg`; case does not matter.
    init?(argument: String) {
        let name = argument.lowercased()
        self.init(rawValue: name == "jpg" ? "jpeg" : name)
    }

    /// The format of a path's suffix.
    init?(pathSuffix path: String) {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let point = name.lastIndex(of: ".") else { return nil }
        self.init(argument: String(name[name.index(after: point)...]))
    }

    /// The file format; `nil` for bare pixels.
    var image: ImageFormat? { ImageFormat(rawValue: rawValue) }
    /// The suffix of a file's name, without the dot.
    var fileExtension: String { image?.fileExtension ?? rawValue }

    /// For help and errors.
    static let names = OutputFormat.allCases.map(\.rawValue).joined(separator: ", ")
}

/// The style of written pictures: their format and appearance.
struct OutputStyle {
    var format: OutputFormat?
    var options = FramePicture.Options()
    var quality = 90

    /// Returns the picture's bytes in a format.
    ///
    /// - Parameter threads: how many threads may work on a PNG.
    func bytes(_ picture: FramePicture, as format: OutputFormat, threads: Int) throws(ScrubError) -> EncodedPicture {
        if let image = format.image {
            return try picture.encoded(as: image, options: options, quality: quality, threads: threads)
        }
        guard format != .raw else {
            // The size differs from the picture's own if the stream changed it or the command crops.
            let (bytes, width, height) = try picture.streamSamples()
            return EncodedPicture(bytes: bytes, width: width, height: height, warnings: [])
        }
        let made = try picture.pixels(format == .rgb ? .rgb8 : .rgba8, options: options)
        return EncodedPicture(
            bytes: made.bytes, width: made.width, height: made.height, warnings: made.properties.warnings)
    }
}
#endif
