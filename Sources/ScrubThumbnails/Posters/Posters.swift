internal import FileIO
public import PosterScoring
internal import ScrubPictures

/// How posters are found.
public struct PosterOptions: Hashable, Sendable {
    /// How many posters. Fewer come when the film has no more pictures that differ.
    public var count = 1
    /// Key pictures that are looked at, spread over the film without its first and last parts.
    public var candidateCount = 60
    /// Threads that decode; `nil` for as many as there are processors.
    public var threadCount: Int?

    /// Makes options.
    public init() {}
}

/// A frame that stands for a film.
public struct Poster: Sendable {
    /// The frame.
    public let frame: PresentedFrame
    /// What it was chosen by.
    public let scores: PosterScores
    /// What was scored: a JPEG of 320 pixels in width.
    public let preview: [UInt8]
    /// A blurred stand-in (blurha.sh) with four parts across and three down.
    public let blurHash: String
    /// A blurred stand-in that keeps the shape (evanw/thumbhash).
    public let thumbHash: [UInt8]

    /// ``thumbHash`` in base64.
    public var thumbHashText: String { PlainText.base64(thumbHash) }
}

/// What came of looking for posters.
public struct PosterReport: Sendable {
    /// The posters, best first.
    public let posters: [Poster]
    /// All frames that were looked at, by time.
    public let candidates: [Poster]
    /// Why there are fewer than asked for, or only blank ones.
    public let note: String?
    /// Coded pictures that were decoded.
    package let decodedPictures: Int
    let size: PictureSize
    let title: String

    /// All candidates by score as one SVG, the posters framed: to look at what was weighed.
    public var sheet: String {
        let chosen = Set(posters.map(\.frame.number))
        let cells = candidates.sorted { $0.scores.score > $1.scores.score }.map { candidate in
            let thousandths = Int((candidate.scores.score * 1000).rounded())
            let reason =
                candidate.scores.blank?.reason
                ?? "\(thousandths / 1000)." + PlainText.padded(thousandths % 1000, to: 3)
            return ContactSheet.Cell(
                jpeg: candidate.preview, label: "frame \(candidate.frame.number)", note: reason,
                details: PosterReport.details(candidate.scores), isMarked: chosen.contains(candidate.frame.number))
        }
        let facts =
            "\(PlainText.amount(candidates.count, "picture")) looked at, \(posters.count) chosen"
            + (note.map { "; " + $0 } ?? "")
        return ContactSheet(title: title, facts: [facts], cells: cells, size: size).svg
    }

    /// Every criterion in hundredths, three in a line at most: first the lines that speak for the picture.
    private static func details(_ scores: PosterScores) -> [String] {
        [false, true].flatMap { isPenalty in
            let texts = PosterCriterion.allCases.filter { $0.isPenalty == isPenalty }.map { criterion in
                "\(isPenalty ? "-" : "")\(criterion.rawValue) \(Int((scores[criterion] * 100).rounded()))"
            }
            return stride(from: 0, to: texts.count, by: 3).map { start in
                texts[start..<min(start + 3, texts.count)].joined(separator: " · ")
            }
        }
    }
}

extension VideoAsset {
    /// Finds frames that stand for the film: with a subject before its ground, sharp, well exposed, colorful, unlike each other, not black and not faded.
    ///
    /// Looks at key pictures only, so it costs one decoded picture for each candidate; the same film gives the same posters.
    /// Covers that are embedded in the file are not looked at. What the scores are is told by
    /// ``PosterCriterion``.
    ///
    /// - Parameters:
    ///   - options: how many, among how many.
    ///   - progress: told how many pictures of how many were looked at, on the calling thread.
    /// - Throws: `usage` for no posters, `badData` when nothing can be decoded, `inputOutput` when reading fails.
    @available(*, noasync, message: "it blocks; in asynchronous code use 'BlockingWork.run'")
    public func posters(
        _ options: PosterOptions = .init(), progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(ScrubError) -> PosterReport {
        guard (1...1000).contains(options.count), (1...10_000).contains(options.candidateCount) else {
            throw ScrubError(
                .usage, "\(options.count) posters of \(options.candidateCount)", advice: "ask for 1 to 1000")
        }
        let times = PosterCandidates.times(count: max(options.candidateCount, options.count), duration: duration)
        let plan = try thumbnailPlan(
            for: ThumbnailRequest(.at(times.map { .time($0) }), tolerance: .keyframe))
        // A film with few key pictures has more to show between them.
        var frames = Set(plan.slots.map(\.frame))
        if frames.count < min(options.candidateCount, 3 * options.count) {
            let others = min(plan.slots.count, 12 * options.count)
            // From all over the film, not from its beginning.
            for place in 0..<others {
                frames.insert(plan.slots[(2 * place + 1) * plan.slots.count / (2 * others)].requestedFrame)
            }
        }
        var thumbnails = ThumbnailOptions()
        (thumbnails.widths, thumbnails.threadCount) = ([320], options.threadCount)
        let extractor = try ThumbnailExtractor(self, thumbnails)
        var found: [PosterCandidate] = []
        var previews: [Int: (jpeg: [UInt8], small: PosterImage)] = [:]
        var (done, decoded, reason): (Int, Int, String?) = (0, 0, nil)
        try extractor.extract(Array(frames)) { (answer) throws(ScrubError) in
            done += 1
            decoded += answer.decoded
            progress(done, frames.count)
            // A damaged picture is no poster.
            guard let picture = answer.images.first, let image = picture.scorable, answer.verdict == .exact else {
                reason = reason ?? answer.verdict.reason
                return
            }
            previews[answer.frame] = (try PictureFormat.jpeg.encode(picture, quality: 80), image.fitting(64))
            found.append(PosterCandidate(frame: answer.frame, time: time(ofFrame: answer.frame), image: image))
        }
        guard !found.isEmpty else {
            throw ScrubError(.badData, "no picture can be decoded: \(reason ?? "")", file: path)
        }
        let selection = PosterSelection(options.count, of: found, span: duration)
        let poster = { (candidate: PosterCandidate) in
            let preview = previews[candidate.frame]
            return Poster(
                frame: self.frames[candidate.frame], scores: candidate.scores, preview: preview?.jpeg ?? [],
                blurHash: preview.map { BlurHash.encode($0.small) } ?? "",
                thumbHash: preview.map { ThumbHash.encode($0.small) } ?? [])
        }
        return PosterReport(
            posters: selection.posters.map(poster), candidates: found.sorted { $0.frame < $1.frame }.map(poster),
            note: selection.note, decodedPictures: decoded, size: extractor.sizes[0],
            title: path.lastPathComponent)
    }
}
