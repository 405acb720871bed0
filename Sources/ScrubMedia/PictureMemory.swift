package import LibAV
package import ScrubDecoding

/// What decoded pictures take in memory.
public struct PictureMemory: Sendable, Hashable {
    /// Bytes of the pictures that are kept for later requests.
    public let cachedBytes: Int
    /// Bytes of all pictures: those that are kept, the decoders' own, and those that callers hold. dav1d's own
    /// pictures, at most ten for each decoder, are not counted.
    public let liveBytes: Int
    /// The most that was ever allotted at a time.
    public let peakBytes: Int

    package init(_ allocator: FrameAllocator, _ cache: Locked<FrameCache>) {
        cachedBytes = cache.withLock { $0.byteCount }
        liveBytes = allocator.liveBytes
        peakBytes = allocator.peakBytes
    }
}
