internal import ScrubLibAV

/// The memory of decoded pictures, for programs that report their use.
package enum PlaybackMemory {
    /// The most bytes that pictures had in this process at a time, without those that dav1d keeps for itself.
    package static var peakByteCount: Int { FrameAllocator.peakBytesOfAll }
}
