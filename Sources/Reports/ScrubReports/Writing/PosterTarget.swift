package import ScrubBase

/// The target of posters: one file, files numbered by rank, or a folder.
package struct PosterTarget {
    let format: ImageFormat
    /// Without a trailing slash; `nil` for files.
    package let folder: String?
    private let path: String
    /// Whether several posters are written.
    private let isShared: Bool

    /// - Parameter format: the requested format, whatever the path's suffix. Desktops pass a path with any name to the
    ///   programs that make their pictures.
    package init(_ path: String, isShared: Bool, format: ImageFormat?) throws(ScrubError) {
        guard !path.isEmpty else {
            throw ScrubError.wrongRequest("the output path is empty", advice: "specify a file or a folder")
        }
        (self.path, self.isShared) = (path, isShared)
        let isFile = format != nil && !isShared && path.utf8.last != UInt8(ascii: "/")
        if let named = PosterTarget.format(ofSuffix: path) ?? (isFile ? format : nil) {
            (folder, self.format) = (nil, format ?? named)
            return
        }
        // If several posters are requested, a name without a suffix means a folder; a name with a dot may be a mistake.
        guard path.utf8.last == UInt8(ascii: "/") || isShared && !path.lastPathComponent.dropFirst().contains(".")
        else {
            throw ScrubError.wrongRequest(
                "the picture format of '\(path)' is unknown",
                advice: "use a name that ends with .jpg, .png, .webp or .avif, or with / for a folder"
            )
        }
        let slashes = path.utf8.reversed().prefix { $0 == UInt8(ascii: "/") }.count
        let name = String(decoding: path.utf8.dropLast(slashes), as: UTF8.self)
        (folder, self.format) = (name.isEmpty ? "/" : name, format ?? .jpeg)
    }

    /// Returns the format of a path's suffix; `nil` for a folder's path.
    package static func format(ofSuffix path: String) -> ImageFormat? {
        guard path.utf8.last != UInt8(ascii: "/"), let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else {
            return nil
        }
        let suffix = String(decoding: path.utf8[path.utf8.index(after: dot)...], as: UTF8.self).lowercased()
        return suffix == "jpg" ? .jpeg : ImageFormat(rawValue: suffix)
    }

    /// Returns a poster's file name in the folder.
    func name(rank: Int, frame: Int) -> String { "poster-\(rank + 1)-frame-\(frame).\(format.fileExtension)" }

    /// Returns a poster's path without a folder: `p-1.jpg`, `p-2.jpg` for `p.jpg`, the best first.
    package func path(rank: Int) -> String {
        guard isShared, let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return path }
        return String(decoding: path.utf8[..<dot], as: UTF8.self) + "-\(rank + 1)"
            + String(decoding: path.utf8[dot...], as: UTF8.self)
    }
}
