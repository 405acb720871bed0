internal import FileIO
internal import LibAV
internal import ScrubPictures

extension VideoAsset {
    /// Writes the video's thumbnails as the freedesktop.org specification wants them (Thumbnail Managing Standard 0.9.0):
    /// `normal`, `large`, `x-large` and `xx-large` below a folder, PNG with 8 bits and alpha, named by the MD5 of the
    /// file's URI, with its URI and time of change inside; for the owner's eyes only.
    ///
    /// The picture is the film's best poster. None is made larger than the video is.
    ///
    /// - Parameter root: made if it is not there; ``FreedesktopCache/standardPath`` for the user's file managers.
    /// - Returns: bytes of the files.
    /// - Throws: `badData` when no picture can be decoded.
    @discardableResult
    public func writeFreedesktopThumbnails(into root: String) throws(ScrubError) -> [Int] {
        let uri = FileURI(path: path).text
        guard let poster = try posters().posters.first else {
            throw ScrubError(.badData, "no picture can be decoded", file: path)
        }
        var reader = FrameReader(self)
        guard let picture = try reader.frame(numbered: poster.frame.number).picture else {
            throw ScrubError(.badData, "the picture cannot be decoded", file: path)
        }
        let shape = try uprightShape()
        var counts: [Int] = []
        try Folder.make(root, isPrivate: true)
        for (name, side) in [("normal", 128), ("large", 256), ("x-large", 512), ("xx-large", 1024)] {
            let size = PictureSize(side: min(side, max(shape.width, shape.height)), shape: shape)
            let image = try picture.small(size).image.withChannels(4)
            let bytes = try PNG.encode(
                image,
                texts: [
                    ("Thumb::URI", uri), ("Thumb::MTime", "\(file.identity.modified / 1_000_000_000)"),
                    ("Thumb::Size", "\(file.identity.byteCount)"),
                    ("Thumb::Movie::Length", "\(duration.numerator / duration.denominator)"),
                    ("Thumb::Image::Width", "\(shape.width)"), ("Thumb::Image::Height", "\(shape.height)"),
                    ("Software", "scrub"),
                ])
            try Folder.make(root + "/" + name, isPrivate: true)
            try AtomicFile.write(bytes, to: "\(root)/\(name)/\(md5(Array(uri.utf8))).png", isPrivate: true)
            counts.append(bytes.count)
        }
        return counts
    }
}

/// The thumbnails that file managers share (Thumbnail Managing Standard 0.9.0).
public enum FreedesktopCache {
    /// `$XDG_CACHE_HOME/thumbnails`, else `~/.cache/thumbnails`; nothing for a user without a home.
    public static var standardPath: String? { CacheDirectory.userPath().map { $0 + "/thumbnails" } }

    /// Notes that no thumbnail can be made of a file, so that file managers don't try again until it changes.
    ///
    /// - Parameters:
    ///   - path: the file, which exists.
    ///   - root: the cache.
    public static func noteFailure(of path: String, in root: String) throws(ScrubError) {
        let file = try FileSource(path: path)
        let uri = FileURI(path: path).text
        let pixel = RasterImage(width: 1, height: 1, channels: 4, bitDepth: 8, bytes: [0, 0, 0, 0], color: .sRGB)
        let bytes = try PNG.encode(
            pixel,
            texts: [
                ("Thumb::URI", uri), ("Thumb::MTime", "\(file.identity.modified / 1_000_000_000)"),
                ("Software", "scrub"),
            ])
        var folder = root
        try Folder.make(folder, isPrivate: true)
        for name in ["fail", "scrub-1"] {
            folder += "/" + name
            try Folder.make(folder, isPrivate: true)
        }
        try AtomicFile.write(bytes, to: "\(folder)/\(md5(Array(uri.utf8))).png", isPrivate: true)
    }
}

/// A file's URI as GLib writes it: absolute, everything but a few characters as percent signs and digits (RFC 8089).
struct FileURI {
    let text: String

    /// - Parameter path: absolute, or from the working directory.
    init(path: String) {
        var parts: [Substring] = []
        for part in Folder.absolute(path).split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        // What GLib leaves as it is in a path.
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~!$&'()*+,=:@/".utf8)
        var text = "file://"
        for byte in ("/" + parts.joined(separator: "/")).utf8 {
            if plain.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        self.text = text
    }
}
