internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubBase

/// The folder in which a Plex server looks for a film's previews: in its media folder, under a hash of the film.
///
/// The hash is the server's own (forums.plex.tv, 904178, with an example that is in the tests). It is the SHA-1 of the
/// size in decimal, followed by the SHA-1 of the first 64 KiB in hexadecimal. For longer films, the SHA-1 of the last
/// 64 KiB follows.
enum PlexLocation {
    private static let edge: Int64 = 64 << 10

    /// 40 hexadecimal digits. Cost: 128 KiB read.
    ///
    /// - Throws: `noInput` or `inputOutput` if the film cannot be read.
    static func hash(ofFile path: String) throws(ScrubError) -> String {
        let file = try FileSource(path: path)
        let size = file.byteCount
        let head = try file.read(at: 0, count: Int(min(edge, size)))
        let tail = size > edge ? try file.read(at: size - edge, count: Int(edge)) : nil
        return hash(size: size, head: digits(sha1(head)), tail: tail.map { digits(sha1($0)) })
    }

    static func hash(size: Int64, head: String, tail: String?) -> String {
        digits(sha1("\(size)\(head)\(tail ?? "")".utf8))
    }

    /// The folder of a film's previews below the server's `Media`.
    static func folder(hash: String) -> String {
        "localhost/\(hash.prefix(1))/\(hash.dropFirst()).bundle/Contents/Indexes"
    }

    private static func digits(_ bytes: [UInt8]) -> String { PlainText.hexadecimal(bytes) }
}
