/// The posters of a video as an asynchronous sequence of pictures at full size, in the order in which they were chosen.
///
/// Returned by ``VideoAsset/posters(options:)``. Each iterator searches again, starting with its first `next()`, which
/// takes as long as the whole search. Iterators are independent of each other.
///
/// If the consumer is slow, the decoders wait for it. They stop between two packets when the iterator is released or
/// its task is cancelled.
///
/// Thread safety: safe from any task. Only one task may use an iterator at a time.
public struct Posters: AsyncSequence, Sendable {
    /// A poster with its picture.
    public struct Element: Sendable {
        /// The poster, with its frame and scores.
        public let poster: Poster
        /// The picture at full size, decoded in the same way as when it was chosen. The caller owns it.
        public let picture: FramePicture
    }

    private let asset: VideoAsset
    private let options: Poster.Options

    init(_ asset: VideoAsset, _ options: Poster.Options) { (self.asset, self.options) = (asset, options) }

    /// Creates an iterator. The search starts with its first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(asset, options) }

    /// An iterator over posters. Releasing it stops decoding.
    public struct Iterator: AsyncIteratorProtocol {
        private let asset: VideoAsset
        private let options: Poster.Options
        private var producer: BlockingProducer<Posters.Element>?

        init(_ asset: VideoAsset, _ options: Poster.Options) { (self.asset, self.options) = (asset, options) }

        /// Returns the next poster, or `nil` after the last one. The first call waits for the whole search.
        ///
        /// - Throws: `CancellationError` if the task was cancelled; otherwise the errors of
        ///   ``VideoAsset/posters(options:)``. No posters follow an error.
        public mutating func next() async throws -> Posters.Element? {
            try Task.checkCancellation()
            let producer = try self.producer ?? Iterator.start(asset, options)
            self.producer = producer
            return try await producer.next()
        }

        private static func start(
            _ asset: VideoAsset, _ options: Poster.Options
        ) throws(ScrubError) -> BlockingProducer<Posters.Element> {
            // A picture can have 100 MB, so only a few may wait.
            try BlockingProducer(ahead: 1) { (deliver) throws(ScrubError) in
                try asset.deliverPosters(options, deliver)
            }
        }
    }
}

extension VideoAsset {
    /// Returns frames that represent the video, with their pictures, in the order in which they were chosen.
    ///
    /// The posters are the same as those of ``posterReport(options:progress:)``, whose documentation describes the
    /// search. The first poster does not depend on the number of posters requested. All candidates are examined before
    /// the first poster is known, so the first `next()` takes as long as the whole search. Each picture is then decoded
    /// when its turn comes.
    ///
    /// ```swift
    /// for try await found in video.posters() {
    ///     try found.picture.writePNG(to: "poster-\(found.poster.frame.number).png")
    /// }
    /// ```
    ///
    /// This call itself does not read or decode anything. The work begins with the first `next()` of an iterator, on
    /// separate threads.
    ///
    /// Memory: as much as the search needs, and up to two pictures that the consumer has not taken. A slow consumer
    /// does not increase memory use.
    ///
    /// - Parameter options: the number of posters and of candidates.
    /// - Returns: the posters. Their iterators throw the errors of ``posterReport(options:progress:)``, and `badData`
    ///   if a chosen picture cannot be decoded again.
    public func posters(options: Poster.Options = .init()) -> Posters { Posters(self, options) }

    /// Searches for posters on this thread and delivers them in order of choice, each with its picture.
    fileprivate func deliverPosters(
        _ options: Poster.Options, _ deliver: (Posters.Element) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        let report = try posterReport(options: options)
        var reading = FrameReader.Options()
        (reading.cacheByteLimit, reading.decoderLimit, reading.threadCount) = (0, 1, options.threadCount)
        for poster in report.posters {
            var isDelivered = false
            try pictures(of: [poster], options: reading) { (poster, picture) throws(ScrubError) in
                try deliver(Posters.Element(poster: poster, picture: picture))
                isDelivered = true
            }
            guard isDelivered else {
                throw ScrubError(
                    .badData, "frame \(poster.frame.number) was decoded during the search, but cannot be decoded again",
                    file: path)
            }
        }
    }
}
