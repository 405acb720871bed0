internal import ScrubLibAV

/// The memory of decoded pictures, for programs that report their usage.
package enum PlaybackMemory {
    /// The peak number of bytes of pictures in this process, without dav1d's own.
    package static var peakByteCount: Int { FrameAllocator.peakBytesOfAll }
}
