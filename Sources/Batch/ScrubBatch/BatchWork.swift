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
        /// The number of pictures in the result.
        package var pictures: Int
        /// The number of coded pictures that had to be decoded for them.
        package var decoded = 0
        package var warnings: [String] = []
        /// The cache file that contains the result, if it is there.
        var previews: BatchRecord.Previews?
        /// Whether a part of the result already existed, so that this work does not reflect the film's cost.
        var isRest = false
        /// Why the film's result counts as a failure although it was made: frames that differ from the linear decode's.
        package var complaint: ScrubError?

        package init(pictures: Int) { self.pictures = pictures }
    }

    /// The conditions of the work on a film.
    package struct Surroundings: Sendable {
        /// The folder to which the result is written, beside its final place.
        package var folder: String
        /// The film, identified by its path below its root and its contents.
        package var subject: ThumbnailSubject
        package var threadCount: Int
        /// Whether existing parts of the result are checked by their hashes.
        var checksResults = false
    }

    /// Everything besides the film that determines the result's bytes: part of the options' hash.
    package internal(set) var name: String
    /// The thumbnails whose cost is predicted, if this work makes any.
    package let request: ThumbnailPlan.Request?
    /// The pixels of each 16:9 thumbnail, for the prediction.
    package let thumbnailPixels: Int
    /// The number of decoders per thread that a film needs at any one time.
    package let decoderCount: Int
    /// The bytes of pictures that are kept besides those in progress.
    package let keptBytes: Int
    /// Predicts the bytes of a film's result.
    ///
    /// - Parameter slots: the number of thumbnails of ``request``.
    package let predictBytes: @Sendable (_ asset: VideoAsset, _ slots: Int) throws(ScrubError) -> Double
    /// Whether a file that was made is part of the result, given its path relative to the folder.
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

    /// Returns the facts from which a film's cost is predicted; `nil` if it cannot be predicted.
    func features(of asset: VideoAsset) throws(ScrubError) -> CostFeatures? {
        guard request != nil || makesPreviews || ownFeatures != nil else { return nil }
        return try features(of: asset, else: .init(.count(1)))
    }

    /// Returns the facts from which a film's cost is predicted.
    ///
    /// - Parameter usual: the thumbnails that stand for work without thumbnails.
    func features(of asset: VideoAsset, else usual: ThumbnailPlan.Request) throws(ScrubError) -> CostFeatures {
        if let ownFeatures { return try ownFeatures(asset) }
        if makesPreviews { return CostFeatures(ofAllFrames: asset, outputPixels: ResultBytes.previewPixels(of: asset)) }
        return try CostFeatures(of: asset, request ?? usual, thumbnailPixels: thumbnailPixels)
    }

    /// Returns the number of thumbnails of ``request``, as in a film's figures.
    func slots(_ features: CostFeatures) -> Int {
        thumbnailPixels > 0 ? Int((features.outputPixels / Double(thumbnailPixels)).rounded()) : 0
    }

    /// Thumbnail sets. Sets that the film's own facts rule out, such as an interval that a format cannot express, are
    /// omitted with a warning. If none remains, the film has failed.
    package static func thumbnailSets(_ options: ThumbnailSets.Options) -> BatchWork {
        let profiles = options.profiles.map(\.rawValue).joined(separator: ",")
        // Each set has its own pictures, even for the same width.
        let widths = options.profiles.flatMap(\.widths)
        // One sheet of each layout is in progress; profiles with equal layouts share it.
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
                    .badData, report.warnings.first ?? "no set was requested",
                    advice: "request other thumbnails or profiles, such as web")
            }
            var made = Made(pictures: report.sets.reduce(0) { $0 + $1.thumbnailCount })
            (made.decoded, made.warnings) = (
                report.plan?.decodedPictureCount ?? 0, report.warnings.map { $0.text(for: .command) }
            )
            made.isRest = report.previewCount > 0
            return made
        }
    }

    /// Previews of all frames, kept in the cache; the result's folder contains only the record. No other cache file is
    /// removed for them: otherwise, a library that does not fit would remove its first films' previews for its last
    /// films'.
    package static func previews() -> BatchWork {
        // Previews wait for the disk in groups of a hundred and twenty-eight.
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

    /// Whether the cache has no room for more previews, for this film and later ones.
    func hasNoRoom(_ error: ScrubError) -> Bool {
        makesPreviews && error.code == .unavailable && error.systemError == .errno(ENOSPC)
    }

    /// Returns the size of one JPEG in bytes, and the figures to report about it.
    package static func posterBytes(
        width: Int, quality: Int
    ) -> @Sendable (VideoAsset, Int) throws(ScrubError) -> Double {
        { (asset, _) throws(ScrubError) in try ResultBytes.poster(width: width, quality: quality, of: asset) }
    }

    /// Returns the proof of each film: `verify.json`, and a failure if a picture differs from the linear decode's.
    ///
    /// - Parameter sample: the number of frames in each order, besides the first and last sixteen; 0 means all.
    package static func verification(sample: Int) -> BatchWork {
        // Two decoders, and the memory of a third for frames between two orders.
        var work = BatchWork(name: "verify \(sample)", decoderCount: 3, keptBytes: 32 << 20) {
            (asset, surroundings) throws(ScrubError) in
            let count = sample == 0 ? asset.frames.count : sample
            var options = FrameReader.Options()
            (options.decoderLimit, options.cacheByteLimit) = (2, 32 << 20)
            options.threadCount = surroundings.threadCount
            let report = try asset.verify(sample: count, options: options)
            var json = JSONText()
            json.add("pictures", report.comparedFrameCount)
            json.add("wrong", report.faults.count)
            json.add("damaged", report.damagedFrameCount)
            json.add("frameCount", asset.frames.count)
            json.add("linearPictures", report.linearPictureCount)
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
            var made = Made(pictures: report.comparedFrameCount)
            made.decoded = report.linearPictureCount
            if !report.faults.isEmpty {
                made.complaint = ScrubError(
                    .badData,
                    "the content of \(PlainText.amount(report.faults.count, "picture")) differs from the linear decode",
                    advice: "this is a bug in scrub: please report it, and include the film if you may share it")
            }
            return made
        }
        work.ownFeatures = { (asset) throws(ScrubError) in CostFeatures(ofProof: asset, sample: sample) }
        return work
    }
}
