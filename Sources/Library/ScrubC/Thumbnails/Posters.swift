#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubReports
internal import ScrubMedia
internal import ScrubBase
internal import ScrubThumbnails
internal import ScrubThumbnailsLogic
internal import ScrubFileIO

/// C's options for finding and writing posters.
private struct PosterSettings {
    var search = Poster.Options()
    var files = PosterWriter.Options()
    /// `nil` for the function's default.
    let count: Int?

    init(_ memory: UnsafePointer<scrub_poster_options>?, flags: Int) throws(ScrubError) {
        let said = try unsafe SizedCopy.value(memory)
        guard said.flags & ~UInt32(flags) == 0 else { throw .flags("scrub_poster_options.flags", said.flags) }
        func number(_ said: Int32, _ name: String, _ most: Int32) throws(ScrubError) -> Int? {
            try CNumber.count(said, "scrub_poster_options.\(name)", atMost: most)
        }
        count = try number(Int32(clamping: said.count), "count", 1000)
        if let candidates = try number(Int32(clamping: said.candidates), "candidates", 10_000) {
            search.candidateCount = candidates
        }
        search.threadCount = try number(said.threads, "threads", 256)
        files.width = try number(said.width, "width", 16_384)
        files.side = try number(said.longest_side, "longest_side", 16_384)
        guard files.width == nil || files.side == nil else {
            throw ScrubError(
                .usage, "scrub_poster_options sets both width and longest_side", advice: "set only one of them")
        }
        files.format = try ImageFormat(number: said.format)
        files.quality = try number(said.quality, "quality", 100) ?? 90
        files.background = try RGBColor(number: said.background, "scrub_poster_options.background")
        files.deinterlaces = said.flags & UInt32(SCRUB_DEINTERLACE) != 0
        files.explains = said.flags & UInt32(SCRUB_EXPLAIN) != 0
        files.replacesFiles = said.flags & UInt32(SCRUB_REPLACE) != 0
        files.waits = said.flags & UInt32(SCRUB_WAIT) != 0
    }
}

extension scrub_poster {
    fileprivate init(_ poster: Poster) {
        self.init()
        frame = Int64(poster.frame.number)
        (score, sharpness, exposure) = (poster.scores.score, poster.scores.sharpness, poster.scores.exposure)
        (contrast, colorfulness, entropy) = (poster.scores.contrast, poster.scores.colorfulness, poster.scores.entropy)
        (subject, skin, fade) = (poster.scores.subject, poster.scores.skin, poster.scores.fade)
        (letterbox, text, is_blank) = (poster.scores.letterbox, poster.scores.text, poster.scores.isBlank ? 1 : 0)
        is_damaged = poster.damage == nil ? 0 : 1
        unsafe withUnsafeMutableBytes(of: &blur_hash) { unsafe CText.write(poster.blurHash, into: $0) }
        unsafe withUnsafeMutableBytes(of: &thumb_hash) { unsafe CText.write(poster.thumbHashText, into: $0) }
    }
}

@c @implementation func scrub_find_posters(
    _ video: OpaquePointer?, _ options: UnsafePointer<scrub_poster_options>?,
    _ posters: UnsafeMutablePointer<scrub_poster>?, _ capacity: Int, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe count?.pointee = 0
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        guard let posters = unsafe posters, let count = unsafe count, capacity > 0 else {
            throw ScrubError(
                .usage, "the call provides no memory for posters",
                advice: "pass an array, a capacity of 1 or more, and a pointer to the count")
        }
        let settings = try unsafe PosterSettings(options, flags: 0)
        var search = settings.search
        search.count = min(settings.count ?? 1000, capacity, 1000)
        try video.alone { progress in
            let report = try video.asset.posterReport(options: search, progress: { progress.set($0) })
            let found = report.posters.prefix(capacity)
            for (place, poster) in found.enumerated() { unsafe posters[place] = scrub_poster(poster) }
            unsafe count.pointee = found.count
        }
    }
}

@c @implementation func scrub_write_posters(
    _ video: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<scrub_poster_options>?,
    _ json: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(json, count)
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let path = try unsafe CText.read(path, "the path")
        let settings = try unsafe PosterSettings(
            options, flags: SCRUB_REPLACE | SCRUB_WAIT | SCRUB_DEINTERLACE | SCRUB_EXPLAIN)
        var search = settings.search
        search.count = settings.count ?? 1
        let writer = try PosterWriter(path, count: search.count, settings.files)
        try video.alone { progress in
            let asset = video.asset
            let report = try asset.posterReport(options: search, progress: { progress.set($0) })
            let covers = settings.files.explains ? try CoverArt.load(from: asset.file) : []
            var warnings = asset.omissions
            let files = try writer.write(report, covers: covers, of: asset, film: asset.path) {
                warnings.append($0)
            }
            var line = report.json(
                files, covers: settings.files.explains ? covers : nil, of: asset, film: asset.path,
                face: CallWords.face)
            line.add(warnings: warnings, face: CallWords.face)
            line.add(network: asset.networkCost)
            try place.store(line.text)
        }
    }
}

@c @implementation func scrub_write_cover(
    _ video: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ stream: Int32,
    _ options: UnsafePointer<scrub_poster_options>?, _ json: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(json, count)
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let path = try unsafe CText.read(path, "the path")
        let settings = try unsafe PosterSettings(options, flags: SCRUB_REPLACE)
        try video.alone { _ in
            try write(video.asset.file, stream, to: path, settings, place, film: video.asset.path)
        }
    }
}

@c @implementation func scrub_write_cover_of(
    _ file: UnsafePointer<CChar>?, _ options: UnsafePointer<scrub_options>?, _ path: UnsafePointer<CChar>?,
    _ stream: Int32, _ poster: UnsafePointer<scrub_poster_options>?,
    _ json: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(json, count)
    return unsafe answering(error) {
        let file = try unsafe CText.read(file, "the file")
        let opening = try unsafe Opening(options)
        let path = try unsafe CText.read(path, "the path")
        let settings = try unsafe PosterSettings(poster, flags: SCRUB_REPLACE)
        ForkWatch.begin()
        let source = try MediaSource(at: file, cache: opening.open.cache, network: opening.network)
        try write(source, stream, to: path, settings, place, film: source.path)
    }
}

/// Writes a file's cover art and describes it.
private func write(
    _ source: MediaSource, _ stream: Int32, to path: String, _ settings: PosterSettings, _ place: TextPlace,
    film: String
) throws(ScrubError) {
    guard stream >= -1 else {
        throw ScrubError(.usage, "the stream is \(stream)", advice: "give its place in the file, or -1")
    }
    let cover = try CoverArt.chosen(in: source, stream: stream < 0 ? nil : Int(stream))
    let written = try cover.write(to: path, settings.files)
    var whole = cover.json(film: film, output: written.path)
    whole.add(warnings: written.warnings, face: CallWords.face)
    try place.store(whole.text)
}
#endif
