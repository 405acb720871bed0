internal import ScrubFileIO
public import ScrubThumbnailsLogic
internal import ScrubPictures

extension Poster {
    /// Options for finding posters.
    public struct Options: Hashable, Sendable {
        /// The number of posters, 1 to 1000. Fewer come when the film has no more pictures that differ.
        public var count = 1
        /// Pictures that are looked at, 1 to 10,000: key pictures, spread over the film without its first and last
        /// parts, or over all of ``span``.
        public var candidateCount = 60
        /// The seconds after the first frame within which posters are looked for, such as a scene's:
        /// `scene.start..<scene.end`. `nil`, the default, for the whole film.
        ///
        /// If no key picture begins near a place, the frame at the place itself is looked at, so a poster always lies
        /// in the span.
        public var span: Range<Rational>?
        /// Threads that decode, 1 or more; `nil` for as many as there are processors.
        public var threadCount: Int?

        /// Makes options.
        public init() {}
    }
}

/// A frame that stands for a film.
public struct Poster: Sendable {
    /// The frame.
    public let frame: PresentedFrame
    /// The scores by which it was chosen.
    public let scores: PosterScores
    /// The picture that was scored: a JPEG of 320 pixels in width.
    public let preview: [UInt8]
    /// A blurred stand-in (blurha.sh) with four parts across and three down.
    public let blurHash: String
    /// A blurred stand-in that keeps the shape (evanw/thumbhash).
    public let thumbHash: [UInt8]

    /// Why the picture is damaged, for people; `nil` for one that is whole. Damaged pictures are posters only where no
    /// whole one was found.
    public let damage: Wording?
    /// Whether its picture was compared, because nothing else tells that it is the right one.
    package let isProven: Bool

    /// ``thumbHash`` in base64.
    public var thumbHashText: String { PlainText.base64(thumbHash) }
}

extension Poster {
    /// The outcome of looking for posters.
    public struct Report: Sendable {
        /// The posters, in the order of choice: the first one is the same however many are asked for.
        public let posters: [Poster]
        /// All frames that were looked at, by time.
        public let candidates: [Poster]
        /// Why there are fewer than asked for, or only blank or damaged ones.
        public let note: Wording?
        /// Coded pictures that were decoded.
        package let decodedPictures: Int
        let size: PictureSize
        let title: String

        /// All candidates by score as one SVG, the posters framed: for a look at the choice.
        public var sheet: String {
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
                "\(PlainText.amount(candidates.count, "picture")) looked at, \(posters.count) chosen"
                + (note.map { "; \($0)" } ?? "")
            return ContactSheetDrawing(title: title, facts: [facts], cells: cells, size: size).svg
        }

        /// Returns every criterion in hundredths, three in a line at most: first the lines that speak for the picture.
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
    /// Finds frames that represent the film. They have a subject in front of their ground, are sharp, well exposed and
    /// colorful, unlike each other, not black and not faded.
    ///
    /// Looks at key pictures, so it costs one decoded picture for each candidate. Of a film with few of them, and for
    /// more posters than they give, it looks at frames between them too. The same film and options give the same
    /// posters, whatever was decoded or saved before. A key picture that is one by the container's word is compared
    /// where its decoder does not say so too. That happens only when it is chosen. Without others, damaged pictures are
    /// taken as they come.
    ///
    /// Covers that are embedded in the file are not looked at. ``PosterScores/Criterion`` describes the scores.
    ///
    /// - Parameters:
    ///   - options: the number of posters, and of candidates.
    ///   - progress: told how many pictures of how many were looked at, on a thread of the library's own.
    /// - Throws: `usage` for options that ``Poster/Options`` excludes and a span that lies outside the film, `badData`
    ///   if nothing can be decoded, `inputOutput` if reading fails. `CancellationError` if the task was cancelled: the
    ///   decoders stop between two packets.
    public func posters(
        _ options: Poster.Options = .init(),
        progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) async throws -> Poster.Report {
        try await BlockingWork.run(.long) { try self.posters(options, progress: progress) }
    }

    /// As the asynchronous one, on the calling thread.
    package func posters(
        _ options: Poster.Options = .init(), progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(ScrubError) -> Poster.Report {
        guard (1...1000).contains(options.count), (1...10_000).contains(options.candidateCount) else {
            throw ScrubError(
                .usage, "\(options.count) posters of \(options.candidateCount)", advice: "ask for 1 to 1000")
        }
        var search = try PosterSearch(self, options)
        return try search.report(progress)
    }

    /// Decodes posters again, at their full size, as they were when they were chosen.
    ///
    /// - Parameter deliver: takes each poster's picture, in any order; one that cannot be decoded does not come.
    /// - Returns: coded pictures that were decoded.
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
                decoded += answer.decodedPictures
                guard let poster = byFrame[answer.frame.number], let picture = answer.picture else { return }
                try deliver(poster, picture)
            }
        }
        return decoded
    }
}
