/// The thumbnails of a video as an asynchronous sequence of pictures in memory, in chronological order.
///
/// Returned by ``VideoAsset/thumbnails(for:options:layout:)``. Each iterator decodes the thumbnails again, starting
/// with its first `next()`. Iterators are independent of each other.
///
/// If the consumer is slow, the decoders wait for it. They stop between two packets when the iterator is released or
/// its task is cancelled.
///
/// Thread safety: safe from any task. Only one task may use an iterator at a time.
public struct Thumbnails: AsyncSequence, Sendable {
    /// A thumbnail in memory.
    public struct Element: Sendable {
        /// The thumbnail's slot in the plan, with its number, its times and its frame.
        public let slot: ThumbnailPlan.Slot
        /// The pictures, one for each of ``ThumbnailPlan/Options/sizes``, in the same order. They are upright and
        /// opaque, with square pixels, in sRGB. The array is empty if the frame is undecodable.
        ///
        /// The caller owns the bytes. Thumbnails that show the same frame share them.
        public let images: [PixelImage]
        /// The verdict on the pictures. It is never exact if the thumbnail shows a frame other than the one at its
        /// time, or was made from a kept preview.
        public let verdict: Verdict
        /// Whether the pictures were made from a kept preview (``ThumbnailPlan/Options/usesKeptPreviews``).
        public let isFromPreview: Bool
    }

    private let work: ThumbnailSeriesWork

    init(_ work: ThumbnailSeriesWork) { self.work = work }

    /// Creates an iterator. Decoding starts with its first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(work) }

    /// An iterator over thumbnails. Releasing it stops decoding.
    public struct Iterator: AsyncIteratorProtocol {
        private let work: ThumbnailSeriesWork
        private let made = Locked(0)
        private var producer: BlockingProducer<Thumbnails.Element>?

        init(_ work: ThumbnailSeriesWork) { self.work = work }

        /// The number of frames whose thumbnails have been made so far, including those that have not been returned
        /// yet.
        package var madeCount: Int { made.withLock { $0 } }

        /// Returns the next thumbnail, or `nil` after the last one. The call waits until the thumbnail is decoded.
        ///
        /// - Throws: `CancellationError` if the task was cancelled; otherwise the errors of
        ///   ``VideoAsset/thumbnails(for:options:layout:)``. No thumbnails follow an error.
        public mutating func next() async throws -> Thumbnails.Element? {
            try Task.checkCancellation()
            let producer = try self.producer ?? work.start(counting: made)
            self.producer = producer
            return try await producer.next()
        }
    }
}

extension VideoAsset {
    /// Returns the requested thumbnails one after another, in chronological order, as pixels in memory.
    ///
    /// The pixels are the same as on the sheets of a strip (``writeStrip(into:options:progress:)``) before encoding. If
    /// a frame cannot be decoded, its element has no pictures. Unlike in a strip, the frame is not replaced by another
    /// one.
    ///
    /// ```swift
    /// for try await thumbnail in video.thumbnails(for: ThumbnailPlan.Request(.count(100), tolerance: .automatic)) {
    ///     timeline.show(thumbnail.images.first, at: thumbnail.slot.start)
    /// }
    /// ```
    ///
    /// This call itself does not read or decode anything. The work begins with the first `next()` of an iterator, on
    /// separate threads.
    ///
    /// Cost: ``thumbnailPlan(for:)`` reports it in advance. Each group of pictures is decoded once. Memory: for each
    /// thread, a decoder's pictures and 8 MiB of thumbnails; up to three thumbnails that the consumer has not taken;
    /// and thumbnails whose turn has not come, at most 64 MiB, or 16 of them if 16 take more than that. A slow consumer
    /// does not increase memory use.
    ///
    /// - Parameters:
    ///   - request: the positions of the thumbnails, and how far the pictures may be from these positions.
    ///   - options: the sizes and the number of threads. ``ThumbnailPlan/Options/computesMD5`` has no effect.
    ///   - layout: the layout of the pixels. In a layout with alpha, all pixels are opaque.
    /// - Returns: the thumbnails. Their iterators throw `usage` for an invalid request or options, `inputOutput` if
    ///   reading fails or the system cannot create a thread, and `CancellationError`.
    public func thumbnails(
        for request: ThumbnailPlan.Request, options: ThumbnailPlan.Options = .init(), layout: PixelLayout = .rgba8
    ) -> Thumbnails {
        Thumbnails(ThumbnailSeriesWork(self, request, options, layout))
    }
}
