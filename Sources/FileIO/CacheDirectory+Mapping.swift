internal import Glibc

extension CacheDirectory {
    /// The entry's bytes where they lie, or `nil` when there is none. Marks it as used now.
    package func map(_ name: String) -> ByteRegion? {
        let file = path(of: name)
        guard let region = ByteRegion(mapping: file) else { return nil }
        // Recency is the modification time: access times are often switched off.
        utimensat(AT_FDCWD, file, nil, 0)
        return region
    }
}
