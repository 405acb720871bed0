#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubReports
internal import ScrubMedia
internal import ScrubBase
internal import ScrubThumbnails

@c @implementation func scrub_write_sets(
    _ video: OpaquePointer?, _ folder: UnsafePointer<CChar>?, _ profiles: UnsafePointer<CChar>?,
    _ thumbnails: UnsafePointer<scrub_thumbnails>?, _ json: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(json, count)
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let words = try unsafe CText.read(profiles, "the profiles")
        let settings = try unsafe ThumbnailSettings(
            thumbnails, flags: SCRUB_FROM_PREVIEWS | SCRUB_SKIP_CURRENT | SCRUB_BESIDE | SCRUB_PLAN_ONLY,
            fields: [.height, .base_url])
        var options = ThumbnailSets.Options(try ThumbnailSets.Profile.named(words))
        (options.size, options.quality) = (settings.sizes?.first, settings.quality ?? 80)
        (options.threadCount, options.background) = (settings.threadCount, settings.background)
        (options.baseURL, options.skipsUpToDateSets) = (settings.baseURL, settings.has(SCRUB_SKIP_CURRENT))
        (options.usesKeptPreviews, options.deinterlaces) = (settings.has(SCRUB_FROM_PREVIEWS), settings.deinterlaces)
        (options.waitsForOtherRuns, options.replacesFiles) = (settings.waits, settings.replacesFiles)
        options.skipsUnsupportedProfiles = words == "all"
        guard options.baseURL == nil || options.profiles.contains(.web) else {
            throw ScrubError(
                .usage, "only the web set takes a base URL", advice: "set scrub_thumbnails.base_url to NULL")
        }
        let isBeside = settings.has(SCRUB_BESIDE)
        let isFreedesktop = options.profiles == [.freedesktop]
        let hasFolder = unsafe folder != nil
        guard !isBeside || options.profiles == [.jellyfin] && !hasFolder else {
            throw ScrubError(
                .usage, "SCRUB_BESIDE requires the single profile jellyfin, and no folder",
                advice: "omit the flag, or pass only that profile and NULL for the folder")
        }
        guard hasFolder || isBeside || isFreedesktop || settings.plansOnly else { throw ScrubError.null("the folder") }
        // Before the search for scenes.
        if settings.isUneven, !options.skipsUnsupportedProfiles {
            try ThumbnailSets.Profile.refuseUneven(
                options.profiles, advice: "set an interval, or use only the profiles web and contact")
        }
        try video.alone { progress in
            let asset = video.asset
            func text(_ set: ThumbnailSets.Entry, _ report: ThumbnailSets?) -> String {
                set.json(
                    in: report, film: asset.path, options: options, missing: asset.missingMedia,
                    network: asset.networkCost, face: CallWords.face
                ).text
            }
            if isFreedesktop, !hasFolder, !settings.plansOnly {
                let filled = try FreedesktopCache.fill(asset.path) { (root) throws(ScrubError) in
                    try asset.writeFreedesktopThumbnails(into: root)
                }
                return try place.store(text(filled.set, nil))
            }
            let (request, scenes) = try settings.request(of: asset, standard: options.request, progress)
            options.request = request
            guard !settings.plansOnly else {
                let (plan, lead) = try asset.thumbnailPlan(for: request, profiles: options.profiles)
                return try place.store(plan.json(of: asset.frames, lead: lead, scenes: scenes).text)
            }
            let tell = { (done: WorkProgress) in progress.set(done) }
            let made =
                isBeside
                ? try asset.writeJellyfinTrickplay(options: options, progress: tell)
                : try asset.writeThumbnailSets(
                    into: try unsafe CText.read(folder, "the folder"), options: options, progress: tell)
            try place.store(made.sets.map { text($0, made) }.joined(separator: "\n"))
        }
    }
}
#endif
