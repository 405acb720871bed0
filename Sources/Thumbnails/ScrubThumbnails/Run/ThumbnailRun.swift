internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubIndex
internal import ScrubLibAV
internal import ScrubPictures

/// The thumbnails of a plan: decoded in the film's order, each made once, and put on sheets and into files as they
/// come.
///
/// Finished parts are in a folder inside the set's until ``finish()``: encoded sheets and pictures, nothing
/// else. A run that was broken off goes on from there. One that has nothing to go on from leaves none.
///
/// Memory: a decoder's own pictures for each thread, and small pictures that are ahead of their turn
/// (``ThumbnailExtractor/aheadByteCount`` for each thread, ``ThumbnailLine``). One sheet and its file are added for
/// each layout that was asked for. Use from one thread.
final class ThumbnailRun {
    let asset: VideoAsset
    let plan: ThumbnailPlan
    /// The options' sizes for this video.
    let sizes: [PictureSize]
    /// The folder that everything goes to.
    let output: OutputFolder
    /// The finished parts of the run.
    let finished: FinishedPictures
    private let extractor: ThumbnailExtractor
    private var makers: [any ThumbnailMaker] = []
    /// Files that a maker makes: those of two sets that are the same are made once.
    private var files: Set<String> = []
    /// Sizes whose blurred stand-ins are wanted.
    private var lookSizes: Set<Int> = []
    /// Threads that may be at work at the same time.
    let threadCount: Int
    /// The film's name in manifests; `nil` for its path.
    var name: String?
    /// The instructions that could not be followed, a sentence each.
    private(set) var warnings: [Wording] = []

    /// - Parameter output: the folder that everything goes to.
    init(
        _ asset: VideoAsset, _ plan: ThumbnailPlan, _ options: ThumbnailPlan.Options, into output: OutputFolder
    ) throws(ScrubError) {
        (self.asset, self.plan, self.output) = (asset, plan, output)
        threadCount = options.threadCount ?? Processors.count
        warnings = output.warnings.map { Wording($0) } + asset.omissions
        extractor = try ThumbnailExtractor(asset, options, for: plan.tolerance == .exact ? .exact : .near)
        sizes = extractor.sizes
        if let reason = extractor.previewProblem {
            warnings.append("all pictures are decoded, none is made of kept previews: \(reason)")
        }
        try ThumbnailRun.checkOutput(plan, sizes, asset)
        var frames: [UInt8] = []
        for slot in plan.slots {
            for number in [slot.frame, slot.requestedFrame] {
                frames.append(littleEndian: UInt32(truncatingIfNeeded: number))
            }
        }
        let key =
            "\(asset.identity) thumbnails \(xxh3(frames)) sizes \(options.sizes.map(\.name)) "
            + "background \(options.background) hashes \(options.makesHashes) "
            + (options.usesKeptPreviews ? "previews " : "") + (options.deinterlaces ? "deinterlaced " : "")
            + "stream \(asset.index.facts.streamIndex) FFmpeg \(Libraries.release)"
        finished = try FinishedPictures(
            path: output.path + "/" + FinishedPictures.folderName, plan: plan, key: key)
    }

    /// Refuses thumbnails that take more room than a run may write, before a picture is decoded.
    private static func checkOutput(
        _ plan: ThumbnailPlan, _ sizes: [PictureSize], _ asset: VideoAsset
    ) throws(ScrubError) {
        let count = Set(plan.slots.map(\.frame)).count
        // Sizes have at most 2^17 pixels a side, and there are at most 100,000 slots.
        let byteCount = ThumbnailExtractor.byteCount(sizes) * count
        do throws(ScrubError) {
            try asset.file.limits.check(
                .outputBytes, byteCount,
                "the bytes that \(PlainText.amount(count, "picture")) take before they are encoded")
        } catch {
            throw error.inFile(asset.path)
        }
    }

    deinit { if finished.isEmpty { finished.remove() } }

    /// The MD5 of each frame's picture, where it was asked for.
    var hashes: [Int: String] {
        Dictionary(finished.shown.compactMap { shown in shown.hash.map { (shown.frame, $0) } }) { first, _ in first }
    }

    /// Thumbnails that were made of kept previews.
    var previewCount: Int { finished.shown.count(where: \.isFromPreview) }

    /// The memory that pictures took.
    var memory: PictureMemory { extractor.memory }

    /// Asks for something that is made of the thumbnails. Before ``run(progress:)``.
    func add(_ maker: some ThumbnailMaker) { makers.append(maker) }

    /// Asks for blurred stand-ins of a size. Before ``run(progress:)``.
    func addLooks(ofSize size: Int) { lookSizes.insert(size) }

    /// Claims a file that is made of the thumbnails.
    ///
    /// - Returns: false when it was claimed before: then it is made already.
    func claim(_ file: String) -> Bool { files.insert(file).inserted }

    private var line: ThumbnailLine { ThumbnailLine(plan, finished, makers, lookSizes: lookSizes) }

    /// Makes the requested thumbnails that are not there yet.
    ///
    /// - Parameter progress: told how many frames of how many are done.
    /// - Throws: `badData` when nothing could be decoded; ``ScrubError/cancelled`` when the work on this thread is
    ///   cancelled. Finished parts are kept.
    func run(progress: (_ done: Int, _ of: Int) -> Void) throws(ScrubError) {
        if finished.shown.contains(where: { !lookSizes.isSubset(of: $0.looks.keys) }) { finished.forgetShown() }
        var line = line
        var left = line.frames
        // What is known of these stays true when their pictures are made again.
        let decoded = Set(finished.shown.filter { !$0.isFromPreview }.map(\.frame))
        let count = Set(plan.slots.map(\.frame)).count
        var (said, reason): (Set<String>, Wording?) = ([], nil)
        progress(count - left.count, count)
        for part in line.parts(pictureByteCount: ThumbnailExtractor.byteCount(sizes)) {
            do throws(ScrubError) {
                try extractor.extract(line.begin(part), .film, decoding: decoded) { (answer) throws(ScrubError) in
                    try line.take(answer)
                    said.formUnion(answer.warnings)
                    reason = reason ?? answer.verdict.wording
                    left.remove(answer.frame)
                    progress(count - left.count, count)
                    try Cancellation.check()
                }
            } catch  where error.isCancellation {
                throw .cancelled(
                    "broken off after \(count - left.count) of \(PlainText.amount(count, "picture"))",
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

    /// Returns an error that ended the run, with the finished parts that it leaves.
    func explaining(_ error: ScrubError) -> ScrubError {
        // What was asked for is at fault then, and asking for it again would be no better.
        guard !finished.isEmpty, error.code != .usage else { return error }
        // Where each picture is decoded again for something else, finished files are kept all the same.
        let count = Set(plan.slots.map(\.frame)).count - line.frames.count
        let what = count == 0 ? "what is finished is" : count == 1 ? "1 picture is" : "\(count) pictures are"
        let note: Wording = "\(what) kept in \(finished.path): \(term: .sameCall) goes on from there"
        var error = error
        error.adviceWording = error.adviceWording.map { "\($0); \(note)" } ?? note
        return error
    }
}

extension VideoAsset {
    /// Names the contents: size and time of change, or the source's own identifier. Contents without an identity get a
    /// name that no other run has.
    var identity: String {
        let bytes = file.identity.map { "\($0.byteCount) bytes of \($0.content ?? String($0.modified))" }
        return "\(index.frameCount) frames, \(bytes ?? "unknown bytes \(UInt64.random(in: .min ... .max))")"
    }
}
