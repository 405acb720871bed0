package import ScrubBase
internal import ScrubFileIO
package import ScrubThumbnails

extension CoverArt {
    /// Writes the cover into a file. Without a size and with the cover's own suffix, its own bytes are written.
    ///
    /// - Parameter path: a file; without a suffix it gets the cover's, and a folder, with a slash at its end, a file
    ///   `cover`.
    /// - Returns: the path of the file, and the instructions that could not be followed.
    package func write(
        to path: String, _ options: PosterWriter.Options
    ) throws(ScrubError) -> (path: String, warnings: [String]) {
        var path = path
        if path.hasSuffix("/") {
            try Folder.make(path)
            path += "cover"
        }
        let name = path.split(separator: "/").last ?? ""
        if !name.contains(".") { path += "." + fileExtension }
        let output = try OutputFile(path, .picture, replacesFiles: options.replacesFiles)
        var (bytes, warnings) = (bytes, [String]())
        let isOwn = options.width == nil && options.side == nil && path.lowercased().hasSuffix("." + fileExtension)
        if !isOwn {
            let target = try PosterTarget(path, isShared: false, format: options.format)
            let made = try encoded(
                as: target.format, width: options.width, fittingSide: options.side, quality: options.quality)
            (bytes, warnings) = (made.bytes, made.warnings)
        }
        try PlaceholderFile.write(bytes, to: output)
        return (path, warnings)
    }
}
