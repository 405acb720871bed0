package import ScrubFileIO
internal import ScrubHashing
package import ScrubIndex
package import ScrubPictures

/// Previews of one video on disk: small pictures of exact frames, kept between openings in the cache directory.
///
/// Two objects for the same video in this process share one file. If several processes have it open, one writes and the
/// others read. A preview is returned exactly as it was appended, byte for byte.
///
/// Thread safety: safe from any thread; reading never waits for an append. Memory: about 60 bytes per preview.
package final class PreviewFile: Sendable {
    private static let magic: UInt64 = 0x5645_5250_4252_4353  // "SCRBPREV" in little-endian order
    private static let version: UInt64 = 1

    private let pack: RecordPack
    private let isCurrent: @Sendable () -> Bool

    /// Opens a video's preview file, or creates it. A file of another version or another video is deleted and
    /// recreated.
    ///
    /// Cost: one read per 1,024 previews.
    ///
    /// - Parameters:
    ///   - directory: the cache's directory for previews.
    ///   - key: the video's key, which locates the file together with the recipe. It includes the libav release.
    ///   - pictureCount: the number of coded pictures in the video's index; all numbers are below it.
    ///   - isWriter: whether previews may be appended. Otherwise, the file is neither changed nor created.
    ///   - isCurrent: called before each append; returns whether new previews still belong to the video identified by
    ///     the key.
    /// - Returns: `nil` if there is no file and none can be created, or if it does not belong to this user.
    package init?(
        in directory: CacheDirectory, key: IndexFile.Key, recipe: PreviewCoder.Recipe, pictureCount: Int,
        isWriter: Bool, isCurrent: @escaping @Sendable () -> Bool = { true }
    ) {
        var title = BinaryWriter()
        title.write(PreviewFile.magic)
        title.write(PreviewFile.version)
        title.write(UInt64(PreviewCoder.version))
        key.write(to: &title)
        title.write(Int64(recipe.longSide))
        title.write(Int64(recipe.quality))
        let pack = RecordPack.open(
            PreviewFile.name(key, recipe), in: directory, title: title.bytes, below: pictureCount,
            mayWrite: isWriter, checksum: { xxh3($0, seed: $1) })
        guard let pack else { return nil }
        (self.pack, self.isCurrent, self.isWriter) = (pack, isCurrent, isWriter)
    }

    /// Returns the name of a video's file in the cache, without its extension.
    static func name(_ key: IndexFile.Key, _ recipe: PreviewCoder.Recipe) -> String {
        "\(key.name)-\(recipe.longSide)-\(recipe.quality)"
    }

    /// Whether the file was opened for appending. Another writing process may prevent appending; see ``isWriting``.
    package let isWriter: Bool

    /// Whether this process currently appends to the file.
    package var isWriting: Bool { isWriter && pack.isWriting }

    /// The index numbers of the coded pictures with previews. Does not read the previews.
    package var pictures: Set<Int> { pack.numbers }

    package var count: Int { pack.count }

    package var path: String { pack.path }

    /// The size of the file in bytes, which counts toward the cache's limits.
    package var byteCount: Int64 { pack.byteCount }

    /// The maximum room for more previews.
    var room: CacheCapacity { pack.room }

    package func contains(_ picture: Int) -> Bool { pack.contains(picture) }

    /// Returns the bytes of a picture's preview. A damaged one is dropped, and may be appended again.
    ///
    /// Cost: one read, which takes microseconds if the data is in the system's cache.
    package func bytes(ofPicture picture: Int) -> [UInt8]? { pack.record(picture) }

    /// Appends previews, a group at a time, and waits until they are on disk and visible to all processes. Existing
    /// previews are skipped.
    ///
    /// If the cache's limits require it, the least recently used files of the cache are removed.
    ///
    /// - Returns: false if they were not saved: another process is writing, the video or the file is missing or was
    ///   replaced, the disk is full, or the cache has no room. In that case, the file is unchanged, and reading still
    ///   works.
    package func append(_ previews: [(picture: Int, bytes: [UInt8])]) -> Bool {
        guard isWriter, isCurrent() else { return false }
        return pack.append(previews.map { ($0.picture, $0.bytes) })
    }

    /// Loads previews that another process has appended. Has no effect if this process is the writer.
    package func refresh() { pack.refresh() }
}
