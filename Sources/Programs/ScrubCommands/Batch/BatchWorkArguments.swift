#if CommandLine
internal import ArgumentParser
internal import ScrubFileIO
internal import Scrub
internal import ScrubThumbnails
internal import ScrubReports
internal import ScrubBase
internal import ScrubBatch

/// The results for each film.
struct BatchWorkArguments: ParsableArguments {
    @Option(
        help:
            "Make thumbnail sets, as scrub thumbs does, for a comma-separated list of players: web, jellyfin, plex, roku, hls, dash, contact, freedesktop, or all."
    )
    var profile: String?

    @Flag(help: "Verify each film's frames, as scrub verify does, and write verify.json.")
    var verify = false

    @Flag(help: "Describe each film, as scrub info does, and write info.json.")
    var info = false

    @Flag(help: "Make one poster of each film: poster.jpg.")
    var poster = false

    @Flag(help: "Make a contact sheet of each film, as scrub sheet does: sheet.jpg.")
    var sheet = false

    @Flag(
        help:
            "Make previews of all frames of each film, as scrub previews does, and keep them in the cache."
    )
    var previews = false

    @OptionGroup var thumbnailPreviews: FromPreviewsArgument

    @Option(help: "Make one thumbnail per interval of this many seconds. Default: 10.")
    var every: String?

    @Option(help: "Instead of one per interval, make this many evenly spaced thumbnails of each film.")
    var count: Int?

    @Option(
        help:
            "How far a picture may be from its time: exact, keyframe, a number of seconds, or auto (the cheapest picture in its interval). Default: auto."
    )
    var tolerance: String?

    @Option(help: "The quality of the pictures, from 1 to 100.")
    var quality = 80

    @Option(
        help:
            "With --verify, how many frames to compare in each order, in addition to the first and last sixteen; 0 means all."
    )
    var sample = 200

    func validate() throws {
        guard [profile != nil, verify, info, poster, sheet, previews].count(where: { $0 }) == 1 else {
            throw ValidationError(
                "specify what to make with exactly one of --profile, --poster, --sheet, --info, --previews and --verify"
            )
        }
        if profile == nil, every != nil || count != nil || tolerance != nil {
            throw ValidationError("--every, --count and --tolerance are for thumbnails: use them with --profile")
        }
        if profile == nil, thumbnailPreviews.fromPreviews {
            throw ValidationError("--from-previews is for thumbnails: use it with --profile")
        }
        try OptionRange.check("--quality", quality, 1...100)
        try OptionRange.check("--sample", sample, 0...100_000_000)
        try OptionRange.check("--count", count, 1...100_000)
        if count != nil, every != nil {
            throw ValidationError("--count and --every cannot be combined: use one of them")
        }
    }

    /// Checks that there is a cache for results that are kept in it.
    func check(_ cache: CacheArguments) throws {
        if previews, cache.noCache {
            throw ValidationError("--previews writes to the cache, which --no-cache disables: omit one of them")
        }
        if thumbnailPreviews.fromPreviews, cache.noCache {
            throw ValidationError("--from-previews reads the cache, which --no-cache disables: omit one of them")
        }
    }

    /// Returns the requested work.
    func work() throws(ScrubError) -> BatchWork {
        if verify { return .verification(sample: sample) }
        if info { return BatchWork.info }
        if previews { return .previews() }
        if poster { return BatchWork.poster(quality: quality) }
        if sheet { return BatchWork.sheet(quality: quality) }
        return .thumbnailSets(try sets() ?? ThumbnailSets.Options([]))
    }

    /// Returns the requested sets, if sets were requested.
    ///
    /// - Parameter fitsTrickplay: whether Jellyfin's set is for the place where it looks for it.
    func sets(fitsTrickplay: Bool = false) throws(ScrubError) -> ThumbnailSets.Options? {
        guard let profile else { return nil }
        var options = ThumbnailSets.Options(try ThumbnailSets.Profile.named(profile))
        options.request = try ThumbnailArguments.request(
            every: every, count: count, tolerance: tolerance,
            standard: ThumbnailPlan.Request(.every(Rational(10)), tolerance: .automatic))
        (options.quality, options.usesKeptPreviews) = (quality, thumbnailPreviews.fromPreviews)
        (options.skipsUnsupportedProfiles, options.fitsTrickplay) = (true, fitsTrickplay)
        return options
    }
}

extension BatchWork {
    /// The output of `scrub info --json`, in a file.
    static let info = BatchWork(name: "info", predictBytes: { _, _ in 4000 }) {
        (asset, surroundings) throws(ScrubError) in
        let text = InfoJSON(asset, try asset.info(), file: asset.path.mediumName).text
        try Folder.make(surroundings.folder)
        try AtomicFile.write(Array((text + "\n").utf8), to: .staged(surroundings.folder + "/info.json"))
        return Made(pictures: 0)
    }

    /// Returns a contact sheet, 1600 pixels wide.
    static func sheet(quality: Int) -> BatchWork {
        var options = ContactSheet.Options()
        options.quality = quality
        return BatchWork(
            name: "sheet 1600 quality \(quality)", request: options.request, thumbnailPixels: 400 * 225,
            // Twice the sheet's pixels, and its pictures.
            keptBytes: 32 << 20, predictBytes: posterBytes(width: 1900, quality: quality)
        ) { [options] (asset, surroundings) throws(ScrubError) in
            var options = options
            options.threadCount = surroundings.threadCount
            let sheet = try asset.contactSheet(options: options)
            try Folder.make(surroundings.folder)
            try AtomicFile.write(sheet.bytes, to: .staged(surroundings.folder + "/sheet.jpg"))
            var made = Made(pictures: 1)
            (made.decoded, made.warnings) = (sheet.decodedPictureCount, sheet.warnings.map { $0.text(for: .command) })
            return made
        }
    }

    /// Returns the best poster, 640 pixels wide.
    static func poster(quality: Int) -> BatchWork {
        let candidates = Poster.Options().candidateCount
        return BatchWork(
            name: "poster 640 quality \(quality)",
            // The examined pictures, at the width of the previews; the poster itself is one more.
            request: ThumbnailPlan.Request(.count(candidates), tolerance: .keyframe), thumbnailPixels: 320 * 180,
            predictBytes: posterBytes(width: 640, quality: quality)
        ) { (asset, surroundings) throws(ScrubError) in
            var options = Poster.Options()
            options.threadCount = surroundings.threadCount
            let report = try asset.posterReport(options: options)
            guard let best = report.posters.first else {
                throw ScrubError(.badData, "no picture can be decoded", file: asset.path)
            }
            // One picture is needed once, so nothing is kept.
            var reading = FrameReader.Options()
            (reading.cacheByteLimit, reading.decoderLimit, reading.threadCount) = (0, 1, surroundings.threadCount)
            var found: FramePicture?
            let decoded = try asset.pictures(of: [best], options: reading) { (_, picture) throws(ScrubError) in
                found = picture
            }
            guard let picture = found else {
                throw ScrubError(.badData, "the frame chosen for its poster cannot be decoded", file: asset.path)
            }
            // No poster is more than four times as tall as it is wide.
            let shape = try asset.uprightShape()
            let width = min(640, max(1, 2560 * shape.width / max(1, shape.height)))
            let encoded = try picture.posterFile(
                as: .jpeg, width: width, fittingSide: nil, quality: quality, background: .black)
            try Folder.make(surroundings.folder)
            try AtomicFile.write(encoded.bytes, to: .staged(surroundings.folder + "/poster.jpg"))
            let json = best.json([best.frame.number: "poster.jpg"])
            try AtomicFile.write(Array((json.text + "\n").utf8), to: .staged(surroundings.folder + "/poster.json"))
            var made = Made(pictures: 1)
            made.decoded = report.decodedPictureCount + decoded
            made.warnings = asset.omissions.map { $0.text(for: .command) } + encoded.warnings.map(\.description)
            if best.damage != nil, let note = report.note { made.warnings.append(note.text(for: .command)) }
            return made
        }
    }
}
#endif
