internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubIndex
internal import ScrubLibAV
internal import ScrubPictures

/// A run that makes the thumbnails of a plan: they are decoded in the video's order, each made once, and put on sheets
/// and into files as they arrive.
///
/// Finished parts are in a folder inside the set's until ``finish()``: only encoded sheets and pictures. An interrupted
/// run resumes from there. A run without anything to resume from leaves no folder.
///
/// Memory: a decoder's own pictures for each thread, and small pictures that are ahead of their turn
/// (``ThumbnailExtractor/aheadByteCount`` for each thread, ``ThumbnailReorderBuffer``). Each requested layout adds one
/// sheet and its file. Use from one thread.
final class ThumbnailRun {
    let asset: VideoAsset
    let plan: ThumbnailPlan
    /// The options' sizes for this video.
    let sizes: [PictureSize]
    /// The output folder.
    let output: OutputFolder
    /// The finished parts of the run.
    let finished: ResumableOutput
    private let extractor: ThumbnailExtractor
    private var makers: [any ThumbnailMaker] = []
    /// The files that a maker makes. Files shared by two sets are made once.
    private var files: Set<String> = []
    /// The sizes for which blurred placeholders are requested.
    private var lookSizes: Set<Int> = []
    /// The maximum number of threads that work at the same time.
    let threadCount: Int
    /// The video's name in manifests; `nil` for its path.
    var name: String?
    /// Warnings about options that could not be followed, one sentence each.
    private(set) var warnings: [Wording] = []

    /// Creates a run.
    ///
    /// - Parameter output: the output folder.
    init(
        _ asset: VideoAsset, _ plan: ThumbnailPlan, _ options: ThumbnailPlan.Options, into output: OutputFolder
    ) throws(ScrubError) {
        (self.asset, self.plan, self.output) = (asset, plan, output)
        threadCount = options.threadCount ?? Processors.count
        warnings = output.warnings.map { Wording($0) } + asset.omissions
        extractor = try ThumbnailExtractor(asset, options, for: plan.tolerance == .exact ? .exact : .near)
        sizes = extractor.sizes
        if let reason = extractor.previewProblem {
            warnings.append("kept previews are not used, so all pictures are decoded: \(reason)")
        }
        try ThumbnailRun.checkOutput(plan, sizes, asset)
        var frames: [UInt8] = []
        for slot in plan.slots {
            for number in [slot.frameNumber, slot.requestedFrameNumber] {
                frames.append(littleEndian: UInt32(truncatingIfNeeded: number))
            }
        }
        let key =
            "\(asset.identity) thumbnails \(xxh3(frames)) sizes \(options.sizes.map(\.name)) "
            + "background \(options.background) hashes \(options.computesMD5) "
            + (options.usesKeptPreviews ? "previews " : "") + (options.deinterlaces ? "deinterlaced " : "")
            + "stream \(asset.index.facts.streamIndex) FFmpeg \(Libraries.release)"
        finished = try ResumableOutput(
            path: output.path + "/" + ResumableOutput.folderName, plan: plan, key: key)
    }

    /// Rejects thumbnails that exceed the output limit of a run, before a picture is decoded.
    private static func checkOutput(
        _ plan: ThumbnailPlan, _ sizes: [PictureSize], _ asset: VideoAsset
    ) throws(ScrubError) {
        let count = Set(plan.slots.map(\.frameNumber)).count
        // Sizes have at most 2^17 pixels per side, and there are at most 100,000 slots.
        let byteCount = ThumbnailExtractor.byteCount(sizes) * count
        do throws(ScrubError) {
            try asset.file.limits.check(
                .outputBytes, byteCount,
                "the unencoded bytes of \(PlainText.amount(count, "picture"))")
        } catch {
            throw error.inFile(asset.path)
        }
    }

    deinit { if finished.isEmpty { finished.remove() } }

    /// The MD5 of each frame's picture, if requested.
    var hashes: [Int: String] {
        Dictionary(finished.shown.compactMap { shown in shown.hash.map { (shown.frame, $0) } }) { first, _ in first }
    }

    /// The number of thumbnails made from kept previews.
    var previewCount: Int { finished.shown.count(where: \.isFromPreview) }

    /// The memory used by pictures.
    var memory: PictureMemory { extractor.memory }

    /// Adds a maker. Call it before ``run(progress:)``.
    func add(_ maker: some ThumbnailMaker) { makers.append(maker) }

    /// Requests blurred placeholders of a size. Call it before ``run(progress:)``.
    func addLooks(ofSize size: Int) { lookSizes.insert(size) }

    /// Claims a file that is made from the thumbnails.
    ///
    /// - Returns: false if it was already claimed, and is therefore made already.
    func claim(_ file: String) -> Bool { files.insert(file).inserted }

    private var line: ThumbnailReorderBuffer { ThumbnailReorderBuffer(plan, finished, makers, lookSizes: lookSizes) }

    /// Makes the requested thumbnails that do not exist yet.
    ///
    /// - Parameter progress: receives the finished ``WorkProgress/Unit/thumbnails``.
    /// - Throws: `badData` if no frame could be decoded; ``ScrubError/cancelled`` if the work on this thread is
    ///   cancelled. Finished parts are kept.
    func run(progress: (WorkProgress) -> Void) throws(ScrubError) {
        if finished.shown.contains(where: { !lookSizes.isSubset(of: $0.looks.keys) }) { finished.forgetShown() }
        var line = line
        var left = line.frames
        // The known facts about these thumbnails stay valid when their pictures are made again.
        let decoded = Set(finished.shown.filter { !$0.isFromPreview }.map(\.frame))
        let count = Set(plan.slots.map(\.frameNumber)).count
        var (said, reason): (Set<String>, Wording?) = ([], nil)
        progress(WorkProgress(count - left.count, of: count, .thumbnails))
        for part in line.parts(pictureByteCount: ThumbnailExtractor.byteCount(sizes)) {
            do throws(ScrubError) {
                try extractor.extract(line.begin(part), .film, decoding: decoded) { (answer) throws(ScrubError) in
                    try line.take(answer)
                    said.formUnion(answer.warnings)
                    reason = reason ?? answer.verdict.wording
                    left.remove(answer.frame)
                    progress(WorkProgress(count - left.count, of: count, .thumbnails))
                    try Cancellation.check()
                }
            } catch  where error.isCancellation {
                throw .cancelled(
                    "cancelled after \(count - left.count) of \(PlainText.amount(count, "picture"))",
                    advice: "\(term: .callAgain)")
            }
        }
        warnings += said.sorted().map { Wording($0) }
        guard try line.end() else {
            throw ScrubError(.badData, "no picture can be decoded: \(reason ?? "" as Wording)", file: asset.path)
        }
    }

    /// Gives all files their names and removes the parts kept for a later run.
    func finish() throws(ScrubError) {
        try output.commit(removing: finished.path)
        finished.remove()
    }

    /// Returns an error that ended the run, with a note about the finished parts.
    func explaining(_ error: ScrubError) -> ScrubError {
        // The request itself is wrong, and repeating it would not help.
        guard !finished.isEmpty, error.code != .usage else { return error }
        // If each picture is decoded again for something else, finished files are still kept.
        let count = Set(plan.slots.map(\.frameNumber)).count - line.frames.count
        let what = count == 0 ? "the finished part is" : count == 1 ? "1 picture is" : "\(count) pictures are"
        let note: Wording = "\(what) kept in \(finished.path): \(term: .sameCall) continues from there"
        var error = error
        error.adviceWording = error.adviceWording.map { "\($0); \(note)" } ?? note
        return error
    }
}

extension VideoAsset {
    /// Identifies the contents: size and modification time, or the source's own identifier. Content without an identity
    /// gets a unique name.
    var identity: String {
        let bytes = file.identity.map { "\($0.byteCount) bytes of \($0.content ?? String($0.modified))" }
        return "\(index.frameCount) frames, \(bytes ?? "unknown bytes \(UInt64.random(in: .min ... .max))")"
    }
}
