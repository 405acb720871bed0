internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubPictures

extension VideoAsset {
    /// Writes the video's thumbnails according to the freedesktop.org specification (Thumbnail Managing Standard
    /// 0.9.0). They are 8-bit PNG files with alpha in the subfolders `normal`, `large`, `x-large` and `xx-large`. The
    /// files are named after the MD5 of the video's URI, contain the URI and the video's modification time, and can be
    /// read only by their owner.
    ///
    /// The thumbnails show the video's best poster, and are never larger than the video.
    ///
    /// - Parameter root: the folder, created if it does not exist; ``FreedesktopCache/standardPath`` is the folder that
    ///   the user's file managers read.
    /// - Returns: the sizes of the files in bytes.
    /// - Throws: `badData` if no picture can be decoded, `usage` if the video is not in a file; `CancellationError` if
    ///   the task was cancelled.
    @discardableResult
    public func writeFreedesktopThumbnails(into root: String) async throws -> [Int] {
        try await BlockingWork.run(.long) { try self.writeFreedesktopThumbnails(into: root) }
    }

    /// Writes thumbnails synchronously, on the calling thread. See the asynchronous method.
    @discardableResult
    package func writeFreedesktopThumbnails(into root: String) throws(ScrubError) -> [Int] {
        let identity = try fileIdentity()
        guard let poster = try posterReport().posters.first else {
            throw ScrubError(.badData, "no picture can be decoded", file: path)
        }
        var found: FramePicture?
        try pictures(of: [poster]) { (_, picture) throws(ScrubError) in found = picture }
        guard let picture = found else {
            throw ScrubError(.badData, "the picture cannot be decoded", file: path)
        }
        let shape = try uprightShape()
        return try FreedesktopCache.write(
            path, identity, shape: shape,
            texts: [("Thumb::Movie::Length", "\(duration.numerator / duration.denominator)")], into: root
        ) { (size) throws(ScrubError) in try picture.small(size).image }
    }
}

extension VideoAsset {
    /// Returns the size and modification time of the file when it was opened, which file managers' thumbnails refer to.
    func fileIdentity() throws(ScrubError) -> FileSource.Identity {
        guard let identity = file.file?.identity else { throw notFile(advice: "omit the profile freedesktop") }
        return identity
    }

    /// Returns the error for a video that is not in a file, which file managers' thumbnails require.
    func notFile(advice: String) -> ScrubError {
        ScrubError(
            .usage, "is not a file, which thumbnails for file managers require", file: path, advice: advice)
    }
}

/// The cache of thumbnails that file managers share (Thumbnail Managing Standard 0.9.0).
public enum FreedesktopCache {
    /// The path `$XDG_CACHE_HOME/thumbnails`, or `~/.cache/thumbnails` if the variable is not set; `nil` if the user
    /// has no home directory.
    public static var standardPath: String? { CacheDirectory.userPath().map { $0 + "/thumbnails" } }

    /// Writes thumbnails that show a file's cover art, in the same form as for a video. Use this for files without a
    /// usable video, such as songs.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - root: the folder, created if it does not exist.
    /// - Returns: the sizes of the files in bytes; `nil` if there is no cover art that can be decoded.
    /// - Throws: `noInput` if the file does not exist, `inputOutput` if it cannot be read or a thumbnail cannot be
    ///   written; `CancellationError` if the task was cancelled.
    public static func writeThumbnails(ofCoverIn path: String, into root: String) async throws -> [Int]? {
        try await BlockingWork.run(.brief) { try writeThumbnails(ofCoverIn: path, into: root) }
    }

    /// Writes thumbnails synchronously, on the calling thread. See the asynchronous method.
    package static func writeThumbnails(ofCoverIn path: String, into root: String) throws(ScrubError) -> [Int]? {
        let file = try FileSource(path: path)
        for cover in try CoverArt.load(from: path) {
            guard let shape = cover.shape else { continue }
            return try write(path, file.identity, shape: shape, texts: [], into: root) { (size) throws(ScrubError) in
                try cover.image(size).image
            }
        }
        return nil
    }

    /// Creates the cache folder and its parent, which a new user does not have yet.
    private static func makeRoot(_ root: String) throws(ScrubError) {
        if let slash = root.lastIndex(of: "/"), slash != root.startIndex {
            try Folder.make(String(root[..<slash]), isPrivate: true)
        }
        try Folder.make(root, isPrivate: true)
    }

    /// Writes the thumbnails.
    ///
    /// - Parameters:
    ///   - texts: the texts that only some files have.
    ///   - image: returns the picture at a given size.
    /// - Returns: the sizes of the files in bytes.
    static func write(
        _ path: String, _ identity: FileSource.Identity, shape: (width: Int, height: Int),
        texts: [(String, String)], into root: String, image: (PictureSize) throws(ScrubError) -> RasterImage
    ) throws(ScrubError) -> [Int] {
        let uri = FileURI(path: path).text
        var counts: [Int] = []
        try makeRoot(root)
        for (name, side) in [("normal", 128), ("large", 256), ("x-large", 512), ("xx-large", 1024)] {
            let size = PictureSize(side: min(side, max(shape.width, shape.height)), shape: shape)
            let bytes = try PNG.encode(
                try image(size).withChannels(4),
                texts: [
                    ("Thumb::URI", uri), ("Thumb::MTime", "\(identity.modified / 1_000_000_000)"),
                    ("Thumb::Size", "\(identity.byteCount)"), ("Thumb::Image::Width", "\(shape.width)"),
                    ("Thumb::Image::Height", "\(shape.height)"), ("Software", "scrub"),
                ] + texts, threads: 1)
            try Folder.make(root + "/" + name, isPrivate: true)
            try write(bytes, to: "\(root)/\(name)/\(md5(Array(uri.utf8))).png")
            counts.append(bytes.count)
        }
        return counts
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(ScrubError) {
        try AtomicFile.write(bytes, to: try OutputFile(path, .sharedThumbnail), isPrivate: true)
    }

    /// Records that no thumbnail can be made for a file, so that file managers do not try again until the file changes.
    ///
    /// This method writes a small PNG file to `fail/scrub-1`, on one of the library's threads. It may be called from
    /// any task.
    ///
    /// - Parameters:
    ///   - path: the file, which must exist.
    ///   - root: the cache, created if it does not exist.
    /// - Throws: `noInput` if the file does not exist, `inputOutput` if the record cannot be written;
    ///   `CancellationError` if the task was cancelled.
    public static func noteFailure(of path: String, in root: String) async throws {
        try await BlockingWork.run(.brief) { try noteFailure(of: path, in: root) }
    }

    /// Records a failure synchronously, on the calling thread. See the asynchronous method.
    package static func noteFailure(of path: String, in root: String) throws(ScrubError) {
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
        try makeRoot(folder)
        for name in ["fail", "scrub-1"] {
            folder += "/" + name
            try Folder.make(folder, isPrivate: true)
        }
        try write(bytes, to: "\(folder)/\(md5(Array(uri.utf8))).png")
    }
}

/// A file's URI in GLib's form: absolute, with nearly all special characters percent-encoded (RFC 8089).
struct FileURI {
    let text: String

    /// Creates a URI.
    ///
    /// - Parameter path: a path, absolute or relative to the working directory.
    init(path: String) {
        var parts: [String] = []
        for part in Folder.absolute(path).pathComponents where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        // The characters that GLib leaves unencoded in a path.
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
