#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubMedia
internal import ScrubBase

/// C's options for opening a video.
struct Opening {
    var open = VideoAsset.OpenOptions()
    var network = NetworkOptions()
    var reader = FrameReader.Options()
    var progress: ProgressFunction?

    init(_ options: UnsafePointer<scrub_options>?) throws(ScrubError) {
        let said = try unsafe SizedCopy.value(options)
        network = try unsafe NetworkOptions(said.network)
        progress = unsafe ProgressFunction(said.progress, said.context)
        let flags = unsafe said.flags
        guard flags & ~UInt32(SCRUB_NO_CACHE | SCRUB_KEEP_PREVIEWS) == 0 else {
            throw .flags("scrub_options.flags", flags)
        }
        if unsafe said.stream != -1 { open.stream = unsafe Int(said.stream) }
        if let path = unsafe said.cache {
            open.cache = VideoAsset.IndexCache(path: unsafe CText.read(path))
        }
        if flags & UInt32(SCRUB_NO_CACHE) != 0 { open.cache = .none }
        open.keepsPreviews = flags & UInt32(SCRUB_KEEP_PREVIEWS) != 0
        open.limits.maximumPixelCount = try unsafe Opening.limit(said.pixel_limit, open.limits.maximumPixelCount)
        open.limits.maximumPictureCount = try unsafe Opening.limit(said.picture_limit, open.limits.maximumPictureCount)
        open.limits.maximumPictureByteCount = try unsafe Opening.limit(
            said.picture_byte_limit, open.limits.maximumPictureByteCount)
        open.limits.maximumDecoderByteCount = try unsafe Opening.limit(
            said.decoder_byte_limit, open.limits.maximumDecoderByteCount)
        if unsafe said.picture_time_limit > 0 {
            let milliseconds = try unsafe Opening.limit(said.picture_time_limit, 0)
            open.limits.maximumPictureTime = .milliseconds(milliseconds)
        }
        reader.cacheByteLimit = try unsafe Opening.limit(said.memory, reader.cacheByteLimit)
        if let count = try unsafe CNumber.count(
            said.threads, "scrub_options.threads", atMost: 1024, zero: "one per processor")
        {
            reader.threadCount = count
        }
    }

    static func limit(_ said: UInt64, _ usual: Int) throws(ScrubError) -> Int {
        guard said > 0 else { return usual }
        guard let limit = Int(exactly: said) else {
            throw ScrubError(.usage, "a limit is \(said)", advice: "use at most \(Int.max)")
        }
        return limit
    }
}

extension ScrubError {
    /// Bits without a meaning.
    static func flags(_ name: String, _ flags: UInt32) -> ScrubError {
        ScrubError(
            .usage, "unknown bits in \(name): \(flags)",
            advice: "use only the header's constants; a newer library may support more")
    }
}

/// Opens something and gives C its handle.
private func open(
    _ options: UnsafePointer<scrub_options>?, _ video: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<scrub_error>?,
    _ make: (VideoAsset.OpenOptions, NetworkOptions) throws -> VideoAsset
) -> scrub_status {
    unsafe video?.pointee = nil
    return unsafe answering(error) {
        guard let video = unsafe video else { throw ScrubError.null("the pointer to the video") }
        var opening = try unsafe Opening(options)
        ForkWatch.begin()
        let cancellation = Cancellation()
        func open(_ progress: CallProgress) throws {
            let asset = try cancellation.perform { try make(opening.open, opening.network) }
            unsafe video.pointee = try unsafe Handles.videos.add(OpenVideo(asset, opening.reader, opening.progress))
            progress.set(1000, of: 1000)
        }
        guard let function = opening.progress else { return try open(CallProgress()) }
        do {
            try function.watch(nil, cancel: cancellation.cancel) { progress in
                opening.open.progress = { progress.set(Int(($0.fraction ?? 0) * 1000), of: 1000) }
                try open(progress)
            }
        } catch {
            throw cancellation.isCancelled ? CancellationError() : error
        }
        // The video was already open when the cancellation arrived.
        if cancellation.isCancelled {
            unsafe Handles.videos.remove(video.pointee)?.close()
            unsafe video.pointee = nil
            throw CancellationError()
        }
    }
}

@c @implementation func scrub_open(
    _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<scrub_options>?,
    _ video: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe open(options, video, error) { options, network in
        try VideoAsset(
            named: try unsafe CText.read(path, "the path"), options: options, network: network)
    }
}

@c @implementation func scrub_open_bytes(
    _ bytes: UnsafeRawPointer?, _ count: Int, _ name: UnsafePointer<CChar>?, _ options: UnsafePointer<scrub_options>?,
    _ video: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe open(options, video, error) { options, _ in
        guard let bytes = unsafe bytes, count >= 0 else { throw ScrubError.null("the bytes") }
        let copy = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
        return try unsafe VideoAsset(
            source: MemorySource(copy), name: name.map { unsafe CText.read($0) } ?? "video in memory",
            options: options)
    }
}

@c @implementation func scrub_open_reader(
    _ reader: UnsafePointer<scrub_reader>?, _ name: UnsafePointer<CChar>?, _ options: UnsafePointer<scrub_options>?,
    _ video: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe open(options, video, error) { options, _ in
        guard let reader = unsafe reader else { throw ScrubError.null("the reader") }
        let source = try unsafe CallbackSource(SizedCopy(reader).value)
        return try unsafe VideoAsset(
            source: source, name: name.map { unsafe CText.read($0) } ?? "video of a reader", options: options)
    }
}
#endif
