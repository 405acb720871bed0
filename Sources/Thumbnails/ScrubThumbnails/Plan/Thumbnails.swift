/// The thumbnails of a video as an asynchronous sequence of pictures in memory, by time.
///
/// Returned by ``VideoAsset/thumbnails(for:options:layout:)``. Each iteration decodes again, starting with its first
/// `next()`. Iterators share nothing.
///
/// The decoders wait for the reader. They stop between two packets when the iterator is released or its task is
/// cancelled.
///
/// Thread safety: safe from any task. Only one task may use an iterator at a time.
public struct Thumbnails: AsyncSequence, Sendable {
    /// A thumbnail in memory.
    public struct Element: Sendable {
        /// The thumbnail's part of the plan: its number, its times and its frame.
        public let slot: ThumbnailPlan.Slot
        /// The pictures, one for each of ``ThumbnailPlan/Options/sizes`` in the same order: upright, with square
        /// pixels, opaque, in sRGB. Empty if the frame is undecodable.
        ///
        /// The caller owns the bytes. Thumbnails of the same frame share them.
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

        /// The number of frames whose thumbnails were made so far, including those that were not returned yet.
        package var madeCount: Int { made.withLock { $0 } }

        /// Returns the next thumbnail, or `nil` after the last one. Waits until it is decoded.
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
    /// Returns the thumbnails of a request one after another, by time, as pixels in memory.
    ///
    /// The pixels are those of a strip (``writeStrip(into:options:progress:)``) before its sheets are encoded. A frame
    /// that cannot be decoded has an element without pictures; no other frame replaces it.
    ///
    /// ```swift
    /// for try await thumbnail in video.thumbnails(for: ThumbnailPlan.Request(.count(100), tolerance: .automatic)) {
    ///     timeline.show(thumbnail.images.first, at: thumbnail.slot.start)
    /// }
    /// ```
    ///
    /// This call itself does not read or decode anything. The work begins with the first `next()` of an iterator, on
    /// threads of its own.
    ///
    /// Cost: ``thumbnailPlan(for:)`` reports it in advance. Each group of pictures is decoded once. Memory: a decoder's
    /// own pictures and 8 MiB of thumbnails for each thread, the three thumbnails that were made next, and those that
    /// are not next in order yet: at most 64 MiB, or 16 of them if these take more. A slow reader does not increase
    /// this.
    ///
    /// - Parameters:
    ///   - request: the positions of the thumbnails, and the allowed distance of the pictures from them.
    ///   - options: the sizes and the number of threads. ``ThumbnailPlan/Options/makesHashes`` has no effect.
    ///   - layout: the layout of the pixels. If it has alpha, every pixel has full alpha.
    /// - Returns: the thumbnails. Their iterators throw `usage` for an invalid request or options, `inputOutput` if
    ///   reading fails or the system cannot create a thread, and `CancellationError`.
    public func thumbnails(
        for request: ThumbnailPlan.Request, options: ThumbnailPlan.Options = .init(), layout: PixelLayout = .rgba8
    ) -> Thumbnails {
        Thumbnails(ThumbnailSeriesWork(self, request, options, layout))
    }
}
