internal import Glibc

extension CacheDirectory {
    /// Returns the entry's bytes in memory of their own, or `nil` when no usable entry exists. Marks it as used now.
    package func region(_ name: String) -> ByteRegion? {
        // No entry is larger than all are together.
        guard let file = ownFile(name), let region = ByteRegion(contentsOf: file, byteLimit: byteLimit) else {
            return nil
        }
        markAsUsed(name)
        return region
    }
}
