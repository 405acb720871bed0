extension ScrubSession {
    /// A session's previews: small pictures of exact frames, shown instead of the full pictures during a drag.
    ///
    /// They are made on one thread with the lowest priority while no request is pending. They start at the playhead and
    /// extend outward, farther ahead of the movement than behind it, with one pass per group of pictures. Pictures that
    /// the session decodes anyway are used too. A preview takes a few kilobytes: memory for a hundred pictures has room
    /// for thousands of previews. A preview is never labeled exact.
    ///
    /// For a video on the network, no bytes are fetched for previews. Until all its bytes are available, previews are
    /// made only from requested pictures.
    ///
    /// Thread safety: a value type.
    public struct Previews: Hashable, Sendable {
        /// The number of frames that have a preview.
        public let frameCount: Int
        /// The size in bytes of the previews in memory. They count against the session's memory, and are evicted when
        /// full pictures need it.
        public let byteCount: Int
        /// The size in bytes of the video's previews on disk (``VideoAsset/OpenOptions/keepsPreviews``).
        public let keptByteCount: Int64
        /// The longer side of a preview, in samples. Smaller pictures are not scaled.
        public let longSide: Int
        /// The processor time used by the thread that makes previews.
        public let processorTime: Duration
    }

    /// The session's previews at this moment; `nil` if it does not make any (``Options/makesPreviews``) or if previews
    /// of the video's pictures are not possible.
    public var previews: Previews? {
        previewTrack.map {
            Previews(
                frameCount: $0.frameCount, byteCount: $0.byteCount, keptByteCount: $0.keptByteCount,
                longSide: $0.longSide, processorTime: $0.processorTime)
        }
    }

    /// Returns whether a frame has a preview at this moment.
    ///
    /// - Precondition: the frame exists.
    public func hasPreview(ofFrame frame: Int) -> Bool { previewTrack?.hasPreview(ofFrame: frame) ?? false }
}
