package import ScrubLibAV
package import ScrubDecoding

/// The memory used by decoded pictures.
public struct PictureMemory: Sendable, Hashable {
    /// The size in bytes of the pictures kept for later requests.
    public let cachedByteCount: Int
    /// The size in bytes of all pictures: those in the cache, those in the decoders, and those that callers hold.
    /// Pictures that dav1d allocates itself, at most ten per decoder, are not included.
    public let usedByteCount: Int
    /// The peak number of allocated bytes.
    public let peakByteCount: Int

    /// Creates memory figures of zero.
    package init() { (cachedByteCount, usedByteCount, peakByteCount) = (0, 0, 0) }

    /// Creates memory figures from an allocator and a cache.
    ///
    /// - Parameter other: another allocator of the same owner; the peaks of both count.
    package init(_ allocator: FrameAllocator, _ cache: Locked<FrameCache>, beside other: FrameAllocator? = nil) {
        cachedByteCount = cache.withLock { $0.byteCount }
        usedByteCount = allocator.liveBytes + (other?.liveBytes ?? 0)
        peakByteCount = allocator.peakBytes + (other?.peakBytes ?? 0)
    }
}
