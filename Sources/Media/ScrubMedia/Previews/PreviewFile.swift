package import ScrubFileIO
internal import ScrubHashing
package import ScrubIndex
package import ScrubPictures

/// Previews of one film on the disk: small pictures of exact frames, kept between openings in the cache directory.
///
/// Two videos of one film in this process share one file; of several processes one writes, and the others read. A
/// preview that comes out is byte for byte the one that was appended under its number.
///
/// Thread safety: safe from any thread; reading never waits for an appending. Memory: some 60 bytes for each preview.
package final class PreviewFile: Sendable {
    private static let magic: UInt64 = 0x5645_5250_4252_4353  // "SCRBPREV" in little-endian order
    private static let version: UInt64 = 1

    private let pack: RecordPack
    private let isCurrent: @Sendable () -> Bool

    /// Opens a film's previews, or begins them. A file of another version or another film is deleted and begun again.
    ///
    /// Cost: one read for each 1,024 previews.
    ///
    /// - Parameters:
    ///   - directory: the cache's part for previews.
    ///   - key: the film's; the file is found by it and by the recipe. It has the release of libav.
    ///   - pictureCount: the number of coded pictures in the film's index; all numbers are below it.
    ///   - isWriter: whether previews may be appended; else the file is left as it is, and not made.
    ///   - isCurrent: asked at each appending: whether new previews are still of the film that the key says.
    /// - Returns: `nil` where there is no file and none can be made, or it is not this user's own.
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

    /// The name of a film's file in the cache, without its suffix.
    static func name(_ key: IndexFile.Key, _ recipe: PreviewCoder.Recipe) -> String {
        "\(key.name)-\(recipe.longSide)-\(recipe.quality)"
    }

    /// Whether it was opened for appending, which another process's writing may prevent: ``isWriting``.
    package let isWriter: Bool

    /// Whether this process is the one that appends now.
    package var isWriting: Bool { isWriter && pack.isWriting }

    /// The numbers in the index of the coded pictures whose previews are there. Reads none of them.
    package var pictures: Set<Int> { pack.numbers }

    package var count: Int { pack.count }

    package var path: String { pack.path }

    /// Bytes of the file; they count in the cache's limits.
    package var byteCount: Int64 { pack.byteCount }

    /// The room for more previews, at most.
    var room: CacheRoom { pack.room }

    package func contains(_ picture: Int) -> Bool { pack.contains(picture) }

    /// Returns the bytes of a picture's preview. A damaged one is forgotten, and may be appended again.
    ///
    /// Cost: one read, microseconds where the system has it in memory.
    package func bytes(ofPicture picture: Int) -> [UInt8]? { pack.record(picture) }

    /// Appends previews, a group at a time, and waits until they are on the disk; then they are there for everyone.
    /// Previews that are there are left out.
    ///
    /// Removes the longest unused files of the cache where its limits ask for that.
    ///
    /// - Returns: false if they are not kept: another process writes, the film or the file is gone or another one, the
    ///   disk is full, or the cache has no room. The file then stays as it was, and reading goes on.
    package func append(_ previews: [(picture: Int, bytes: [UInt8])]) -> Bool {
        guard isWriter, isCurrent() else { return false }
        return pack.append(previews.map { ($0.picture, $0.bytes) })
    }

    /// Takes the previews that another process has appended since. Nothing happens where this one writes.
    package func refresh() { pack.refresh() }
}
