#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubMedia
internal import ScrubBase

/// How C wants a video opened.
private struct Opening {
    var open = VideoAsset.OpenOptions()
    var reader = FrameReader.Options()

    init(_ options: UnsafePointer<scrub_options>?) throws(ScrubError) {
        guard let said = unsafe options?.pointee else { return }
        guard unsafe Int(said.size) >= MemoryLayout<scrub_options>.size else {
            throw unsafe .wrongSize("scrub_options", said.size, "SCRUB_OPTIONS_INIT")
        }
        let flags = unsafe said.flags
        guard flags & ~UInt32(SCRUB_NO_CACHE) == 0 else { throw .flags("scrub_options.flags", flags) }
        if unsafe said.stream != -1 { open.stream = unsafe Int(said.stream) }
        if let path = unsafe said.cache {
            open.cache = VideoAsset.IndexCache(path: unsafe CText.read(path))
        }
        if flags & UInt32(SCRUB_NO_CACHE) != 0 { open.cache = .none }
        open.limits.pixelCount = try unsafe Opening.limit(said.pixel_limit, open.limits.pixelCount)
        open.limits.pictureCount = try unsafe Opening.limit(said.picture_limit, open.limits.pictureCount)
        open.limits.pictureByteCount = try unsafe Opening.limit(
            said.picture_byte_limit, open.limits.pictureByteCount)
        open.limits.decoderByteCount = try unsafe Opening.limit(
            said.decoder_byte_limit, open.limits.decoderByteCount)
        if unsafe said.picture_time_limit > 0 {
            let milliseconds = try unsafe Opening.limit(said.picture_time_limit, 0)
            open.limits.pictureTime = .milliseconds(milliseconds)
        }
        reader.cacheByteLimit = try unsafe Opening.limit(said.memory, reader.cacheByteLimit)
        if unsafe said.threads != 0 {
            guard unsafe (1...1024).contains(said.threads) else {
                throw ScrubError(
                    .usage, unsafe "scrub_options.threads is \(said.threads)",
                    advice: "give 1 to 1024, or 0 for one for each processor")
            }
            reader.threadCount = unsafe Int(said.threads)
        }
    }

    private static func limit(_ said: UInt64, _ usual: Int) throws(ScrubError) -> Int {
        guard said > 0 else { return usual }
        guard let limit = Int(exactly: said) else {
            throw ScrubError(.usage, "a limit is \(said)", advice: "give \(Int.max) at most")
        }
        return limit
    }
}

extension ScrubError {
    /// Bits without a meaning.
    static func flags(_ name: String, _ flags: UInt32) -> ScrubError {
        ScrubError(
            .usage, "\(name) has bits without a meaning: \(flags)",
            advice: "use the header's words; a later library may know more")
    }
}

/// Opens something and hands C its handle.
private func open(
    _ options: UnsafePointer<scrub_options>?, _ video: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<scrub_error>?, _ make: (VideoAsset.OpenOptions) throws -> VideoAsset
) -> Int32 {
    unsafe video?.pointee = nil
    return unsafe answering(error) {
        guard let video = unsafe video else { throw ScrubError.null("the place for the video") }
        let opening = try unsafe Opening(options)
        ForkWatch.begin()
        let asset = try make(opening.open)
        unsafe video.pointee = Handles.add(try OpenVideo(asset, opening.reader))
    }
}

@c @implementation func scrub_open(
    _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<scrub_options>?,
    _ video: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> Int32 {
    unsafe open(options, video, error) { options in
        try VideoAsset(named: try unsafe CText.read(path, "the path"), options: options)
    }
}

@c @implementation func scrub_open_bytes(
    _ bytes: UnsafeRawPointer?, _ count: Int, _ name: UnsafePointer<CChar>?, _ options: UnsafePointer<scrub_options>?,
    _ video: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> Int32 {
    unsafe open(options, video, error) { options in
        guard let bytes = unsafe bytes, count >= 0 else { throw ScrubError.null("the bytes") }
        return try unsafe VideoAsset(
            bytes: [UInt8](UnsafeRawBufferPointer(start: bytes, count: count)),
            name: name.map { unsafe CText.read($0) } ?? "video in memory", options: options)
    }
}

@c @implementation func scrub_open_reader(
    _ reader: UnsafePointer<scrub_reader>?, _ name: UnsafePointer<CChar>?, _ options: UnsafePointer<scrub_options>?,
    _ video: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> Int32 {
    unsafe open(options, video, error) { options in
        guard let reader = unsafe reader else { throw ScrubError.null("the reader") }
        guard unsafe Int(reader.pointee.size) >= MemoryLayout<scrub_reader>.size else {
            throw unsafe ScrubError.wrongSize("scrub_reader", reader.pointee.size, "SCRUB_READER_INIT")
        }
        return try unsafe VideoAsset(
            source: CallbackSource(reader.pointee), name: name.map { unsafe CText.read($0) } ?? "video of a reader",
            options: options)
    }
}
#endif
