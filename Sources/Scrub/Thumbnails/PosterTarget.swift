package import ScrubBase

/// The target of posters: one file, files that are numbered by rank, or a folder.
package struct PosterTarget {
    let format: ImageFormat
    /// Without a slash at its end; `nil` for files.
    package let folder: String?
    private let path: String
    /// Whether several are written.
    private let isShared: Bool

    /// - Parameter format: the format that was asked for, whatever the path's suffix says. Desktops give the programs
    ///   that make their pictures a path of any name.
    package init(_ path: String, isShared: Bool, format: ImageFormat?) throws(ScrubError) {
        (self.path, self.isShared) = (path, isShared)
        let isFile = format != nil && !isShared && path.utf8.last != UInt8(ascii: "/")
        if let named = PosterTarget.format(ofSuffix: path) ?? (isFile ? format : nil) {
            (folder, self.format) = (nil, format ?? named)
            return
        }
        // A name without a suffix is a folder's when several are asked for; one with a dot may be a slip.
        guard path.utf8.last == UInt8(ascii: "/") || isShared && !path.lastPathComponent.dropFirst().contains(".")
        else {
            throw ScrubError.wrongRequest(
                "'\(path)' names no picture format", advice: "end it with .jpg, .png, .webp or .avif, or with /"
            )
        }
        let slashes = path.utf8.reversed().prefix { $0 == UInt8(ascii: "/") }.count
        let name = String(decoding: path.utf8.dropLast(slashes), as: UTF8.self)
        (folder, self.format) = (name.isEmpty ? "/" : name, format ?? .jpeg)
    }

    /// Returns the format that a path's suffix says; `nil` for a folder's path.
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
