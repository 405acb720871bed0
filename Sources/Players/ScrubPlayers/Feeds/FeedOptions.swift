/// The resources of an ``EnginePictureFeed``.
package struct FeedOptions: Sendable {
    /// Threads that decode at the same time; `nil` for as many as there are processors.
    package var threadCount: Int?
    /// Bytes of frames that are kept: a backward window's, and those that were shown last. With a budget at most the
    /// feed's share of it.
    package var keptByteLimit = 128 << 20
    /// The largest size of the pictures that are handed out, in stored samples before rotation; `nil` for the video's
    /// own. Larger ones are reduced, in their own shape; smaller ones stay as they are.
    package var preferredMaximumSize: (width: Int, height: Int)?

    package init() {}
}
