#if compiler(>=6.3)
internal import CScrub
internal import Glibc
internal import Scrub
internal import ScrubMedia
internal import ScrubBase
internal import ScrubThumbnails
internal import ScrubStoryboards

/// How C wants a picture encoded.
private struct Encoding {
    var format = ImageFormat.png
    var options = FramePicture.Options()
    var quality = 90

    init(_ image: UnsafePointer<scrub_image>?) throws(ScrubError) {
        guard let said = unsafe image?.pointee else { return }
        guard Int(said.size) >= MemoryLayout<scrub_image>.size else {
            throw .wrongSize("scrub_image", said.size, "SCRUB_IMAGE_INIT")
        }
        guard said.flags & ~UInt32(SCRUB_RAW_GEOMETRY | SCRUB_KEEP_HDR) == 0 else {
            throw .flags("scrub_image.flags", said.flags)
        }
        guard said.want_width >= 0, said.want_height >= 0 else {
            throw ScrubError(
                .usage, "\(said.want_width) x \(said.want_height) is not a size", advice: "give sides from 1, or 0")
        }
        format = try ImageFormat(number: said.format)
        options.rawGeometry = said.flags & UInt32(SCRUB_RAW_GEOMETRY) != 0
        options.dynamicRange = said.flags & UInt32(SCRUB_KEEP_HDR) != 0 ? .matchSource : .forceSDR
        if said.want_width > 0 || said.want_height > 0 {
            options.size = .maximum(width: Int(said.want_width), height: Int(said.want_height))
        }
        if said.quality != 0 { quality = Int(said.quality) }
    }
}

extension ImageFormat {
    fileprivate init(number: UInt32) throws(ScrubError) {
        switch number {
        case UInt32(SCRUB_PNG): self = .png
        case UInt32(SCRUB_JPEG): self = .jpeg
        case UInt32(SCRUB_WEBP): self = .webp
        case UInt32(SCRUB_AVIF): self = .avif
        default: throw ScrubError(.usage, "there is no image format \(number)", advice: "take SCRUB_PNG to SCRUB_AVIF")
        }
    }
}

/// Decodes and encodes a frame.
private func encode(
    _ video: OpenVideo, _ frame: Int64, _ encoding: Encoding, _ picture: UnsafeMutablePointer<scrub_picture>?,
    _ body: (EncodedPicture) throws -> Void
) throws {
    let target: PictureTarget? = try unsafe picture == nil ? nil : PictureTarget(picture)
    do {
        try video.frame(try video.number(frame)) { answer in
            target?.describe(answer)
            guard let made = answer.picture else {
                throw ScrubError(
                    .badData, answer.verdict.reason?.inCommandWords ?? "it cannot be decoded",
                    place: "frame \(answer.frame.number)")
            }
            let encoded = try made.encoded(as: encoding.format, options: encoding.options, quality: encoding.quality)
            try body(encoded)
            unsafe picture?.pointee.width = Int32(clamping: encoded.width)
            unsafe picture?.pointee.height = Int32(clamping: encoded.height)
            unsafe picture?.pointee.status = 0
        }
    } catch let failure as ScrubError {
        target?.fail(failure)
        throw failure.file == nil ? failure.inFile(video.asset.path) : failure
    }
}

@c @implementation func scrub_encode(
    _ video: OpaquePointer?, _ frame: Int64, _ image: UnsafePointer<scrub_image>?,
    _ bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: UnsafeMutablePointer<Int>?,
    _ picture: UnsafeMutablePointer<scrub_picture>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> Int32 {
    unsafe bytes?.pointee = nil
    unsafe count?.pointee = 0
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        guard let bytes = unsafe bytes, let count = unsafe count else {
            throw ScrubError.null("the place for the file")
        }
        try unsafe encode(video, frame, try Encoding(image), picture) { encoded in
            guard let memory = unsafe malloc(max(1, encoded.bytes.count)) else {
                throw ScrubError(.unavailable, "\(encoded.bytes.count) bytes of memory are not there")
            }
            unsafe encoded.bytes.withUnsafeBytes { source in
                if let base = source.baseAddress { unsafe memory.copyMemory(from: base, byteCount: source.count) }
            }
            unsafe (bytes.pointee, count.pointee) = (memory, encoded.bytes.count)
        }
    }
}

@c @implementation func scrub_save(
    _ video: OpaquePointer?, _ frame: Int64, _ path: UnsafePointer<CChar>?, _ image: UnsafePointer<scrub_image>?,
    _ picture: UnsafeMutablePointer<scrub_picture>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> Int32 {
    unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let path = try unsafe CText.read(path, "the path")
        var encoding = try unsafe Encoding(image)
        let suffix = path.split(separator: "/").last?.split(separator: ".").last.map { $0.lowercased() } ?? ""
        guard let format = ImageFormat(rawValue: suffix == "jpg" ? "jpeg" : suffix) else {
            throw ScrubError(
                .usage, "the suffix does not name a format", file: path,
                advice: "end it with .png, .jpg, .webp or .avif")
        }
        encoding.format = format
        try unsafe encode(video, frame, encoding, picture) { try $0.write(to: path) }
    }
}

@c @implementation func scrub_free(_ bytes: UnsafeMutableRawPointer?) { unsafe free(bytes) }

@c @implementation func scrub_write_strip(
    _ video: OpaquePointer?, _ folder: UnsafePointer<CChar>?, _ strip: UnsafePointer<scrub_strip>?,
    _ thumbnails: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> Int32 {
    unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let folder = try unsafe CText.read(folder, "the folder")
        guard let said = unsafe strip?.pointee else { throw ScrubError.null("the strip") }
        guard Int(said.size) >= MemoryLayout<scrub_strip>.size else {
            throw ScrubError.wrongSize("scrub_strip", said.size, "SCRUB_STRIP_INIT")
        }
        guard said.flags & ~UInt32(SCRUB_KEYFRAMES) == 0 else {
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
        if said.width != 0 { options.thumbnails.widths = [Int(said.width)] }
        if said.columns != 0 { options.sheets.columns = Int(said.columns) }
        if said.rows != 0 { options.sheets.rows = Int(said.rows) }
        if said.quality != 0 { options.sheets.quality = Int(said.quality) }
        if said.format > 0 { options.sheets.format = try ImageFormat(number: said.format - 1) }
        try video.alone {
            let isCancelled = WorkCancellation.onThisThread
            let made = try video.asset.writeStrip(into: folder, options: options, isCancelled: isCancelled)
            unsafe thumbnails?.pointee = made.plan.slots.count
        }
    }
}

@c @implementation func scrub_find_posters(
    _ video: OpaquePointer?, _ candidates: UInt32, _ frames: UnsafeMutablePointer<Int64>?, _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> Int32 {
    unsafe count?.pointee = 0
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        guard let frames = unsafe frames, let count = unsafe count, capacity > 0 else {
            throw ScrubError.null("the place for the frames")
        }
        var options = Poster.Options()
        options.count = capacity
        if candidates > 0 { options.candidateCount = Int(candidates) }
        try video.alone {
            let posters = try video.asset.posters(options).posters.prefix(capacity)
            for (place, poster) in posters.enumerated() { unsafe frames[place] = Int64(poster.frame.number) }
            unsafe count.pointee = posters.count
        }
    }
}

@c @implementation func scrub_begin_sandbox(
    _ program: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> Int32 {
    unsafe answering(error) {
        ForkWatch.begin()
        let program = try unsafe program.map { unsafe CText.read($0) } ?? SandboxProgram.found()
        try MediaSandbox.begin(program: program)
        try MediaSandbox.check()
    }
}

/// The program that a sandbox's processes are.
private enum SandboxProgram {
    /// Never the name `scrub`: Debian has a disk wiper of that name.
    static func found() throws(ScrubError) -> String {
        let path = unsafe getenv("PATH").map { unsafe CText.read($0) } ?? ""
        let folders = ["/usr/bin"] + path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        for folder in folders {
            let name = folder + "/scrub-video"
            if unsafe access(name, X_OK) == 0 { return name }
        }
        throw ScrubError(
            .unavailable, "the program scrub-video, which sandboxed processes are, is neither in /usr/bin nor in PATH",
            advice: "install the package scrub-video, or name the program")
    }
}
#endif
