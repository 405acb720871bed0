internal import ScrubFileIO
public import ScrubThumbnailsLogic
internal import ScrubPictures

extension Poster {
    /// Options for finding posters.
    public struct Options: Hashable, Sendable {
        /// The number of posters, 1 to 1000. Fewer are returned if the video does not have that many different
        /// pictures.
        public var count = 1
        /// The number of pictures to examine, 1 to 10,000. They are key pictures from the whole video except its
        /// beginning and end, or from the whole ``timeRange`` if it is set.
        public var candidateCount = 60
        /// The time range to search for posters, in seconds after the first frame, such as `scene.start..<scene.end`
        /// for a scene. The default, `nil`, means the whole video.
        ///
        /// If the key picture for a position is outside the range, the frame at that position is examined instead, so
        /// every poster is within the range.
        public var timeRange: Range<Rational>?
        /// The number of decoding threads, 1 or more; `nil` for one per processor.
        public var threadCount: Int?

        /// Creates options with default values.
        public init() {}
    }
}

/// A frame that represents a video.
public struct Poster: Sendable {
    /// The frame.
    public let frame: PresentedFrame
    /// The scores by which it was chosen.
    public let scores: PosterScores
    /// The picture that was scored, as a JPEG that is 320 pixels wide.
    public let preview: [UInt8]
    /// A BlurHash (blurha.sh): a blurred placeholder with four horizontal and three vertical components.
    public let blurHash: String
    /// A ThumbHash (evanw/thumbhash): a blurred placeholder that keeps the aspect ratio.
    public let thumbHash: [UInt8]

    /// A human-readable description of the picture's damage; `nil` if the picture is intact. Damaged pictures become
    /// posters only if there are no intact pictures.
    public let damage: Wording?
    /// Whether its picture was compared, because nothing else proves that it is the right one.
    package let isProven: Bool

    /// The ``thumbHash`` in base64.
    public var thumbHashText: String { PlainText.base64(thumbHash) }
}

extension Poster {
    /// The result of a search for posters.
    public struct Report: Sendable {
        /// The posters, in the order in which they were chosen. The first poster does not depend on the requested
        /// number.
        public let posters: [Poster]
        /// The examined frames, in order of time. Damaged pictures are included only if there are no intact pictures.
        public let candidates: [Poster]
        /// The reason why there are fewer posters than requested, or why all posters are blank or damaged; otherwise
        /// `nil`.
        public let note: Wording?
        /// The number of coded pictures that were decoded.
        package let decodedPictureCount: Int
        let size: PictureSize
        let title: String

        /// All candidates by score in one SVG, with the posters framed, to inspect the choice.
        package var sheet: String {
            let chosen = Set(posters.map(\.frame.number))
            let cells = candidates.sorted { $0.scores.score > $1.scores.score }.map { candidate in
                let thousandths = Int((candidate.scores.score * 1000).rounded())
                let reason =
                    candidate.scores.blank?.reason
                    ?? "\(thousandths / 1000)." + PlainText.padded(thousandths % 1000, to: 3)
                return ContactSheetDrawing.Cell(
                    jpeg: candidate.preview, label: "frame \(candidate.frame.number)", note: reason,
                    details: Report.details(candidate.scores), isMarked: chosen.contains(candidate.frame.number))
            }
            let facts =
                "\(PlainText.amount(candidates.count, "picture")) examined, \(posters.count) chosen"
                + (note.map { "; \($0)" } ?? "")
            return ContactSheetDrawing(title: title, facts: [facts], cells: cells, size: size).svg
        }

        /// Returns every criterion in hundredths, at most three per line, starting with the criteria that raise the
        /// score.
        private static func details(_ scores: PosterScores) -> [String] {
            [false, true].flatMap { isPenalty in
                let texts = PosterScores.Criterion.allCases.filter { $0.isPenalty == isPenalty }.map { criterion in
                    "\(isPenalty ? "-" : "")\(criterion.rawValue) \(Int((scores[criterion] * 100).rounded()))"
                }
                return stride(from: 0, to: texts.count, by: 3).map { start in
                    texts[start..<min(start + 3, texts.count)].joined(separator: " · ")
                }
            }
        }
    }
}

extension VideoAsset {
    /// Finds frames that represent the video, and reports all candidates. The search prefers frames that show a subject
    /// in front of a background, are sharp, well exposed and colorful, and differ from each other. It avoids black and
    /// faded frames.
    ///
    /// The search examines key pictures, which costs one decoded picture per candidate. If there are too few key
    /// pictures for the requested number of posters, or if all of them are blank, it also examines frames between them.
    /// The result depends only on the video and the options, not on what was decoded or saved before. If a chosen
    /// picture is marked as a key picture by the container but not by the decoder, it is verified by comparison.
    /// Damaged pictures are used only if there are no others.
    ///
    /// Embedded cover art is not examined. ``PosterScores/Criterion`` describes the scores. ``posters(options:)``
    /// returns the chosen frames with their pictures.
    ///
    /// - Parameters:
    ///   - options: how many posters to find, and where to look for them.
    ///   - progress: receives the progress, counted in ``WorkProgress/Unit/pictures``, on one of the library's threads.
    /// - Throws: `usage` if the ``Poster/Options`` are invalid or the time range is outside the video, `badData` if no
    ///   picture can be decoded, `inputOutput` if reading fails. `CancellationError` if the task was cancelled;
    ///   decoding stops after the current packet.
    public func posterReport(
        options: Poster.Options = .init(),
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> Poster.Report {
        try await BlockingWork.run(.long) { try self.posterReport(options: options, progress: progress) }
    }

    /// Finds posters synchronously, on the calling thread. See the asynchronous method.
    package func posterReport(
        options: Poster.Options = .init(), progress: (WorkProgress) -> Void = { _ in }
    ) throws(ScrubError) -> Poster.Report {
        guard (1...1000).contains(options.count), (1...10_000).contains(options.candidateCount) else {
            throw ScrubError(
                .usage, "\(options.count) posters from \(options.candidateCount) candidates were requested",
                advice: "request 1 to 1000 posters from 1 to 10,000 candidates")
        }
        var search = try PosterSearch(self, options)
        return try search.report(progress)
    }

    /// Decodes posters again at full size, in the same way as when they were chosen.
    ///
    /// - Parameter deliver: receives each poster's picture, in any order; one that cannot be decoded is not delivered.
    /// - Returns: the number of coded pictures that were decoded.
    /// - Throws: the errors of `deliver`; `inputOutput` if reading fails.
    @discardableResult
    package func pictures(
        of posters: [Poster], options: FrameReader.Options = .init(),
        deliver: (Poster, FramePicture) throws(ScrubError) -> Void
    ) throws(ScrubError) -> Int {
        let byFrame = Dictionary(posters.map { ($0.frame.number, $0) }, uniquingKeysWith: { one, _ in one })
        var decoded = 0
        for isProven in [false, true] {
            let frames = byFrame.values.filter { $0.isProven == isProven }.map(\.frame.number)
            guard !frames.isEmpty else { continue }
            var reader = isProven ? FrameReader(self, options: options) : FrameReader(looking: self, options: options)
            try reader.eachFrame(numbered: frames.sorted()) { (answer) throws(ScrubError) in
                decoded += answer.decodedPictureCount
                guard let poster = byFrame[answer.frame.number], let picture = answer.picture else { return }
                try deliver(poster, picture)
            }
        }
        return decoded
    }
}
