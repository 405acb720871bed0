internal import ScrubThumbnailsLogic
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubPictures

/// A search that examines frames until there are posters among them.
///
/// The frames that are examined for the first poster do not depend on the number of posters requested.
struct PosterSearch {
    /// An examined frame.
    private struct Look {
        var candidate: PosterCandidate
        var jpeg: [UInt8]
        var small: PosterImage
        /// The reason why its picture is damaged.
        var damage: Wording?
        /// Whether its picture can be proven to be the right one only by a comparison.
        var needsProof: Bool
        var isProven = false
    }

    /// The number of frames between key pictures to examine for each poster if there are few key pictures.
    private static let othersForEach = 12
    /// The number of key pictures per poster below which a video counts as having few.
    private static let keysForEach = 3
    /// The number of pictures that may be compared in addition to the chosen ones, because a comparison can change the
    /// choice.
    private static let moreProofs = 8

    private let asset: VideoAsset
    private let options: Poster.Options
    /// The scene to search; `nil` for the whole video.
    private let scene: PosterScene?
    private let extractor: ThumbnailExtractor
    private var looks: [Int: Look] = [:]
    private var decoded = 0
    /// The reason why a picture could not be decoded.
    private var reason: Wording?
    /// The number of frames to examine, and the number already examined.
    private var (total, done) = (0, 0)

    init(_ asset: VideoAsset, _ options: Poster.Options) throws(ScrubError) {
        (self.asset, self.options) = (asset, options)
        scene = try options.timeRange.map { (range) throws(ScrubError) in try PosterScene(range, of: asset) }
        var thumbnails = ThumbnailPlan.Options()
        (thumbnails.sizes, thumbnails.threadCount) = ([.standard(320)], options.threadCount)
        extractor = try ThumbnailExtractor(asset, thumbnails, for: .look)
    }

    mutating func report(_ progress: (WorkProgress) -> Void) throws(ScrubError) -> Poster.Report {
        let slots = try slots(options.candidateCount)
        var frames = Set(slots.map(\.frame))
        // If a video has few key pictures, frames between them are needed too.
        if frames.count < min(options.candidateCount, PosterSearch.keysForEach) {
            frames.formUnion(PosterSearch.between(slots, posters: 1))
        }
        try look(at: frames, progress)
        if hasWhole, candidates.allSatisfy(\.scores.isBlank) {
            try look(at: PosterSearch.between(slots, posters: 1), progress)
        }
        guard !looks.isEmpty else {
            throw ScrubError(.badData, "no picture can be decoded: \(reason ?? "" as Wording)", file: asset.path)
        }
        var selection = try selection(1, first: nil)
        if options.count > 1 {
            if hasWhole { try lookFurther(slots, progress) }
            selection = try self.selection(options.count, first: selection.posters.first?.frame)
        }
        let posters = selection.posters.map(poster)
        let damaged = posters.first.flatMap { first in
            first.damage.map { damage -> Wording in
                "\(selection.note.map { "\($0); " } ?? "" as Wording)every candidate picture is damaged; for the best one, frame \(first.frame.number), the decoder reports: \(damage)"
            }
        }
        return Poster.Report(
            posters: posters, candidates: candidates.sorted { $0.frame < $1.frame }.map(poster),
            note: damaged ?? selection.note, decodedPictureCount: decoded, size: extractor.sizes[0],
            title: asset.path.lastPathComponent)
    }

    /// A position to examine: the frame on screen there, and the one that represents it.
    private struct Place {
        let requestedFrame: Int
        let frame: Int
    }

    /// Returns key pictures near positions throughout the video or the scene.
    private func slots(_ count: Int) throws(ScrubError) -> [Place] {
        let times = scene?.times(count) ?? PosterCandidates.times(count: count, duration: asset.duration)
        let plan = try asset.thumbnailPlan(
            for: ThumbnailPlan.Request(.at(times.map { .time($0) }), tolerance: .keyframe))
        return plan.slots.map { slot in
            let isInside = scene?.frames.contains(slot.frameNumber) ?? true
            return Place(
                requestedFrame: slot.requestedFrameNumber,
                frame: isInside ? slot.frameNumber : slot.requestedFrameNumber)
        }
    }

    /// Returns frames at the positions themselves, spread over the whole video instead of taken from its beginning.
    private static func between(_ slots: [Place], posters: Int) -> Set<Int> {
        let count = min(slots.count, othersForEach * posters)
        return Set(
            (0..<count).map { slots[(2 * $0 + 1) * slots.count / (2 * count)].requestedFrame })
    }

    /// Examines more frames if there are too few for the requested number of posters.
    private mutating func lookFurther(
        _ slots: [Place], _ progress: (WorkProgress) -> Void
    ) throws(ScrubError) {
        let slots = options.count > options.candidateCount ? try self.slots(options.count) : slots
        var frames = Set(slots.map(\.frame))
        if frames.count < min(slots.count, PosterSearch.keysForEach * options.count) {
            frames.formUnion(PosterSearch.between(slots, posters: options.count))
        }
        try look(at: frames, progress)
    }

    private mutating func look(at frames: Set<Int>, _ progress: (WorkProgress) -> Void) throws(ScrubError) {
        let missing = frames.filter { looks[$0] == nil }
        guard !missing.isEmpty else { return }
        total += missing.count
        var found: [Look] = []
        var (done, decoded, reason) = (done, decoded, reason)
        try extractor.extract(missing.sorted()) { (answer) throws(ScrubError) in
            done += 1
            decoded += answer.decoded
            progress(WorkProgress(done, of: total, .pictures))
            guard let image = answer.images.first else {
                reason = reason ?? answer.verdict.wording
                return
            }
            found +=
                try look(
                    answer.frame, image, damage: answer.isClean ? nil : answer.verdict.wording,
                    needsProof: answer.needsProof
                ).map { [$0] } ?? []
        }
        (self.done, self.decoded, self.reason) = (done, decoded, reason)
        for look in found { looks[look.candidate.frame] = look }
    }

    private func look(
        _ frame: Int, _ image: RasterImage, damage: Wording?, needsProof: Bool
    ) throws(ScrubError) -> Look? {
        guard let scorable = image.scorable else { return nil }
        return Look(
            candidate: PosterCandidate(frame: frame, time: asset.time(ofFrame: frame), image: scorable),
            jpeg: try ImageFormat.jpeg.encode(image, quality: 80), small: scorable.fitting(64), damage: damage,
            needsProof: needsProof)
    }

    private var hasWhole: Bool { looks.values.contains { $0.damage == nil } }

    /// The intact pictures, or all pictures if none is intact.
    private var candidates: [PosterCandidate] {
        let isWhole = hasWhole
        return looks.values.filter { !isWhole || $0.damage == nil }.map(\.candidate)
    }

    /// Chooses posters, and proves the chosen pictures by comparison if nothing else does.
    private mutating func selection(_ count: Int, first: Int?) throws(ScrubError) -> PosterSelection {
        var left = count + PosterSearch.moreProofs
        while true {
            let selection = PosterSelection(
                count, of: candidates, span: scene?.duration ?? asset.duration, first: first)
            let doubtful = selection.posters.first { looks[$0.frame]?.needsProof == true }
            guard let doubtful, left > 0 else { return selection }
            left -= 1
            try prove(doubtful.frame)
        }
    }

    /// Replaces a picture that may be wrong with the proven one.
    private mutating func prove(_ frame: Int) throws(ScrubError) {
        var reading = FrameReader.Options()
        (reading.cacheByteLimit, reading.decoderLimit, reading.threadCount) = (0, 1, options.threadCount)
        var reader = FrameReader(asset, options: reading)
        let answer = try reader.frame(numbered: frame)
        decoded += answer.decodedPictureCount
        looks[frame]?.needsProof = false
        guard let picture = answer.picture else {
            looks[frame]?.damage = answer.verdict.wording
            return
        }
        let image = try picture.small(extractor.sizes[0]).image
        guard var look = try look(frame, image, damage: answer.verdict.wording, needsProof: false) else { return }
        look.isProven = true
        looks[frame] = look
    }

    private func poster(_ candidate: PosterCandidate) -> Poster {
        let look = looks[candidate.frame]
        return Poster(
            frame: asset.frames[candidate.frame], scores: candidate.scores, preview: look?.jpeg ?? [],
            blurHash: look.map { BlurHash.encode($0.small) } ?? "",
            thumbHash: look.map { ThumbHash.encode($0.small) } ?? [], damage: look?.damage,
            isProven: look?.isProven ?? false)
    }
}
