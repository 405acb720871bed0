#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubMedia
internal import ScrubBase
internal import ScrubThumbnails
internal import ScrubFileIO

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
            thumbnails, flags: SCRUB_FROM_PREVIEWS | SCRUB_SKIP_CURRENT | SCRUB_BESIDE, fields: [.height, .base_url])
        var options = ThumbnailSets.Options(try ThumbnailSets.Profile.named(words))
        (options.size, options.quality) = (settings.sizes?.first, settings.quality ?? 80)
        (options.threadCount, options.background) = (settings.threadCount, settings.background)
        (options.baseURL, options.skipsCurrent) = (settings.baseURL, settings.has(SCRUB_SKIP_CURRENT))
        (options.usesKeptPreviews, options.deinterlaces) = (settings.has(SCRUB_FROM_PREVIEWS), settings.deinterlaces)
        (options.waitsForOtherRuns, options.replacesFiles) = (settings.waits, settings.replacesFiles)
        options.leavesOutUnfit = words == "all"
        guard options.baseURL == nil || options.profiles.contains(.web) else {
            throw ScrubError(
                .usage, "only the web set takes a base URL", advice: "leave scrub_thumbnails.base_url NULL")
        }
        let isBeside = settings.has(SCRUB_BESIDE)
        let isFreedesktop = options.profiles == [.freedesktop]
        let hasFolder = unsafe folder != nil
        guard !isBeside || options.profiles == [.jellyfin] && !hasFolder else {
            throw ScrubError(
                .usage, "SCRUB_BESIDE is for the profile jellyfin alone, without a folder", advice: "leave it out")
        }
        guard hasFolder || isBeside || isFreedesktop else { throw ScrubError.null("the folder") }
        // Before the search for scenes.
        let unable = options.profiles.filter { $0.needsInterval && settings.isUneven }
        guard unable.isEmpty || options.leavesOutUnfit else {
            throw ScrubError(
                .usage,
                "\(unable.map(\.rawValue).joined(separator: ", ")) needs one interval, which scenes and positions do not have",
                advice: "set an interval, or use the profiles web and contact")
        }
        try video.alone { progress in
            let asset = video.asset
            func text(_ set: ThumbnailSets.Entry, _ report: ThumbnailSets?) -> String {
                set.json(
                    in: report, film: asset.path, options: options, missing: asset.missing,
                    network: asset.networkCost, face: CallWords.face
                ).text
            }
            if isFreedesktop, !hasFolder {
                return try place.store(text(try asset.fillFreedesktopCache(), nil))
            }
            options.request = try settings.request(of: asset, standard: options.request, progress)
            let tell = { (done: Int, total: Int) in progress.set(done, of: total) }
            let made =
                isBeside
                ? try asset.writeJellyfinTrickplay(options, progress: tell)
                : try asset.writeThumbnailSets(
                    into: try unsafe CText.read(folder, "the folder"), options: options, progress: tell)
            try place.store(made.sets.map { text($0, made) }.joined(separator: "\n"))
        }
    }
}

extension VideoAsset {
    /// Writes the video's thumbnails where file managers look for them.
    fileprivate func fillFreedesktopCache() throws(ScrubError) -> ThumbnailSets.Entry {
        guard let root = FreedesktopCache.standardPath else {
            throw ScrubError(.unavailable, "there is no cache folder", advice: "set HOME or XDG_CACHE_HOME")
        }
        do throws(ScrubError) {
            let bytes = try writeFreedesktopThumbnails(into: root)
            return ThumbnailSets.Entry(
                profile: .freedesktop, folder: root, thumbnailCount: bytes.count, byteCount: bytes.reduce(0, +))
        } catch {
            // A song with a cover has a picture to show.
            if error.code == .badData, let bytes = try? FreedesktopCache.writeCover(of: path, into: root) {
                return ThumbnailSets.Entry(
                    profile: .freedesktop, folder: root, thumbnailCount: bytes.count, byteCount: bytes.reduce(0, +))
            }
            // Only errors of the file itself: after a full disk, a later attempt may succeed.
            if error.code == .badData { try FreedesktopCache.noteFailure(of: path, in: root) }
            throw error
        }
    }
}
#endif
