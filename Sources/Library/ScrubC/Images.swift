#if compiler(>=6.3)
internal import CScrub
internal import Glibc
internal import Scrub
internal import ScrubMedia
internal import ScrubBase

/// C's options for encoding a picture.
struct Encoding {
    /// `nil` if no format is given.
    var format: ImageFormat?
    var options = FramePicture.Options()
    var quality = 90
    var replacesFiles = false

    init(_ image: UnsafePointer<scrub_image>?) throws(ScrubError) {
        let said = try unsafe SizedCopy.value(image)
        guard said.flags & ~UInt32(SCRUB_RAW_GEOMETRY | SCRUB_KEEP_HDR | SCRUB_REPLACE) == 0 else {
            throw .flags("scrub_image.flags", said.flags)
        }
        guard said.want_width >= 0, said.want_height >= 0 else {
            throw ScrubError(
                .usage, "\(said.want_width) x \(said.want_height) is not a valid size",
                advice: "use sides of 1 or more, or 0 for no limit"
            )
        }
        format = try ImageFormat(number: said.format)
        replacesFiles = said.flags & UInt32(SCRUB_REPLACE) != 0
        options.appliesGeometry = said.flags & UInt32(SCRUB_RAW_GEOMETRY) == 0
        options.dynamicRange = said.flags & UInt32(SCRUB_KEEP_HDR) != 0 ? .matchSource : .forceSDR
        if said.want_width > 0 || said.want_height > 0 {
            options.size = .maximum(width: Int(said.want_width), height: Int(said.want_height))
        }
        if said.quality != 0 { quality = Int(said.quality) }
    }

    /// Encodes a picture, as PNG if no format is given.
    func encode(_ picture: FramePicture) throws(ScrubError) -> EncodedPicture {
        try picture.encoded(as: format ?? .png, options: options, quality: quality)
    }
}

extension ImageFormat {
    /// The format for a number in the header; `nil` for 0, the default format.
    init?(number: UInt32) throws(ScrubError) {
        switch number {
        case 0: return nil
        case UInt32(SCRUB_PNG): self = .png
        case UInt32(SCRUB_JPEG): self = .jpeg
        case UInt32(SCRUB_WEBP): self = .webp
        case UInt32(SCRUB_AVIF): self = .avif
        default:
            throw ScrubError(
                .usage, "there is no image format \(number)", advice: "use a value from SCRUB_PNG to SCRUB_AVIF")
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
                    .badData, answer.verdict.wording ?? "it cannot be decoded",
                    place: .frame(answer.frame.number))
            }
            let encoded = try encoding.encode(made)
            try body(encoded)
            target?.finish(width: encoded.width, height: encoded.height)
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
) -> scrub_status {
    unsafe bytes?.pointee = nil
    unsafe count?.pointee = 0
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        guard let bytes = unsafe bytes, let count = unsafe count else {
            throw ScrubError.null("the pointer to the file")
        }
        try unsafe encode(video, frame, try Encoding(image), picture) { encoded in
            unsafe bytes.pointee = try CMemory.copy(encoded.bytes)
            unsafe count.pointee = encoded.bytes.count
        }
    }
}

@c @implementation func scrub_save(
    _ video: OpaquePointer?, _ frame: Int64, _ path: UnsafePointer<CChar>?, _ image: UnsafePointer<scrub_image>?,
    _ picture: UnsafeMutablePointer<scrub_picture>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let path = try unsafe CText.read(path, "the path")
        var encoding = try unsafe Encoding(image)
        let suffix = path.split(separator: "/").last?.split(separator: ".").last.map { $0.lowercased() } ?? ""
        guard let format = ImageFormat(rawValue: suffix == "jpg" ? "jpeg" : suffix) else {
            throw ScrubError(
                .usage, "the suffix is not that of a supported format", file: path,
                advice: "use .png, .jpg, .webp or .avif")
        }
        guard encoding.format == nil || encoding.format == format else {
            throw ScrubError(
                .usage, "the suffix contradicts scrub_image.format", file: path,
                advice: "set the format to 0, or change the suffix")
        }
        encoding.format = format
        let replacesFiles = encoding.replacesFiles
        try unsafe encode(video, frame, encoding, picture) { try $0.write(to: path, replacesFiles: replacesFiles) }
    }
}

/// Memory that C releases with `scrub_free`.
enum CMemory {
    /// Returns a copy of some bytes.
    static func copy(_ bytes: [UInt8]) throws(ScrubError) -> UnsafeMutableRawPointer {
        guard let memory = unsafe malloc(max(1, bytes.count)) else {
            throw ScrubError(.unavailable, "\(bytes.count) bytes of memory could not be allocated")
        }
        unsafe bytes.withUnsafeBytes {
            unsafe UnsafeMutableRawBufferPointer(start: memory, count: $0.count).copyMemory(from: $0)
        }
        return unsafe memory
    }
}

@c @implementation func scrub_free(_ bytes: UnsafeMutableRawPointer?) { unsafe free(bytes) }
#endif
