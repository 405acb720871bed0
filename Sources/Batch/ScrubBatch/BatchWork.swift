internal import ScrubBatchLogic
internal import ScrubFileIO
internal import Glibc
internal import ScrubLibAV
package import ScrubBase
package import ScrubMedia
package import ScrubThumbnails

/// The work of a batch on each film.
package struct BatchWork: Sendable {
    /// The result of the work on one film.
    package struct Made: Sendable {
        /// Pictures of the result.
        package var pictures: Int
        /// Coded pictures that had to be decoded for them.
        package var decoded = 0
        package var warnings: [String] = []
        /// The file in the cache that the result is kept in, if it is there.
        var previews: BatchRecord.Previews?
        /// Whether a part of the result was there before: what was done now does not tell the film's cost.
        var isRest = false
        /// The reason why the film's result is a failure, though it was made: frames that differ from the linear
        /// decode's.
        package var complaint: ScrubError?

        package init(pictures: Int) { self.pictures = pictures }
    }

    /// The conditions of the work on a film.
    package struct Surroundings: Sendable {
        /// The folder that the result is written into; it is beside the place that it gets.
        package var folder: String
        /// The film, by its path below its root and its contents.
        package var subject: ThumbnailSubject
        package var threadCount: Int
        /// Whether parts of the result that are there are proven by their hashes.
        var checksResults = false
    }

    /// Everything that decides about the result's bytes beside the film: part of the options' hash.
    package internal(set) var name: String
    /// Thumbnails whose cost is predicted, if it makes any.
    package let request: ThumbnailPlan.Request?
    /// Pixels of each thumbnail of 16:9, for the prediction.
    package let thumbnailPixels: Int
    /// Decoders that a film needs at a time, for each thread.
    package let decoderCount: Int
    /// Bytes of pictures that are kept beside those in work.
    package let keptBytes: Int
    /// Predicts the bytes of a film's result.
    ///
    /// - Parameter slots: thumbnails of ``request``.
    package let predictBytes: @Sendable (_ asset: VideoAsset, _ slots: Int) throws(ScrubError) -> Double
    /// Whether a file that was made, by its name from the folder, is part of the result.
    var keeps: @Sendable (String) -> Bool = { _ in true }
    /// Whether results are previews, which are kept in the cache.
    private(set) var makesPreviews = false
    /// The facts that predict the cost of work without thumbnails.
    private var ownFeatures: (@Sendable (VideoAsset) throws(ScrubError) -> CostFeatures)?
    package internal(set) var make: @Sendable (VideoAsset, Surroundings) throws(ScrubError) -> Made

    package init(
        name: String, request: ThumbnailPlan.Request? = nil, thumbnailPixels: Int = 0, decoderCount: Int = 1,
        keptBytes: Int = 0,
        predictBytes: @escaping @Sendable (_ asset: VideoAsset, _ slots: Int) throws(ScrubError) -> Double = { _, _ in
            1000
        },
        make: @escaping @Sendable (VideoAsset, Surroundings) throws(ScrubError) -> Made
    ) {
        (self.name, self.request, self.thumbnailPixels, self.make) = (name, request, thumbnailPixels, make)
        self.predictBytes = predictBytes
        (self.decoderCount, self.keptBytes) = (decoderCount, keptBytes)
    }

    /// Returns the facts of a film that its cost is predicted from; `nil` if it cannot be predicted.
    func features(of asset: VideoAsset) throws(ScrubError) -> CostFeatures? {
        guard request != nil || makesPreviews || ownFeatures != nil else { return nil }
        return try features(of: asset, else: .init(.count(1)))
    }

    /// Returns the facts of a film that its cost is predicted from.
    ///
    /// - Parameter usual: the thumbnails that work counts as which is about none.
    func features(of asset: VideoAsset, else usual: ThumbnailPlan.Request) throws(ScrubError) -> CostFeatures {
        if let ownFeatures { return try ownFeatures(asset) }
        if makesPreviews { return CostFeatures(ofAllFrames: asset, outputPixels: ResultBytes.previewPixels(of: asset)) }
        return try CostFeatures(of: asset, request ?? usual, thumbnailPixels: thumbnailPixels)
    }

    /// Returns thumbnails of ``request``, as a film's figures have them.
    func slots(_ features: CostFeatures) -> Int {
        thumbnailPixels > 0 ? Int((features.outputPixels / Double(thumbnailPixels)).rounded()) : 0
    }

    /// Thumbnail sets; those that a film's own facts rule out, such as an interval that a format cannot say, are left
    /// out with a warning. A film that has none then has failed.
    package static func thumbnailSets(_ options: ThumbnailSets.Options) -> BatchWork {
        let profiles = options.profiles.map(\.rawValue).joined(separator: ",")
        // Each set has its own pictures, also of the same width.
        let widths = options.profiles.flatMap(\.widths)
        // A sheet of each layout is on its way; those of two profiles that are alike are one.
        let sheets = options.profiles.flatMap { profile in
            profile.widths.map { profile.sheets.columns * profile.sheets.rows * $0 * $0 * 9 / 16 * 3 }
        }
        return BatchWork(
            name:
                "sets \(profiles) \(options.request) quality \(options.quality) base \(options.baseURL ?? "-") ground \(options.background)"
                + (options.usesKeptPreviews ? " previews" : ""),
            request: widths.isEmpty ? nil : options.request,
            thumbnailPixels: widths.reduce(0) { $0 + $1 * $1 * 9 / 16 }, keptBytes: Set(sheets).reduce(0, +),
            predictBytes: { (asset, slots) throws(ScrubError) in
                try ResultBytes.sets(options.profiles, quality: options.quality, of: asset, slots: slots)
            }
        ) { (asset, surroundings) throws(ScrubError) in
            var options = options
            (options.threadCount, options.subject) = (surroundings.threadCount, surroundings.subject)
            let report = try asset.writeThumbnailSets(into: surroundings.folder, options: options)
            guard !report.sets.isEmpty else {
                throw ScrubError(
                    .badData, report.warnings.first ?? "no set was asked for",
                    advice: "ask for other thumbnails or profiles, such as web")
            }
            var made = Made(pictures: report.sets.reduce(0) { $0 + $1.thumbnailCount })
            (made.decoded, made.warnings) = (
                report.plan?.decodedPictures ?? 0, report.warnings.map { $0.text(for: .command) }
            )
            made.isRest = report.previewCount > 0
            return made
        }
    }

    /// Previews of all frames, kept in the cache; the result's folder has the record alone. No other file of the cache
    /// is removed for them: a library that has no room would remove its first films' for its last ones'.
    package static func previews() -> BatchWork {
        // Previews wait for the disk a hundred and twenty-eight at a time.
        var work = BatchWork(
            name: "\(PreviewTrack.keptRecipeName) FFmpeg \(Libraries.release)", keptBytes: 16 << 20,
            predictBytes: { (asset, _) in ResultBytes.previews(of: asset) }
        ) { (asset, surroundings) throws(ScrubError) in
            if surroundings.checksResults { asset.removeDamagedPreviews() }
            let report = try asset.keepPreviews(threadCount: surroundings.threadCount, removesOthers: false)
            try Folder.make(surroundings.folder)
            var made = Made(pictures: report.frameCount)
            made.decoded = report.madeCount + report.missingCount
            made.isRest = made.decoded < asset.frames.count
            made.previews = .init(name: report.path.lastPathComponent, bytes: Int(report.byteCount))
            if report.missingCount > 0 {
                made.warnings.append("\(PlainText.amount(report.missingCount, "frame")) without a preview")
            }
            return made
        }
        work.makesPreviews = true
        return work
    }

    /// Whether the cache has no room for more previews, of this film and of those that follow.
    func hasNoRoom(_ error: ScrubError) -> Bool {
        makesPreviews && error.code == .unavailable && error.systemError == .errno(ENOSPC)
    }

    /// Returns the bytes of one JPEG, and the figures to report of it.
    package static func posterBytes(
        width: Int, quality: Int
    ) -> @Sendable (VideoAsset, Int) throws(ScrubError) -> Double {
        { (asset, _) throws(ScrubError) in try ResultBytes.poster(width: width, quality: quality, of: asset) }
    }

    /// Returns the proof of each film: `verify.json`, and a failure if a picture differs from the linear decode's.
    ///
    /// - Parameter sample: frames of each order, beside the first and last sixteen; 0 for all.
    package static func verification(sample: Int) -> BatchWork {
        // Two decoders, and what a third would take for those that are between two orders.
        var work = BatchWork(name: "verify \(sample)", decoderCount: 3, keptBytes: 32 << 20) {
            (asset, surroundings) throws(ScrubError) in
            let count = sample == 0 ? asset.frames.count : sample
            var options = FrameReader.Options()
            (options.decoderLimit, options.cacheByteLimit) = (2, 32 << 20)
            options.threadCount = surroundings.threadCount
            let report = try asset.verify(sample: count, options: options)
            var json = JSONText()
            json.add("pictures", report.pictures)
            json.add("wrong", report.faults.count)
            json.add("damaged", report.damaged)
            json.add("frameCount", asset.frames.count)
            json.add("linearPictures", report.linearPictures)
            json.add("orders", .array(report.orders.map { .string($0.rawValue) }))
            json.add(
                "faults",
                lines: report.faults.prefix(100).map { fault in
                    var line = JSONText()
                    line.add("order", fault.order?.rawValue ?? "linear")
                    line.add("frame", fault.frame)
                    line.add("reason", fault.reason)
                    return line
                })
            try Folder.make(surroundings.folder)
            try AtomicFile.write(Array((json.text + "\n").utf8), to: .staged(surroundings.folder + "/verify.json"))
            var made = Made(pictures: report.pictures)
            made.decoded = report.linearPictures
            if !report.faults.isEmpty {
                made.complaint = ScrubError(
                    .badData,
                    "\(PlainText.amount(report.faults.count, "picture")) of another content than the linear decode's",
                    advice: "this is a fault of scrub: report it with the film, if you may share it")
            }
            return made
        }
        work.ownFeatures = { (asset) throws(ScrubError) in CostFeatures(ofProof: asset, sample: sample) }
        return work
    }
}
