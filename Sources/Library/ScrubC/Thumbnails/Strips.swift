#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubReports
internal import ScrubBase
internal import ScrubThumbnails
internal import ScrubStoryboards
internal import ScrubFileIO

@c @implementation func scrub_write_strip(
    _ video: OpaquePointer?, _ folder: UnsafePointer<CChar>?, _ thumbnails: UnsafePointer<scrub_thumbnails>?,
    _ json: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(json, count)
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let settings = try unsafe ThumbnailSettings(
            thumbnails, flags: SCRUB_FROM_PREVIEWS | SCRUB_BLUR_HASHES | SCRUB_PLAN_ONLY,
            fields: [.widths, .sizes, .height, .columns, .rows, .format, .base_url])
        let folder = try unsafe settings.plansOnly ? "" : CText.read(folder, "the folder")
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(100)))
        options.thumbnails.sizes = settings.sizes ?? [.standard(160)]
        options.thumbnails.threadCount = settings.threadCount
        options.thumbnails.background = settings.background
        options.thumbnails.deinterlaces = settings.deinterlaces
        options.thumbnails.usesKeptPreviews = settings.has(SCRUB_FROM_PREVIEWS)
        options.sheets.columns = settings.columns ?? 10
        options.sheets.rows = settings.rows ?? 10
        options.sheets.format = try ImageFormat(number: settings.formatNumber) ?? .jpeg
        options.sheets.quality = settings.quality ?? 80
        options.sheets.makesPlaceholderHashes = settings.has(SCRUB_BLUR_HASHES)
        options.baseURL = settings.baseURL
        options.replacesFiles = settings.replacesFiles
        options.waitsForOtherRuns = settings.waits
        try video.alone { progress in
            let (request, scenes) = try settings.request(of: video.asset, standard: options.request, progress)
            options.request = request
            guard !settings.plansOnly else {
                let plan = try video.asset.thumbnailPlan(for: request)
                return try place.store(plan.json(of: video.asset.frames, scenes: scenes).text)
            }
            let made = try video.asset.writeStrip(
                into: folder, options: options, progress: { progress.set($0) })
            try place.store(made.json(of: video.asset, face: CallWords.face).joined(separator: "\n"))
        }
    }
}

/// Makes a contact sheet.
private func sheet(
    _ video: OpenVideo, _ settings: ThumbnailSettings, _ format: ContactSheet.Options.Format, _ progress: CallProgress
) throws -> ContactSheet {
    var options = ContactSheet.Options()
    options.format = format
    options.columns = settings.columns ?? 4
    options.width = settings.width ?? 1600
    options.quality = settings.quality ?? 90
    options.showsTimes = !settings.has(SCRUB_NO_TIMES)
    options.threadCount = settings.threadCount
    options.background = settings.background
    options.deinterlaces = settings.deinterlaces
    guard settings.rows == nil || !settings.isChosen else {
        throw ScrubError(
            .usage, "scrub_thumbnails.rows cannot be combined with count, interval, positions or SCRUB_SCENES",
            advice: "set rows to 0")
    }
    let standard = ThumbnailPlan.Request(.count(options.columns * (settings.rows ?? 5)), tolerance: .automatic)
    options.request = try settings.request(of: video.asset, standard: standard, progress).request
    return try video.asset.contactSheet(options: options, progress: { progress.set($0) })
}

@c @implementation func scrub_write_sheet(
    _ video: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ thumbnails: UnsafePointer<scrub_thumbnails>?,
    _ json: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(json, count)
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let path = try unsafe CText.read(path, "the path")
        let settings = try unsafe ThumbnailSettings(
            thumbnails, flags: SCRUB_NO_TIMES, fields: [.columns, .rows, .format])
        guard let format = ContactSheet.Options.Format(suffixOf: path) else {
            throw ScrubError(
                .usage, "the suffix is not that of a supported format", file: path,
                advice: "use .jpg, .png, .webp, .avif or .svg")
        }
        let named = settings.formatNumber == 0 ? format : try sheetFormat(settings.formatNumber)
        guard named == format else {
            throw ScrubError(
                .usage, "the suffix contradicts scrub_thumbnails.format", file: path,
                advice: "set the format to 0, or change the suffix")
        }
        let target = try OutputFile(path, .picture, replacesFiles: settings.replacesFiles)
        try video.alone { progress in
            let made = try sheet(video, settings, format, progress)
            try target.makeFolders()
            try AtomicFile.write(made.bytes, to: target)
            let asset = video.asset
            try place.store(made.json(of: asset, film: asset.path, output: path, face: CallWords.face).text)
        }
    }
}

@c @implementation func scrub_encode_sheet(
    _ video: OpaquePointer?, _ thumbnails: UnsafePointer<scrub_thumbnails>?,
    _ bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(bytes, count)
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        try place.require("the pointer to the sheet")
        let settings = try unsafe ThumbnailSettings(
            thumbnails, flags: SCRUB_NO_TIMES, fields: [.columns, .rows, .format])
        guard !settings.replacesFiles, !settings.waits else {
            throw ScrubError(
                .usage, "SCRUB_REPLACE and SCRUB_WAIT apply only to files", advice: "omit them")
        }
        let format = try sheetFormat(settings.formatNumber)
        try video.alone { progress in try place.store(try sheet(video, settings, format, progress).bytes) }
    }
}

/// The format of a contact sheet for a number in the header.
private func sheetFormat(_ number: UInt32) throws(ScrubError) -> ContactSheet.Options.Format {
    if number == UInt32(SCRUB_SVG) { return .svg }
    return switch try ImageFormat(number: number) ?? .jpeg {
    case .jpeg: .jpeg
    case .png: .png
    case .webp: .webp
    case .avif: .avif
    }
}
#endif
