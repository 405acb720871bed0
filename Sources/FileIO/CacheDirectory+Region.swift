internal import Glibc

extension CacheDirectory {
    /// The entry's bytes in memory of their own, or `nil` when there is none that can be read. Marks it as used now.
    package func region(_ name: String) -> ByteRegion? {
        let file = path(of: name)
        // No entry is larger than all are together.
        guard let region = ByteRegion(contentsOf: file, byteLimit: byteLimit) else { return nil }
        // Recency is the modification time: access times are often switched off.
        utimensat(AT_FDCWD, file, nil, 0)
        return region
    }
}
