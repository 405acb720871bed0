package import ScrubLibAV
package import ScrubDecoding

/// The memory of decoded pictures.
public struct PictureMemory: Sendable, Hashable {
    /// Bytes of the pictures that are kept for later requests.
    public let cachedByteCount: Int
    /// Bytes of all pictures: those that are kept, the decoders' own, and those that callers hold. dav1d's own
    /// pictures, at most ten for each decoder, are not counted.
    public let usedByteCount: Int
    /// The most that was ever allotted at a time.
    public let peakByteCount: Int

    /// Creates the memory figures when nothing was decoded.
    package init() { (cachedByteCount, usedByteCount, peakByteCount) = (0, 0, 0) }

    /// - Parameter other: another allocator of the same owner; both their peaks count.
    package init(_ allocator: FrameAllocator, _ cache: Locked<FrameCache>, beside other: FrameAllocator? = nil) {
        cachedByteCount = cache.withLock { $0.byteCount }
        usedByteCount = allocator.liveBytes + (other?.liveBytes ?? 0)
        peakByteCount = allocator.peakBytes + (other?.peakBytes ?? 0)
    }
}
