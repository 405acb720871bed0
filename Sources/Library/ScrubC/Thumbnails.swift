#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubMedia
internal import ScrubBase
internal import ScrubThumbnails
internal import ScrubStoryboards

@c @implementation func scrub_write_strip(
    _ video: OpaquePointer?, _ folder: UnsafePointer<CChar>?, _ strip: UnsafePointer<scrub_strip>?,
    _ thumbnails: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let folder = try unsafe CText.read(folder, "the folder")
        guard let strip = unsafe strip else { throw ScrubError.null("the strip") }
        let said = try unsafe SizedCopy(strip).value
        guard said.flags & ~UInt32(SCRUB_KEYFRAMES | SCRUB_REPLACE) == 0 else {
            throw ScrubError.flags("scrub_strip.flags", said.flags)
        }
        let places: ThumbnailPlan.Request.Places
        if said.count > 0 {
            places = .count(Int(said.count))
        } else {
            guard let interval = Rational(checked: said.interval_num, said.interval_den), interval > .zero else {
                throw ScrubError(
                    .usage, "the strip has neither a count nor an interval", advice: "set count, or the interval")
            }
            places = .every(interval)
        }
        var options = ThumbnailStrip.Options(
            ThumbnailPlan.Request(places, tolerance: said.flags & UInt32(SCRUB_KEYFRAMES) != 0 ? .keyframe : .exact))
        options.replacesFiles = said.flags & UInt32(SCRUB_REPLACE) != 0
        if said.width != 0 { options.thumbnails.widths = [Int(said.width)] }
        if said.columns != 0 { options.sheets.columns = Int(said.columns) }
        if said.rows != 0 { options.sheets.rows = Int(said.rows) }
        if said.quality != 0 { options.sheets.quality = Int(said.quality) }
        if let format = try ImageFormat(number: said.format) { options.sheets.format = format }
        try video.alone { progress in
            let made = try video.asset.writeStrip(
                into: folder, options: options, progress: { progress.set($0, of: $1) })
            unsafe thumbnails?.pointee = made.plan.slots.count
        }
    }
}

@c @implementation func scrub_find_posters(
    _ video: OpaquePointer?, _ candidates: UInt32, _ frames: UnsafeMutablePointer<Int64>?, _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe count?.pointee = 0
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        guard let frames = unsafe frames, let count = unsafe count, capacity > 0 else {
            throw ScrubError.null("the place for the frames")
        }
        var options = Poster.Options()
        options.count = min(capacity, 1000)
        if candidates > 0 { options.candidateCount = Int(candidates) }
        try video.alone { progress in
            let report = try video.asset.posters(options, progress: { progress.set($0, of: $1) })
            let posters = report.posters.prefix(capacity)
            for (place, poster) in posters.enumerated() { unsafe frames[place] = Int64(poster.frame.number) }
            unsafe count.pointee = posters.count
        }
    }
}
#endif
