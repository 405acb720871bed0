extension ScrubSession {
    /// A session's previews: small pictures of exact frames, shown instead of the full pictures during a drag.
    ///
    /// They are made on one thread with the lowest priority while no request is pending. The session makes them outward
    /// from the playhead, farther ahead of the movement than behind it, with one pass per group of pictures. It also
    /// makes previews from pictures that it decodes for other reasons. A preview takes a few kilobytes, so the memory
    /// of a hundred full pictures holds thousands of previews. A preview is never labeled exact.
    ///
    /// For a video on the network, the session does not fetch bytes just to make previews. Until all bytes of the video
    /// are available locally, previews are made only from pictures that are decoded for other reasons.
    ///
    /// Thread safety: a value type.
    public struct Previews: Hashable, Sendable {
        /// The number of frames that have a preview.
        public let frameCount: Int
        /// The size in bytes of the previews in memory. They count against the session's memory limit, and are evicted
        /// when full pictures need the memory.
        public let byteCount: Int
        /// The size in bytes of the video's previews on disk (``VideoAsset/OpenOptions/keepsPreviews``).
        public let keptByteCount: Int64
        /// The longer side of a preview, in samples. Smaller pictures are not scaled.
        public let longSide: Int
        /// The processor time used by the thread that makes previews.
        public let processorTime: Duration
    }

    /// The current state of the session's previews; `nil` if the session does not make any (``Options/makesPreviews``)
    /// or if the video's pictures cannot have previews.
    public var previews: Previews? {
        previewTrack.map {
            Previews(
                frameCount: $0.frameCount, byteCount: $0.byteCount, keptByteCount: $0.keptByteCount,
                longSide: $0.longSide, processorTime: $0.processorTime)
        }
    }

    /// Returns whether a frame currently has a preview.
    ///
    /// - Precondition: the frame exists.
    public func hasPreview(ofFrame frame: Int) -> Bool { previewTrack?.hasPreview(ofFrame: frame) ?? false }
}
