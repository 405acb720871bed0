package import ScrubBase
internal import ScrubFileIO
package import ScrubThumbnails

extension CoverArt {
    /// Writes the cover to a file. Without a size and with the cover's own suffix, it writes the cover's own bytes.
    ///
    /// - Parameter path: a file, which gets the cover's suffix if it has none; or a folder, which ends with a slash and
    ///   gets a file
    ///   `cover`.
    /// - Returns: the path of the file, and the instructions that could not be followed.
    package func write(
        to path: String, _ options: PosterWriter.Options
    ) throws(ScrubError) -> (path: String, warnings: [Wording]) {
        guard !path.isEmpty else {
            throw ScrubError.wrongRequest("the output path is empty", advice: "specify a file or a folder")
        }
        var path = path
        let suffix = options.format?.fileExtension ?? fileExtension
        if path.hasSuffix("/") {
            try Folder.make(path)
            path += "cover"
        }
        let name = path.split(separator: "/").last ?? ""
        if !name.contains(".") { path += "." + suffix }
        let output = try OutputFile(path, .picture, replacesFiles: options.replacesFiles)
        var (bytes, warnings) = (bytes, [Wording]())
        let isOwn =
            options.width == nil && options.side == nil && suffix == fileExtension
            && path.lowercased().hasSuffix("." + fileExtension)
        if !isOwn {
            let target = try PosterTarget(path, isShared: false, format: options.format)
            let made = try encoded(
                as: target.format, width: options.width, fittingSide: options.side, quality: options.quality)
            (bytes, warnings) = (made.bytes, made.warnings)
        }
        try Cancellation.check()
        try PlaceholderFile.write(bytes, to: output)
        return (path, warnings)
    }
}
