internal import ScrubFileIO
internal import ScrubIndex
internal import ScrubPictures

/// The thumbnails of a plan, made once and then read as often as sets want them.
///
/// What is done is in a journal in the set's folder until ``finish()``; a run that was broken off goes on from
/// there. One that has nothing to go on from leaves none. Use from one thread.
final class ThumbnailRun {
    let asset: VideoAsset
    let plan: ThumbnailPlan
    /// The options' sizes for this video.
    let sizes: [PictureSize]
    /// Where it all goes.
    let output: OutputFolder
    private let extractor: ThumbnailExtractor
    private let journalPath: String
    private var journal: ThumbnailJournal
    /// The picture that was asked for last: slots beside each other often show the same one.
    private var last: (frame: Int, size: Int, image: RasterImage)?
    /// What sets of several players have in common.
    var written = WrittenPictures()
    /// What the film is called in manifests; `nil` for its path.
    var name: String?
    /// What could not be followed, a sentence each.
    private(set) var warnings: [String] = []

    /// - Parameters:
    ///   - output: where it all goes.
    ///   - journal: what the journal is called there.
    init(
        _ asset: VideoAsset, _ plan: ThumbnailPlan, _ options: ThumbnailPlan.Options, into output: OutputFolder,
        journal name: String = ".scrub-thumbnails.journal"
    ) throws(ScrubError) {
        (self.asset, self.plan, self.output) = (asset, plan, output)
        warnings = output.warnings + asset.omissions
        journalPath = output.path + "/" + name
        extractor = try ThumbnailExtractor(asset, options, for: plan.tolerance == .exact ? .exact : .near)
        sizes = extractor.sizes
        try ThumbnailRun.checkOutput(plan, sizes, asset)
        let facts = asset.identity
        let key =
            "\(facts) sizes \(options.sizes.map(\.name)) background \(options.background) hashes \(options.makesHashes) stream \(asset.index.facts.streamIndex)"
        journal = try ThumbnailJournal(path: journalPath, key: key, sizes: sizes)
    }

    /// Refuses what takes more room than a run may write, before a picture is decoded.
    private static func checkOutput(
        _ plan: ThumbnailPlan, _ sizes: [PictureSize], _ asset: VideoAsset
    ) throws(ScrubError) {
        let count = Set(plan.slots.map(\.frame)).count
        // Sizes have at most 2^17 pixels a side, and there are at most 100,000 slots.
        let byteCount = sizes.reduce(0) { $0 + ThumbnailJournal.imageByteCount($1) * count }
        do throws(ScrubError) {
            try asset.file.limits.check(
                .outputBytes, byteCount, "the bytes that \(PlainText.amount(count, "picture")) take until all are there"
            )
        } catch {
            throw error.inFile(asset.path)
        }
    }

    deinit { if journal.entries.isEmpty { journal.remove() } }

    /// The MD5 of each frame's picture, where it was asked for.
    var hashes: [Int: String] { journal.entries.compactMapValues(\.hash) }

    /// What pictures took in memory.
    var memory: PictureMemory { extractor.memory }

    /// Makes what is missing.
    ///
    /// - Parameters:
    ///   - isCancelled: asked between thumbnails; what is done stays in the journal.
    ///   - progress: told how many frames of how many are done.
    /// - Throws: `unavailable` when it was cancelled, `badData` when nothing could be decoded.
    func run(
        isCancelled: () -> Bool, progress: (_ done: Int, _ of: Int) -> Void
    ) throws(ScrubError) {
        let frames = Set(plan.slots.map(\.frame))
        let missing = frames.filter { journal.entries[$0] == nil }
        var done = frames.count - missing.count
        var said: Set<String> = []
        progress(done, frames.count)
        try extractor.extract(Array(missing)) { (answer) throws(ScrubError) in
            try journal.append(answer)
            said.formUnion(answer.warnings)
            done += 1
            progress(done, frames.count)
            if isCancelled() {
                throw ScrubError(
                    .unavailable, "broken off after \(done) of \(PlainText.amount(frames.count, "picture"))",
                    advice: "call this again to go on")
            }
        }
        warnings += said.sorted()
        guard frames.contains(where: { journal.entries[$0]?.hasImages == true }) else {
            let reason = journal.entries.values.compactMap(\.verdict.reason).sorted().first
            throw ScrubError(.badData, "no picture can be decoded: \(reason ?? "")", file: asset.path)
        }
    }

    /// What a slot shows in the end: its own frame, or that of the nearest slot when its own cannot be decoded.
    func shown(_ slot: ThumbnailPlan.Slot) -> (frame: Int, time: Rational, verdict: Verdict, hash: String?) {
        var frame = slot.frame
        if journal.entries[frame]?.hasImages != true {
            frame = stand(for: slot.index) ?? frame
        }
        let entry = journal.entries[frame]
        let own = entry?.verdict ?? .undecodable("")
        let verdict =
            frame == slot.requestedFrame
            ? own : .approximate("frame \(frame) stands for frame \(slot.requestedFrame)")
        return (frame, asset.time(ofFrame: frame), verdict, entry?.hash)
    }

    /// For each slot the nearest one whose own frame was decoded; of two that are as near, the earlier one.
    private lazy var nearestDecodable: [Int?] = {
        var found = [Int?](repeating: nil, count: plan.slots.count)
        var known: Int?
        for place in found.indices {
            if journal.entries[plan.slots[place].frame]?.hasImages == true { known = place }
            found[place] = known
        }
        known = nil
        for place in found.indices.reversed() {
            if found[place] == place { known = place }
            guard let known, known - place < place - (found[place] ?? -found.count) else { continue }
            found[place] = known
        }
        return found
    }()

    /// The frame that stands for a slot whose own cannot be decoded.
    private func stand(for slot: Int) -> Int? {
        guard nearestDecodable.indices.contains(slot) else { return nil }
        return nearestDecodable[slot].map { plan.slots[$0].frame }
    }

    /// A slot's picture in one of the sizes.
    func image(_ slot: ThumbnailPlan.Slot, size: Int) throws(ScrubError) -> RasterImage {
        let frame = shown(slot).frame
        if let last, last.frame == frame, last.size == size { return last.image }
        guard let image = try journal.image(frame, size: size) else {
            throw ScrubError(.badData, "no picture can be decoded", file: asset.path)
        }
        last = (frame, size, image)
        return image
    }

    /// Gives all files their names and removes the journal.
    func finish(isCancelled: () -> Bool) throws(ScrubError) {
        try output.commit(isCancelled: isCancelled)
        journal.remove()
    }

    /// An error that ended the run, with what is left of it.
    func explaining(_ error: ScrubError) -> ScrubError {
        // What was asked for is at fault then, and asking for it again would be no better.
        guard !journal.entries.isEmpty, error.code != .usage else { return error }
        var error = error
        let count = journal.entries.count
        let note =
            "\(count) \(count == 1 ? "picture is" : "pictures are") kept in \(journalPath): the same call goes on from there"
        error.advice = error.advice.map { $0 + "; " + note } ?? note
        return error
    }
}

extension VideoAsset {
    /// Names the contents: size and time of change, or what the source says of itself. Of what nothing identifies, a
    /// name that no other run has.
    var identity: String {
        let bytes = file.identity.map { "\($0.byteCount) bytes of \($0.content ?? String($0.modified))" }
        return "\(index.frameCount) frames, \(bytes ?? "unknown bytes \(UInt64.random(in: .min ... .max))")"
    }
}
