internal import Glibc

extension CacheDirectory {
    /// Returns the entry's bytes in separate memory, or `nil` if there is no usable entry. Marks the entry as used now.
    package func region(_ name: String) -> ByteRegion? {
        // No entry exceeds the limit for all entries.
        guard let file = ownFile(name), let region = ByteRegion(contentsOf: file, byteLimit: byteLimit) else {
            return nil
        }
        markAsUsed(name)
        return region
    }
}
