#if Viewer
internal import ScrubBase
internal import ScrubMedia
internal import ScrubViewerLogic

/// The form in which a picture is requested.
struct PictureForm: Hashable, Sendable {
    /// The number of columns; `nil` for the picture's own.
    var width: Int?
    var format: ImageFormat

    init(width: Int?, format: ImageFormat) { (self.width, self.format) = (width, format) }

    /// Creates the form for a request.
    ///
    /// - Throws: `usage` for another format or a width outside 16...8192.
    init(_ target: RequestTarget) throws(ScrubError) {
        switch target["format"] ?? "jpeg" {
        case "jpeg", "jpg": format = .jpeg
        case "png": format = .png
        case "webp": format = .webp
        case let other:
            throw ScrubError(
                .usage, "'\(other.prefix(40))' is not a supported picture format", advice: "use jpeg, png or webp")
        }
        guard let text = target["width"] else { return }
        guard let width = Int(text), (16...8192).contains(width) else {
            throw ScrubError(
                .usage, "'\(text.prefix(40))' is not a valid width", advice: "use 16 to 8192 pixels, or omit the width")
        }
        self.width = width
    }

    /// Whether the size is the picture's own.
    var isNatural: Bool { width == nil }

    /// Creates the file; blocks for milliseconds.
    func encode(_ picture: FramePicture) throws(ScrubError) -> EncodedPicture {
        var options = FramePicture.Options()
        let natural = try picture.outputSize(options: options)
        // Never enlarged: the browser does that equally well, and with less data.
        if let width, width < natural.width { options.size = .width(width) }
        return try picture.encoded(as: format, options: options, quality: format == .webp ? 80 : 88)
    }
}
#endif
